"""Which model answers, through real servers."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.model_selection import ModelSelector
from mulligan.app.ready_models import Downloads
from mulligan.core.model_downloads import DownloadOffer
from mulligan.models.known.profiles import ProfileCache
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import serve_script
from mulligan.types.errors import ConfigurationError, DownloadNotAllowed
from mulligan.types.model_io import Finished, ModelRequest, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.settings import Settings

TOLD: list[str] = []
"""What the user was told by the room that was made last."""

ASKING = ModelRequest(messages=(UserText("hi"),))


@asynccontextmanager
async def room(
    home: Path,
    environ: dict[str, str] | None = None,
    downloads: Downloads | None = None,
    engine: str | None = "1.0",
    setting: str = "no",
    **settings: Any,
) -> AsyncGenerator[ModelSelector, None]:
    values = {"home": home, "project": home, "discovery": False, "downloads": setting, **settings}
    made = ModelSelector(
        Settings.model_validate(values),
        tell=TOLD.append,
        downloads=downloads or Downloads(),
        environ=environ or {},
        engine=lambda: engine,
    )
    TOLD.clear()
    try:
        yield made
    finally:
        await made.close()


async def ask(made: ModelSelector, name: str | None = None) -> list[object]:
    ready_model = await made.ready(name)
    return [event async for event in ready_model.model.stream(ASKING)]


async def test_a_named_server_is_asked_first_and_about_its_model_beside_it(tmp_path: Path) -> None:
    script = Script.model_validate(
        {"replies": [{"text": "Hello."}], "server_style": {"kind": "llama.cpp", "context_length": 8192}}
    )
    async with serve_script(script) as server:
        async with room(tmp_path, base_url=server.base_url, model="scripted") as made:
            assert isinstance((await ask(made))[-1], Finished)
        assert len(server.requests) == 1
    kept = ProfileCache(tmp_path).get(server.base_url, "scripted")
    assert kept is not None
    assert (kept.kind, kept.context_length) == ("llama.cpp", 8192)


async def test_what_is_known_from_before_is_used_at_once(tmp_path: Path) -> None:
    script = Script.model_validate({"replies": [{"text": "Hello."}], "then": "loop", "server_style": {"kind": "vllm"}})
    async with serve_script(script) as server:
        known = {"server": server.base_url, "model": "m", "context_length": 4096, "agency": "guided"}
        ProfileCache(tmp_path).put(ModelProfile.model_validate(known))
        async with room(tmp_path, base_url=server.base_url, model="m") as made:
            ready_model = await made.ready("m")
            budget = ready_model.budget()
    assert ready_model.agency == "guided"
    assert budget is not None
    assert budget.context_length == 4096


async def test_a_server_that_was_restarted_with_another_context_is_believed_and_the_rest_is_kept(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, base_url="http://127.0.0.1:9/v1", model="m") as made:
        server = (await made.choose("m")).base_url
        known = {"server": server, "model": "m", "context_length": 4096, "native_tools": False, "ability": 0.5}
        ProfileCache(tmp_path).put(ModelProfile.model_validate(known))
        ready_model = await made.ready("m")
        told = {"server": server, "model": "m", "kind": "llama.cpp", "context_length": 16384, "native_tools": True}
        ready_model.adaptive.learn(ModelProfile.model_validate(told))
    kept = ProfileCache(tmp_path).get(server, "m")
    assert kept is not None
    assert (kept.kind, kept.context_length, kept.native_tools, kept.ability) == ("llama.cpp", 16384, False, 0.5)


async def test_the_user_knows_better_than_the_server(tmp_path: Path) -> None:
    script = Script.model_validate(
        {"replies": [{"text": "Hello."}], "server_style": {"kind": "llama.cpp", "context_length": 8192}}
    )
    async with serve_script(script) as server:
        settings: dict[str, Any] = {
            "base_url": server.base_url,
            "context_length": 2048,
            "agency": "guided",
            "protocol": "text",
        }
        async with room(tmp_path, **settings) as made:
            await ask(made)
            ready_model = await made.ready(None)
            budget = ready_model.budget()
    assert budget is not None
    assert (budget.context_length, ready_model.agency, ready_model.adaptive.protocol) == (2048, "guided", "text")


async def test_an_embedded_model_that_may_not_be_downloaded_says_what_to_do(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        with pytest.raises(ConfigurationError, match=r"--base-url.*mulligan models pull qwen2\.5-coder-0\.5b"):
            await made.ready("embedded:qwen2.5-coder-0.5b")


class User:
    """Is asked about downloads, and answers."""

    def __init__(self, *, says: bool) -> None:
        self.asked: list[DownloadOffer] = []
        self._says = says

    async def allow(self, offer: DownloadOffer) -> bool:
        self.asked.append(offer)
        return self._says


async def test_a_user_is_asked_before_a_model_is_downloaded_and_only_once(tmp_path: Path) -> None:
    user = User(says=True)
    async with room(tmp_path, downloads=Downloads(allow=user.allow), setting="ask") as made:
        await made.check(None)
        await made.ready(None, wait=False)
    (offer,) = user.asked
    assert (offer.name, offer.size, offer.folder) == ("qwen2.5-coder-1.5b", 1_117_320_768, str(tmp_path / "models"))
    assert not (tmp_path / "models").exists(), "nothing is fetched before it is needed"


async def test_a_no_is_an_error_that_says_what_else_can_be_done(tmp_path: Path) -> None:
    user = User(says=False)
    async with room(tmp_path, downloads=Downloads(allow=user.allow), setting="ask") as made:
        with pytest.raises(DownloadNotAllowed, match=r"mulligan models pull.*MULLIGAN_DOWNLOADS=yes.*--base-url"):
            await made.ready(None)


async def test_where_nobody_can_be_asked_nothing_is_downloaded(tmp_path: Path) -> None:
    async with room(tmp_path, setting="ask") as made:
        with pytest.raises(DownloadNotAllowed):
            await made.ready(None)


async def test_a_setting_says_yes_in_advance(tmp_path: Path) -> None:
    user = User(says=False)
    async with room(tmp_path, downloads=Downloads(allow=user.allow), setting="yes") as made:
        await made.ready(None, wait=False)
    assert user.asked == []


async def test_without_the_engine_nobody_is_asked_and_the_command_to_install_it_is_told(tmp_path: Path) -> None:
    user = User(says=True)
    async with room(tmp_path, downloads=Downloads(allow=user.allow), engine=None, setting="ask") as made:
        with pytest.raises(ConfigurationError, match=rf"{sys.executable} -m pip install 'xllamacpp>="):
            await made.ready(None)
    assert user.asked == []


async def test_with_nothing_named_and_nothing_found_the_embedded_model_is_chosen(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        choice = await made.choose(None)
    assert (choice.kind, choice.model) == ("embedded", "qwen2.5-coder-1.5b")
    assert TOLD == ["no model is set, so the embedded model qwen2.5-coder-1.5b answers"]


async def test_a_key_in_the_environment_is_offered_and_not_used(tmp_path: Path) -> None:
    async with room(tmp_path, {"OPENAI_API_KEY": "hunter2"}) as made:
        choice = await made.choose(None)
    assert choice.kind == "embedded"
    assert "OPENAI_API_KEY is set" in TOLD[0]
    assert "hunter2" not in "".join(TOLD)


async def test_an_unknown_embedded_model_names_the_near_one(tmp_path: Path) -> None:
    async with room(tmp_path) as made:
        with pytest.raises(ConfigurationError, match="did you mean"):
            await made.choose("embedded:qwen2.5-coder-15b")


async def test_a_context_set_for_a_model_is_asked_for_at_ollama_from_the_first_request_on(tmp_path: Path) -> None:
    script = Script.model_validate(
        {"replies": [{"text": "Hello."}], "then": "loop", "server_style": {"kind": "ollama"}}
    )
    settings: dict[str, Any] = {"models": {"scripted": {"num_ctx": 8192}}}
    async with serve_script(script) as server:
        async with room(tmp_path, base_url=server.base_url, model="scripted", **settings) as made:
            ready_model = await made.ready("scripted")
            budget = ready_model.budget()
            await ask(made)
        sent = [(seen.path, seen.body["options"]["num_ctx"], seen.body["keep_alive"]) for seen in server.requests]
    assert sent == [("/api/chat", 8192, "30m")]
    assert budget is not None
    assert budget.context_length == 8192
    kept = ProfileCache(tmp_path).get(server.base_url, "scripted")
    assert kept is not None
    assert (kept.kind, kept.context_length) == ("ollama", 8192)


async def test_a_context_that_this_machine_has_no_memory_for_is_told(tmp_path: Path) -> None:
    script = Script.model_validate({"replies": [], "server_style": {"kind": "ollama", "trained_length": 10**11}})
    settings: dict[str, Any] = {"models": {"scripted": {"num_ctx": 10**11}}}
    async with (
        serve_script(script) as server,
        room(tmp_path, base_url=server.base_url, model="scripted", **settings) as made,
    ):
        await made.ready("scripted")
    assert any("set a smaller num_ctx" in told for told in TOLD)


async def test_a_context_set_for_another_server_is_told_and_not_sent(tmp_path: Path) -> None:
    script = Script.model_validate({"replies": [{"text": "Hello."}], "server_style": {"kind": "vllm"}})
    settings: dict[str, Any] = {"models": {"scripted": {"num_ctx": 8192}}}
    async with serve_script(script) as server:
        async with room(tmp_path, base_url=server.base_url, model="scripted", **settings) as made:
            await ask(made)
        assert [seen.path for seen in server.requests] == ["/v1/chat/completions"]
    assert any("num_ctx and keep_alive are for Ollama" in told for told in TOLD)
