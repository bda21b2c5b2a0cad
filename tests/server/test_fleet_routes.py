"""The fleet over the API: looked at, submitted to, and its results fetched."""

import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.app.configuration import Configuration
from mulligan.runtime.serving.token import TokenGate, kept_digest, kept_fleet_roles, make_token
from mulligan.server.access.middleware import AccessPolicy, with_access_checks
from mulligan.server.app import make_app
from mulligan.server.state import ServerState, open_server_state, project_id
from tests.e2e.fix_project import CODE, FIXED, TESTS
from tests.server.coding import GIT
from tests.server.fleet_jobs import BEGUN, ENDED, WorkedFleet, fixing_patch, head_of, worked_fleet


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "totals.py").write_text(CODE)
    (folder / "test_totals.py").write_text(TESTS)
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder


@pytest.fixture
async def fleet(postgres_url: str) -> AsyncGenerator[WorkedFleet]:
    async with worked_fleet(postgres_url) as fleet:
        yield fleet


@pytest.fixture
async def state(configuration: Configuration, postgres_url: str) -> AsyncGenerator[ServerState]:
    async with open_server_state([configuration], fleet=postgres_url) as opened:
        yield opened


async def got(near: httpx2.AsyncClient, path: str, **query: Any) -> Any:
    answer = await near.get(f"/api/fleet{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_jobs_are_counted_listed_by_state_and_label_and_shown_in_pages(
    near: httpx2.AsyncClient, fleet: WorkedFleet
) -> None:
    assert (await near.get("/api/server")).json()["fleet"]
    await fleet.store.servers.register("http://gpu-1/v1", models=["qwen"], slots=2)
    await fleet.store.servers.failed("http://gpu-1/v1", "no answer")
    await fleet.store.workers.beat("w1", slots=2, labels=[], sandbox="bubblewrap")
    nightly = [await fleet.submit(f"night {number}", labels=("nightly",)) for number in range(3)]
    other = await fleet.submit("by day", model="qwen")
    await fleet.end(await fleet.begin(), "")

    shown = await got(near, "")
    assert {(each["label"], each["model"], each["state"]): each["jobs"] for each in shown["counts"]} == {
        ("nightly", "", "queued"): 2,
        ("nightly", "", "verified"): 1,
        ("", "qwen", "queued"): 1,
    }
    assert shown["ended_lately"] == 1
    assert shown["seconds_left"] > 0
    assert [(each["name"], each["silent"]) for each in shown["workers"]] == [("w1", False)]
    (server,) = shown["servers"]
    assert (server["slots"], server["busy"], server["error"]) == (2, 0, "no answer")
    assert server["down_for"] > 0

    first = await got(near, "/jobs", most=3)
    second = await got(near, "/jobs", most=3, after=first["jobs"][-1]["id"])
    assert (first["more"], second["more"]) == (True, False)
    assert {each["id"] for each in first["jobs"] + second["jobs"]} == {*nightly, other}
    assert len(second["jobs"]) == 1
    assert [each["id"] for each in (await got(near, "/jobs", label=""))["jobs"]] == [other]
    verified = await got(near, "/jobs", state="verified", label="nightly")
    assert [each["state"] for each in verified["jobs"]] == ["verified"]
    assert (await near.get("/api/fleet/jobs", params={"after": "none"})).status_code == 404


async def test_a_job_is_submitted_cancelled_and_queued_anew(near: httpx2.AsyncClient, fleet: WorkedFleet) -> None:
    asked = {"repository": "https://git.example/r.git", "goal": "fix it", "labels": ["a"], "priority": 3}
    made = await near.post("/api/fleet/jobs", json=asked)
    assert made.status_code == 201, made.text
    job = made.json()["id"]
    kept = await fleet.store.reading.find(job)
    assert (kept.spec.repository, kept.spec.goal, kept.spec.label, kept.spec.priority) == (
        *list(asked.values())[:2],
        "a",
        3,
    )
    early = await near.post(f"/api/fleet/jobs/{job}/retry")
    assert (early.status_code, "has not ended" in early.json()["error"]) == (409, True)
    assert (await near.post(f"/api/fleet/jobs/{job}/cancel")).json()["state"] == "cancelled"
    assert (await near.post(f"/api/fleet/jobs/{job}/retry")).json()["state"] == "queued"
    refused = await near.post("/api/fleet/jobs", json={**asked, "repository": "--upload-pack=x"})
    assert (refused.status_code, "no option" in refused.json()["error"]) == (400, True)
    assert (await near.post("/api/fleet/jobs/none/cancel")).status_code == 404


async def test_the_log_is_followed_and_the_result_fetched_where_its_repository_is(
    near: httpx2.AsyncClient, fleet: WorkedFleet, project: Path
) -> None:
    job = await fleet.submit("make the tests pass", str(project), verify=("true",))
    taken = await fleet.begin(head_of(project))
    begun = await got(near, f"/jobs/{job}/log")
    told = [each["frame"]["type"] for each in begun["envelopes"]]
    assert told == [*(frame.type for frame in BEGUN), "notice"]
    assert not begun["ended"]
    patch = fixing_patch(project)
    await fleet.end(taken, patch)
    more = await got(near, f"/jobs/{job}/log", after=begun["after"])
    assert [each["frame"]["type"] for each in more["envelopes"]] == [*(frame.type for frame in ENDED), "notice"]
    assert more["ended"]
    assert more["envelopes"][0]["seq"] > begun["envelopes"][-1]["seq"]

    here = project_id(project)
    detail = await got(near, f"/jobs/{job}")
    assert (detail["job"]["state"], detail["diff"], detail["projects"]) == ("verified", patch, [here])
    whole = await near.get(f"/api/fleet/jobs/{job}/patch")
    assert (whole.text, whole.headers["content-disposition"]) == (patch, f'attachment; filename="fleet-{job}.patch"')
    branch = f"/api/projects/{here}/fleet/{job}/branch"
    made = (await near.post(branch, json={"name": "fix/totals"})).json()
    kept = project / ".git" / "refs" / "heads" / "fix" / "totals"
    assert made == {"branch": "fix/totals", "commit": kept.read_text().strip()}
    for name in ("fix/totals", "fix", "a..b", "-x", "x\0y"):
        refused = await near.post(branch, json={"name": name})
        assert (refused.status_code, "branch" in refused.json()["error"]) == (400, True), refused.text
    fetched = await near.post(f"/api/projects/{here}/fleet/{job}/fetch")
    assert fetched.json() == {"changes": 1}, fetched.text
    (change,) = (await near.get(f"/api/projects/{here}/changes")).json()
    assert (change["path"], change["status"]) == ("totals.py", "pending")
    assert (project / "totals.py").read_text() == CODE != FIXED


async def test_a_result_of_another_repository_is_only_a_patch_unless_it_is_a_remote(
    near: httpx2.AsyncClient, fleet: WorkedFleet, project: Path
) -> None:
    job = await fleet.submit("make the tests pass", "https://git.example/engine.git")
    assert (await near.get(f"/api/fleet/jobs/{job}/patch")).status_code == 404
    await fleet.end(await fleet.begin(), fixing_patch(project))
    assert (await got(near, f"/jobs/{job}"))["projects"] == []
    for way, body in (("fetch", None), ("branch", {"name": "fix"})):
        refused = await near.post(f"/api/projects/{project_id(project)}/fleet/{job}/{way}", json=body)
        assert (refused.status_code, "not a checkout" in refused.json()["error"]) == (400, True)
    config = project / ".git" / "config"
    config.write_text(f'{config.read_text()}[remote "up"]\n\turl = https://git.example/engine\n')
    assert (await got(near, f"/jobs/{job}"))["projects"] == [project_id(project)]


async def test_model_servers_are_put_on_the_list_and_taken_off(near: httpx2.AsyncClient) -> None:
    given = {"url": "http://gpu-1:8080/v1/", "models": ["qwen"], "slots": 4}
    added = await near.put("/api/fleet/servers", json=given)
    assert added.status_code == 200, added.text
    again = (await near.put("/api/fleet/servers", json={**given, "url": "http://gpu-1:8080/v1", "slots": 2})).json()
    assert [(each["url"], each["slots"]) for each in again["servers"]] == [("http://gpu-1:8080/v1", 2)]
    for url in ("gpu-1", "ftp://gpu-1", "http://", "http://me:secret@gpu-1/v1", "http://gpu-1:x/v1", "http://a b/v1"):
        refused = await near.put("/api/fleet/servers", json={**given, "url": url})
        assert refused.status_code == 400, refused.text
    assert "secret" not in refused.text
    gone = await near.delete("/api/fleet/servers", params={"url": "http://gpu-1:8080/v1"})
    assert gone.json()["servers"] == []
    assert (await near.delete("/api/fleet/servers", params={"url": "http://gpu-1:8080/v1"})).status_code == 404


async def test_jobs_that_ended_long_ago_are_deleted(near: httpx2.AsyncClient, fleet: WorkedFleet) -> None:
    ended, waits = await fleet.submit("has ended"), await fleet.submit("waits")
    await fleet.end(await fleet.begin(), "")
    assert (await near.post("/api/fleet/prune", json={"days": 1})).json() == {"deleted": 0}
    assert (await near.post("/api/fleet/prune", json={"days": 0})).json() == {"deleted": 1}
    assert [each["id"] for each in (await got(near, "/jobs"))["jobs"]] == [waits]
    assert (await near.get(f"/api/fleet/jobs/{ended}")).status_code == 404
    assert (await near.post("/api/fleet/prune", json={"days": -1})).status_code == 422


async def test_a_token_of_the_fleet_opens_the_fleet_alone_as_far_as_its_role_goes(
    state: ServerState, fleet: WorkedFleet, tmp_path: Path
) -> None:
    await fleet.submit("fix it")
    whole, look, submit = make_token(tmp_path), make_token(tmp_path, "look"), make_token(tmp_path, "submit")
    work = make_token(tmp_path, "work")
    gate = TokenGate(kept_digest(tmp_path), fleet=kept_fleet_roles(tmp_path))
    app = with_access_checks(make_app(state, gate), AccessPolicy(gate))
    asked = {"repository": "/r", "goal": "fix it"}

    async def answers(token: str) -> tuple[list[int], str]:
        """To a look, a job, a model server, a clean-up and something else; and why the job was refused."""
        headers = {"Authorization": f"Bearer {token}"}
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            submitted = await client.post("/api/fleet/jobs", json=asked)
            all_answers = [
                await client.get("/api/fleet/jobs"),
                submitted,
                await client.put("/api/fleet/servers", json={"url": "http://gpu-1/v1"}),
                await client.post("/api/fleet/prune", json={"days": 1}),
                await client.get("/api/server"),
            ]
            return [each.status_code for each in all_answers], submitted.json().get("error", "")

    assert await answers(whole) == ([200, 201, 200, 200, 200], "")
    assert await answers(submit) == ([200, 201, 403, 403, 403], "")
    worked, words = await answers(work)
    assert (worked, "--fleet-token submit" in words) == ([200, 403, 200, 403, 403], True)
    looked, words = await answers(look)
    assert (looked, "may only look" in words) == ([200, 403, 403, 403, 403], True)
    assert (await answers("made up"))[0] == [401, 401, 401, 401, 401]


async def test_without_a_fleet_nothing_of_it_is_there(configuration: Configuration) -> None:
    async with open_server_state([configuration]) as state:
        transport = httpx2.ASGITransport(app=make_app(state))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8383") as client:
            assert not (await client.get("/api/server")).json()["fleet"]
            refused = await client.get("/api/fleet")
    assert (refused.status_code, "--fleet URL" in refused.json()["error"]) == (404, True)


def test_a_server_loads_nothing_of_a_fleets_queue() -> None:
    asked = "import sys, mulligan.server.process; print({'procrastinate', 'psycopg', 'asyncpg'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    assert loaded.stdout == "set()\n"
