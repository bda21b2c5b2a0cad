"""Models and settings over the API: choosing, trying a server, downloading, and what never comes back."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.app.configuration import load_configuration
from mulligan.models.embedded import catalog
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import serve_script
from mulligan.server import model_pulls
from mulligan.server.app import make_app
from mulligan.server.frames.envelopes import PullProgress
from mulligan.server.state import ServerState, open_server_state, project_id
from mulligan.server.views import models
from tests.held_port import held_port
from tests.models.downloads.made_up import CONTENT, Answer, Hub
from tests.patience import PATIENCE

Client = httpx2.AsyncClient


@pytest.fixture
async def alone(project: Path, tmp_path: Path) -> AsyncGenerator[tuple[ServerState, Client]]:
    """A server that nobody told of a model."""
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    async with open_server_state([load_configuration(project, {}, environ)]) as state:
        base_url = f"http://127.0.0.1:8383/api/projects/{project_id(project)}/"
        async with Client(transport=httpx2.ASGITransport(app=make_app(state)), base_url=base_url) as client:
            yield state, client


async def models_of(client: Client, **query: Any) -> dict[str, Any]:
    return (await client.get("choices", params=query)).json()["models"]


async def test_with_no_model_here_nothing_answers_and_nothing_is_downloaded(
    alone: tuple[ServerState, Client], tmp_path: Path
) -> None:
    _, client = alone
    told = await models_of(client)
    assert (told["setup"], told["chosen"]) == ("missing", "embedded:qwen2.5-coder-1.5b")
    refused = await client.post("chats", json={"text": "hello"})
    assert refused.status_code == 400
    assert not (tmp_path / "home" / "models").exists()
    assert (await client.get("chats")).json() == []


async def test_a_server_is_tried_and_chosen_and_answers_from_then_on(
    alone: tuple[ServerState, Client], tmp_path: Path
) -> None:
    _, client = alone
    async with serve_script(Script.model_validate({"replies": [{"text": "Hello."}]})) as server:
        typed = server.base_url.removeprefix("http://").removesuffix("/v1")
        tried = (await client.post("models/test", json={"base_url": typed, "api_key": "hunter2"})).json()
        assert tried == {
            "base_url": server.base_url,
            "answers": True,
            "kind": "openai",
            "models": ["scripted"],
            "words": "A model server answers, and it has one model.",
        }
        wanted = {"model": "scripted", "base_url": tried["base_url"], "api_key": "hunter2"}
        chosen = await client.put("models/chosen", json=wanted)
        assert (chosen.json()["models"]["chosen"], chosen.json()["models"]["setup"]) == ("scripted", "ready")
        await client.post("chats", json={"text": "hello"})
        await asyncio.wait_for(server.asked(1), PATIENCE)
        settings = await client.get("settings")
    assert "hunter2" not in chosen.text + settings.text
    assert 'api_key = "hunter2"' in (tmp_path / "home" / "mulligan.toml").read_text()
    log = tmp_path / "home" / "logs" / "mulligan.log"
    assert not log.exists() or "hunter2" not in log.read_text()


async def test_a_server_that_does_not_answer_says_so_and_nothing_is_kept(
    alone: tuple[ServerState, Client], tmp_path: Path
) -> None:
    _, client = alone
    tried = (await client.post("models/test", json={"base_url": "127.0.0.1:9"})).json()
    assert (tried["answers"], "127.0.0.1:9" in tried["words"]) == (False, True)
    assert not (tmp_path / "home" / "mulligan.toml").exists()


async def test_a_key_is_not_sent_to_another_server_that_is_tried(alone: tuple[ServerState, Client]) -> None:
    _, client = alone
    await client.put("models/chosen", json={"model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "hunter2"})
    heard: list[str] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        await client.post("models/test", json={"base_url": f"127.0.0.1:{port}"})
    assert heard
    assert "hunter2" not in "".join(heard)


async def test_a_server_that_is_set_and_gone_is_missing_and_a_look_later_finds_it(
    alone: tuple[ServerState, Client],
) -> None:
    _, client = alone
    with held_port() as port:
        base_url = f"http://127.0.0.1:{port}/v1"
        await client.put("models/chosen", json={"model": "scripted", "base_url": base_url})
        told = await models_of(client)
        assert (told["setup"], told["set_server"], base_url in told["problem"]) == ("missing", base_url, True)
        async with serve_script(Script(replies=()), port=port):
            assert (await models_of(client, rescan=True))["setup"] == "ready"


async def test_a_setting_is_changed_in_the_users_file_alone(
    alone: tuple[ServerState, Client], project: Path, tmp_path: Path
) -> None:
    state, client = alone
    answer = await client.put("settings", json={"place": ["allow_commands"], "value": ["make deploy"]})
    (changed,) = [each for each in answer.json()["settings"] if each["place"] == ["allow_commands"]]
    assert (changed["value"], changed["source"]) == (["make deploy"], "personal")
    assert next(iter(state.projects.values())).session.settings.allow_commands == ("make deploy",)
    assert not (project / "mulligan.toml").exists()
    assert (tmp_path / "home" / "mulligan.toml").read_text() == 'allow_commands = ["make deploy"]\n'


@pytest.mark.parametrize(
    "place", [["home"], ["models", "other", "top_p"], ["external", "x", "command"], ["database_url"]]
)
async def test_what_is_no_setting_or_fixed_is_refused(
    alone: tuple[ServerState, Client], tmp_path: Path, place: list[str]
) -> None:
    answer = await alone[1].put("settings", json={"place": place, "value": "x"})
    assert answer.status_code == 400
    assert not (tmp_path / "home" / "mulligan.toml").exists()


async def test_what_the_command_line_said_can_not_be_changed(near: Client, project: Path) -> None:
    address = f"/api/projects/{project_id(project)}"
    answer = await near.put(f"{address}/models/chosen", json={"model": "other"})
    assert (answer.status_code, "--model was given" in answer.json()["error"]) == (400, True)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """A catalog with one model of 300 kB, and an engine to run it."""
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    (tmp_path / "catalog.toml").write_text(
        f'default = "tiny"\n[models.tiny]\ntitle = "Tiny"\nfile = "tiny.gguf"\nsize = {len(CONTENT)}\n'
        f'sha256 = "{sha256}"\ncontext = 1024\nagency = "guided"\nmemory = 1\nlicense = "MIT"\n'
        'mirrors = [{kind = "huggingface", repo = "someone/tiny", file = "tiny.gguf"}]\n'
    )
    monkeypatch.setattr(catalog, "_FILE", tmp_path / "catalog.toml")
    for module in (model_pulls, models):
        monkeypatch.setattr(module, "engine_version", lambda: "1.0")
    catalog.load_catalog.cache_clear()
    yield
    catalog.load_catalog.cache_clear()


@asynccontextmanager
async def hub_at(monkeypatch: pytest.MonkeyPatch, *answers: Answer) -> AsyncGenerator[Hub]:
    server = Hub(list(answers))
    async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listener:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}")
        yield server
        await server.hang_up()


async def pulled(state: ServerState, until: Callable[[PullProgress], bool]) -> list[PullProgress]:
    """The frames of downloads, up to one such."""
    seen: list[PullProgress] = []
    page = state.hub.subscribe(since=0, epoch=state.hub.epoch)
    async with asyncio.timeout(PATIENCE):
        while not any(until(each) for each in seen):
            await page.due.wait()
            frames = [json.loads(each.json)["frame"] for each in page.take(1000) or ()]
            seen += [PullProgress.model_validate(each) for each in frames if each["type"] == "pull"]
    state.hub.leave(page)
    return seen


@pytest.mark.usefixtures("tiny")
async def test_a_download_that_was_asked_for_is_shown_and_its_model_can_answer(
    alone: tuple[ServerState, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, client = alone
    async with hub_at(monkeypatch):
        assert (await client.post("models/download", json={"model": "embedded:tiny"})).status_code == 202
        shown = await pulled(state, lambda each: each.state != "under_way")
    assert (shown[-1].state, shown[-1].done) == ("done", len(CONTENT))
    told = await models_of(client)
    assert (told["setup"], told["chosen"], told["embedded"][0]["present"]) == ("ready", "embedded:tiny", True)


@pytest.mark.usefixtures("tiny")
async def test_a_download_is_cancelled_kept_and_gone_on_with(
    alone: tuple[ServerState, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, client = alone
    async with hub_at(monkeypatch, Answer(stall=200_000)) as hub:
        await client.post("models/download", json={"model": "embedded:tiny"})
        await pulled(state, lambda each: each.done > 0)
        assert (await models_of(client))["embedded"][0]["downloading"]
        cancelled = await client.delete("models/download", params={"model": "embedded:tiny"})
        assert cancelled.json() == {"aborted": True}
        (model,) = (await models_of(client))["embedded"]
        assert (model["downloading"], model["present"], model["begun"] > 0) == (False, False, True)
        await client.post("models/download", json={"model": "embedded:tiny"})
        shown = await pulled(state, lambda each: each.state == "done")
    assert [each.state for each in shown if each.state != "under_way"] == ["cancelled", "done"]
    assert hub.ranges == [None, f"bytes={model['begun']}-"]


@pytest.mark.usefixtures("tiny")
async def test_a_download_that_fails_says_why(
    alone: tuple[ServerState, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, client = alone
    async with hub_at(monkeypatch, *[Answer(status=404)] * 9):
        await client.post("models/download", json={"model": "tiny"})
        shown = await pulled(state, lambda each: each.state != "under_way")
    assert (shown[-1].state, "tiny.gguf could not be downloaded" in shown[-1].words) == ("failed", True)


@pytest.mark.usefixtures("tiny")
async def test_without_the_engine_nothing_is_downloaded(
    alone: tuple[ServerState, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_pulls, "engine_version", lambda: None)
    answer = await alone[1].post("models/download", json={"model": "tiny"})
    assert (answer.status_code, "pip install" in answer.json()["error"]) == (400, True)
    assert not alone[0].pulls.under_way("tiny")
