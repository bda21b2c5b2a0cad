"""What is served, and who and what can work on it."""

import asyncio
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.app.configuration import Configuration, load_configuration
from mulligan.models.embedded.catalog import load_catalog
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.server.app import make_app
from mulligan.server.state import ServerState, open_server_state, project_id
from mulligan.server.views.agents import FRESH, InstalledVersions
from mulligan.types.agents import ExternalAgent
from tests.held_port import held_port
from tests.server.server_process import Served


@pytest.fixture
async def address(state: ServerState) -> str:
    return f"/api/projects/{next(iter(state.projects))}"


@pytest.mark.both_databases
async def test_the_server_tells_its_projects_and_where_frames_stand(
    near: httpx2.AsyncClient, state: ServerState
) -> None:
    told = (await near.get("/api/server")).json()
    assert (told["epoch"], told["seq"]) == (state.hub.epoch, 0)
    assert told["projects"] == (await near.get("/api/projects")).json()


async def test_projects_stand_in_the_order_they_were_named(configuration: Configuration, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    environ = {"MULLIGAN_HOME": str(configuration.settings.home)}
    async with open_server_state([load_configuration(bare, {}, environ), configuration]) as state:
        transport = httpx2.ASGITransport(app=make_app(state))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            told = (await client.get("/api/projects")).json()
    assert [(each["id"], each["name"], each["git"]) for each in told] == [
        (project_id(bare.resolve()), "bare", False),
        (project_id(configuration.settings.project), "project", True),
    ]


async def test_a_real_server_serves_its_folder(served: Served) -> None:
    (told,) = (await served.client.get("/api/projects")).json()
    assert (told["id"], told["path"], told["git"]) == (served.project_id, str(served.project), True)


async def test_agents_are_listed_native_ones_first(near: httpx2.AsyncClient, address: str) -> None:
    agents = (await near.get(f"{address}/choices")).json()["agents"]
    by_name = {agent["name"]: agent for agent in agents}
    kinds = [agent["kind"] for agent in agents]
    assert kinds == sorted(kinds, reverse=True)
    assert (by_name["default"]["writes"], by_name["coder"]["writes"]) == (False, True)
    assert "edit_file" in by_name["coder"]["tools"]
    assert by_name["claude"]["kind"] == "external"
    assert by_name["claude"]["install"]


@dataclass
class Said:
    stdout: bytes


def agent(name: str, program: str = sys.executable) -> ExternalAgent:
    return ExternalAgent(name=name, kind="acp", command=(program,))


async def test_versions_are_asked_on_the_side_and_again_when_they_are_old() -> None:
    now = 0.0
    asked: list[Sequence[str]] = []

    async def run(argv: Sequence[str], **_: Any) -> Said:
        asked.append(argv)
        return Said(f"python {len(asked)}.0".encode())

    versions = InstalledVersions([agent("here"), agent("absent", "no-such-program")], run, monotonic=lambda: now)
    assert versions.known() == {}
    await versions.settled()
    first = versions.known()
    assert (first["here"].version, first["absent"].path) == ("1.0", None)
    now = FRESH + 1
    assert versions.known()["here"].version == "1.0"
    await versions.settled()
    assert versions.known()["here"].version == "2.0"
    await versions.close()


async def test_a_look_for_versions_ends_with_the_server() -> None:
    begun = asyncio.Event()

    async def run(argv: Sequence[str], **_: Any) -> Said:
        assert argv[0] == sys.executable
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    versions = InstalledVersions([agent("here")], run)
    versions.known()
    await begun.wait()
    await versions.close()
    await versions.settled()


async def test_the_model_that_answers_is_told_and_what_else_there_is(
    near: httpx2.AsyncClient, address: str, model: ScriptedServer
) -> None:
    told = (await near.get(f"{address}/choices")).json()["models"]
    assert (told["chosen"], told["server"], told["agency"]) == ("scripted", model.base_url, "agent")
    assert told["found"] == [{"name": "scripted", "server": model.base_url, "kind": "openai"}]
    assert [each["name"] for each in told["embedded"]] == [f"embedded:{each.name}" for each in load_catalog().entries]
    assert [each["default"] for each in told["embedded"]].count(True) == 1
    assert told["profiles"] == []
    assert model.requests == []


async def models_of(project: Path, home: Path, flags: Mapping[str, Any]) -> dict[str, Any]:
    """What the models of such a configuration are told as."""
    alone = {"MULLIGAN_HOME": str(home), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
    async with open_server_state([load_configuration(project, flags, alone)]) as state:
        transport = httpx2.ASGITransport(app=make_app(state))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answer = await client.get(f"/api/projects/{next(iter(state.projects))}/choices")
    assert answer.status_code == 200
    return answer.json()["models"]


async def test_with_nothing_configured_the_embedded_model_answers(project: Path, tmp_path: Path) -> None:
    told = await models_of(project, tmp_path / "home", {})
    assert (told["chosen"], told["server"]) == (f"embedded:{load_catalog().default}", "embedded")
    assert told["found"] == []


async def test_what_can_not_be_found_out_is_left_empty(project: Path, tmp_path: Path) -> None:
    told = await models_of(project, tmp_path / "home", {"model": "embedded:nonesuch"})
    assert (told["chosen"], told["server"], told["agency"], told["found"]) == (None, None, None, [])
    assert told["embedded"]


async def test_a_server_that_was_started_later_is_found(project: Path, tmp_path: Path) -> None:
    alone = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
    with held_port() as port:
        base_url = f"http://127.0.0.1:{port}/v1"
        async with open_server_state([load_configuration(project, {"base_url": base_url}, alone)]) as state:
            session = next(iter(state.projects.values())).session
            assert (await session.models.choose(None)).model == "default"
            async with serve_script(Script(replies=(), model="tiny"), port=port):
                assert (await session.models.choose(None)).model == "tiny"


async def test_a_probe_tells_what_it_found_and_remembers_it(served: Served) -> None:
    await served.play({"text": "I can't."}, then="repeat_last", server_style={"tools": "refused"})
    address = f"/api/projects/{served.project_id}/models"
    async with served.socket() as page:
        answer = await served.client.post(f"{address}/probe")
        assert answer.status_code == 200, answer.text
        told = (await page.until("notice"))["frame"]["text"]
    found = answer.json()
    assert (found["profile"]["probed"], found["profile"]["native_tools"]) == (True, False)
    assert told == found["findings"][0]
    choices = (await served.client.get(f"/api/projects/{served.project_id}/choices")).json()
    assert choices["models"]["profiles"] == [found["profile"]]


async def test_a_probe_of_a_model_that_fails_says_so(served: Served) -> None:
    await served.play({"status": 400, "body": "no such model"}, then="repeat_last")
    answer = await served.client.post(f"/api/projects/{served.project_id}/models/probe", params={"model": "other"})
    assert (answer.status_code, "no such model" in answer.json()["error"]) == (502, True)


async def test_a_probe_of_a_model_that_there_is_not_is_refused(near: httpx2.AsyncClient, address: str) -> None:
    answer = await near.post(f"{address}/models/probe", params={"model": "embedded:nonesuch"})
    assert (answer.status_code, "no embedded model" in answer.json()["error"]) == (400, True)


async def test_a_project_loses_its_repository_and_the_page_is_told(near: httpx2.AsyncClient, project: Path) -> None:
    assert [each["git"] for each in (await near.get("/api/projects")).json()] == [True]
    shutil.rmtree(project / ".git")
    assert [each["git"] for each in (await near.get("/api/projects")).json()] == [False]
