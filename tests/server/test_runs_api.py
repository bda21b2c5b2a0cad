"""Fix runs over the API: begun, watched, aborted, resumed, and what they leave."""

import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.server.state import ServerState
from mulligan.types.fixing import RunState
from mulligan.types.run_frames import RunNote
from tests.e2e.fix_project import CODE, FIXED, PLAN, RIGHT, TESTS, VERIFY, WRONG, call, say, three_attempts
from tests.server.coding import GIT, Json, changes, got, settle
from tests.server.server_process import Served

DONE = say("Done.")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a failing test."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "totals.py").write_text(CODE)
    (folder / "test_totals.py").write_text(TESTS)
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder


async def begin(served: Served, **request: Any) -> str:
    asked = {"goal": "make the tests pass", "verify": [VERIFY], **request}
    answer = await served.client.post(f"/api/projects/{served.project_id}/runs", json=asked)
    assert answer.status_code == 202, answer.text
    return answer.json()["run_id"]


async def detail(served: Served, run: str) -> Json:
    return await got(served, f"/api/projects/{served.project_id}/runs/{run}")


async def test_a_run_is_verified_watched_and_its_result_waits(served: Served) -> None:
    await served.play(PLAN, RIGHT, DONE)
    async with served.socket() as page:
        run = await begin(served)
        end = await page.until("run_end", run_id=run)
        await page.until("chat_changed", run_id=run)
    assert (end["frame"]["verdict"], end["frame"]["pending"]) == ("verified", 1)
    mine = [each for each in page.seen if each["run_id"] == run]
    kinds = {each["frame"]["type"] for each in mine}
    assert {"run_start", "run_node", "run_check", "run_plan", "turn_start", "tool_call", "turn_end"} <= kinds
    turns = [each for each in page.seen if each["frame"]["type"] in {"turn_start", "tool_call", "change"}]
    assert all(each["run_id"] == run for each in turns)

    shown = await detail(served, run)
    assert (shown["run"]["state"]["verdict"], shown["run"]["running"], shown["run"]["here"]) == (
        "verified",
        False,
        False,
    )
    assert (shown["live"], shown["pending"]) == ([], 1)
    assert "verified" in shown["report"]
    assert (served.project / "totals.py").read_text() == CODE

    await settle(served, "apply", chat_id=shown["run"]["state"]["chat_id"])
    assert (served.project / "totals.py").read_text() == FIXED
    assert (await detail(served, run))["pending"] == 0


async def test_a_run_ends_at_its_bound(served: Served) -> None:
    await served.play(*three_attempts(WRONG))
    async with served.socket() as page:
        run = await begin(served)
        end = await page.until("run_end", run_id=run)
        await page.until("chat_changed", run_id=run)
    assert (end["frame"]["verdict"], end["frame"]["reason"]) == ("failed", "bounded_attempts_exceeded")
    assert end["frame"]["failure_history"]["attempts"] == 3
    stored = (await detail(served, run))["run"]["state"]
    assert stored["reason"] == "bounded_attempts_exceeded"
    assert [each["outcome"] for each in stored["attempts_made"]] == ["discarded"] * 3
    assert all("+    return sum(items) + 2" in each["diff"] for each in stored["attempts_made"])
    listed = (await served.client.get(f"/api/projects/{served.project_id}/runs")).json()[0]
    assert listed["state"]["attempts_made"] == []
    assert await changes(served, status="pending") == []
    assert (served.project / "totals.py").read_text() == CODE


@pytest.mark.both_databases
async def test_a_run_is_shown_while_it_goes_on_aborted_and_resumed(served: Served) -> None:
    await served.play(PLAN, {"text": "Let me see", "hang": 1})
    address = f"/api/projects/{served.project_id}/runs"
    async with served.socket() as page:
        run = await begin(served)
        await page.until("text_delta", run_id=run)
        shown = await detail(served, run)
        assert (shown["run"]["running"], shown["run"]["here"], shown["report"]) == (True, True, None)
        live = [each["frame"]["type"] for each in shown["live"]]
        assert (live[0], "turn_start" in live) == ("run_start", True)
        assert all(each["seq"] <= shown["seq"] for each in shown["live"])
        assert (await served.client.post(f"{address}/{run}/resume")).status_code == 409

        assert (await served.client.post(f"{address}/{run}/abort")).json() == {"aborted": True}
        stopped = await detail(served, run)
        assert (stopped["run"]["running"], stopped["run"]["state"]["ended_at"]) == (False, None)
        assert (await served.client.post(f"{address}/{run}/abort")).json() == {"aborted": False}

        await served.play(RIGHT, DONE)
        resumed = await served.client.post(f"{address}/{run}/resume")
        assert (resumed.status_code, resumed.json()["run_id"]) == (202, run)
        start = await page.until("run_start", run_id=run, resumed=True)
        end = await page.until("run_end", run_id=run)
        await page.until("chat_changed", run_id=run)
    assert start["seq"] < end["seq"]
    assert end["frame"]["verdict"] == "verified"
    ended = await served.client.post(f"{address}/{run}/resume")
    assert (ended.status_code, "has ended" in ended.json()["error"]) == (400, True)
    assert [each["id"] for each in await got(served, address)] == [run]


async def test_a_run_asks_the_user_and_waits_for_the_answer(served: Served) -> None:
    await served.play(PLAN, call("run_command", command="curl -s http://127.0.0.1:9"), RIGHT, DONE)
    async with served.socket() as page:
        run = await begin(served)
        ask = (await page.until("asked", run_id=run))["frame"]["ask"]
        assert (ask["what"], ask["run_id"]) == ("curl -s http://127.0.0.1:9", run)
        assert (await detail(served, run))["asks"] == [ask]
        await served.client.post(f"/api/asks/{ask['id']}", json={"granted": True})
        await page.until("run_end", run_id=run)
        await page.until("chat_changed", run_id=run)
    shown = (await detail(served, run))["run"]["state"]
    assert [(each["command"], each["exit_code"]) for each in shown["runs"] if each["purpose"] == "coder"] == [
        ("curl -s http://127.0.0.1:9", 7)
    ]


@pytest.mark.both_databases
async def test_a_state_is_shown_without_secrets_and_whatever_its_files_are_called(
    near: httpx2.AsyncClient, state: ServerState
) -> None:
    (project,) = state.projects.values()
    run = RunState(
        id="run", project=str(project.path), goal="why is API_KEY=hunter2hunter2 refused?", profile="fast",
        agency="agent", model="m", commands=(), time_limit=1, started_at=0, files=("b\udcff.py",),
    )  # fmt: skip
    await project.session.store.runs.add(run)
    state.hub.open_live(run.id)
    state.hub.publish(RunNote(run_id=run.id, text="b\udcff.py"), state.scope(project, run_id=run.id))
    detail = (await near.get(f"/api/projects/{project.id}/runs/run")).json()
    shown = detail["run"]["state"]
    assert (shown["goal"], shown["files"]) == ("why is API_KEY=[masked: secret] refused?", ["b<U+DCFF>.py"])
    assert [each["frame"]["text"] for each in detail["live"]] == ["b<U+DCFF>.py"]


async def test_the_model_that_is_named_is_the_one_that_is_asked(served: Served) -> None:
    await served.play(PLAN, RIGHT, DONE)
    async with served.socket() as page:
        run = await begin(served, model="another", verify=["true"])
        start = await page.until("run_start", run_id=run)
        assert (await served.model.asked(1)).body["model"] == "another"
        await page.until("run_end", run_id=run)
        await page.until("chat_changed", run_id=run)
    assert start["frame"]["model"] == "another"


@pytest.mark.parametrize(
    ("wanted", "status", "words"),
    [
        pytest.param({"goal": "   "}, 400, "there is no goal", id="a blank goal"),
        pytest.param({"goal": ""}, 422, "goal", id="no goal"),
        pytest.param({"goal": "g", "verify": [" "]}, 400, "is empty", id="an empty command"),
        pytest.param({"goal": "g", "verify": ["a\0b"]}, 400, "is empty", id="a command that no shell takes"),
        pytest.param({"goal": "g", "profile": "hasty"}, 422, "profile", id="no such profile"),
        pytest.param({"goal": "g", "time_limit": 0}, 422, "time_limit", id="no time"),
    ],
)
async def test_what_can_not_work_is_refused_and_no_run_is_kept(
    near: httpx2.AsyncClient, state: ServerState, wanted: Json, status: int, words: str
) -> None:
    (project_id,) = state.projects
    refused = await near.post(f"/api/projects/{project_id}/runs", json=wanted)
    assert (refused.status_code, words in refused.json()["error"]) == (status, True)
    assert (await near.get(f"/api/projects/{project_id}/runs")).json() == []


async def test_without_a_repository_no_run_is_begun(
    project: Path, near: httpx2.AsyncClient, state: ServerState
) -> None:
    (project / ".git").rename(project / "git")
    (project_id,) = state.projects
    refused = await near.post(f"/api/projects/{project_id}/runs", json={"goal": "g"})
    assert (refused.status_code, "repository" in refused.json()["error"]) == (400, True)
    assert (await near.get(f"/api/projects/{project_id}/runs")).json() == []


async def test_a_run_is_found_by_its_whole_id_in_its_project(near: httpx2.AsyncClient, state: ServerState) -> None:
    (project_id,) = state.projects
    for path in (f"/api/projects/{project_id}/runs/none", "/api/projects/none/runs/none"):
        assert (await near.get(path)).status_code == 404
        assert (await near.post(f"{path}/abort")).status_code == 404
        assert (await near.post(f"{path}/resume")).status_code == 404


async def test_the_projects_commands_are_found(project: Path, near: httpx2.AsyncClient, state: ServerState) -> None:
    (project / "package.json").write_text('{"scripts": {"test": "node --test", "lint": "eslint ."}}')
    (project_id,) = state.projects
    found = (await near.get(f"/api/projects/{project_id}/commands")).json()["commands"]
    assert ("npm run lint", "lint") in [(each["command"], each["kind"]) for each in found]


async def test_a_run_that_failed_tells_what_to_do_and_keeps_logs_and_conversations(served: Served) -> None:
    await served.play(*three_attempts(WRONG))
    async with served.socket() as page:
        run = await begin(served)
        await page.until("run_end", run_id=run)
        await page.until("chat_changed", run_id=run)
    found = await detail(served, run)
    assert "still fails" in found["advice"][0]
    assert found["begin_with"].endswith("test_totals.TotalsTest.test_mean")
    assert found["run"]["attempts"] == len(found["chats"]) == 3
    said = await got(served, f"/api/chats/{found['chats'][2]}")
    assert [message["role"] for message in said["messages"]][:2] == ["user", "assistant"]
    where = f"/api/projects/{served.project_id}/runs/{run}/logs"
    assert "purpose: baseline" in (await got(served, f"{where}/1"))["text"]
    assert (await served.client.get(f"{where}/999")).status_code == 404
