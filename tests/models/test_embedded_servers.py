"""Servers of embedded models: real child processes with an engine that needs no model."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.embedded.model import EmbeddedModel
from mulligan.models.embedded.run_files import ServerFiles, find_running, lock_holder
from mulligan.models.embedded.servers import EmbeddedServers
from mulligan.models.wire.openai_chat import list_models
from mulligan.types.errors import ConfigurationError, ModelError, ModelRejected, ReplyCutOff
from mulligan.types.model_io import ModelEvent, ModelRequest, TextDelta, UserText
from tests.patience import PATIENCE

ENGINE = "tests.models.fake_engine"
HELLO = ModelRequest(messages=(UserText("hello"),))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent.parent))
    return tmp_path / "home"


@pytest.fixture
async def servers(home: Path) -> AsyncGenerator[EmbeddedServers]:
    started = EmbeddedServers(home, engine=ENGINE)
    yield started
    await started.stop_all()


Behaving = Callable[..., Path]


@pytest.fixture
def behaving(tmp_path: Path) -> Behaving:
    """A model file that makes the engine behave so."""

    def write(**manner: Any) -> Path:
        file = tmp_path / "tiny.gguf"
        file.write_text(json.dumps(manner), encoding="utf-8")
        return file

    return write


def starts(file: Path) -> int:
    """How often a model was loaded."""
    return len((file.parent / "starts").read_text(encoding="utf-8").splitlines())


def looks(file: Path) -> list[str]:
    """What the child saw each time it looked whether the engine was busy."""
    written = file.parent / "looks"
    return written.read_text(encoding="utf-8").splitlines() if written.exists() else []


async def text_of(model: EmbeddedModel) -> str:
    return "".join([event.text async for event in model.stream(HELLO) if isinstance(event, TextDelta)])


async def test_a_server_is_started_on_demand(servers: EmbeddedServers, behaving: Behaving) -> None:
    server = await servers.ensure("tiny", behaving(), context=2048)
    assert await list_models(server.base_url, server.api_key) == [server.model]


async def test_what_the_server_has_room_for_is_told(servers: EmbeddedServers, behaving: Behaving) -> None:
    server = await servers.ensure("tiny", behaving(), context=8192)
    assert server.context == 4096


async def test_a_running_server_is_used_again(servers: EmbeddedServers, behaving: Behaving, home: Path) -> None:
    file = behaving()
    first = await servers.ensure("tiny", file, context=2048)
    assert await servers.ensure("tiny", file, context=2048) == first
    assert await EmbeddedServers(home, engine=ENGINE).ensure("tiny", file, context=1024) == first


async def test_commands_that_start_at_once_share_one_server(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    file = behaving()
    commands = [servers, *(EmbeddedServers(home, engine=ENGINE) for _ in range(2))]
    found = await asyncio.gather(*(command.ensure("tiny", file, context=2048) for command in commands))
    assert len(set(found)) == 1
    assert starts(file) == 1


@pytest.mark.parametrize(
    ("other", "context"),
    [pytest.param("other.gguf", 2048, id="another file"), pytest.param("tiny.gguf", 4096, id="more context")],
)
async def test_a_server_that_does_not_fit_is_replaced(
    servers: EmbeddedServers, behaving: Behaving, other: str, context: int
) -> None:
    file = behaving()
    first = await servers.ensure("tiny", file, context=2048)
    wanted = file.with_name(other)
    wanted.write_text("{}", encoding="utf-8")
    assert await servers.ensure("tiny", wanted, context=context) != first


async def test_without_the_key_nothing_is_answered(servers: EmbeddedServers, behaving: Behaving) -> None:
    server = await servers.ensure("tiny", behaving(), context=2048)
    with pytest.raises(ModelRejected):
        await list_models(server.base_url, "guessed")


async def test_run_file_and_log_are_private(servers: EmbeddedServers, behaving: Behaving, home: Path) -> None:
    await servers.ensure("tiny", behaving(), context=2048)
    places = ServerFiles(home, "tiny")
    assert {stat.S_IMODE(file.stat().st_mode) for file in (places.run, places.lock, places.log)} == {0o600}


async def test_a_killed_server_leaves_nothing_that_is_believed(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    file = behaving()
    first = await servers.ensure("tiny", file, context=2048)
    await kill(servers, ServerFiles(home, "tiny"))
    assert ServerFiles(home, "tiny").run.exists()
    assert find_running(ServerFiles(home, "tiny")) is None
    assert await servers.ensure("tiny", file, context=2048) != first


async def test_a_server_that_answers_wrongly_is_replaced(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    await servers.ensure("tiny", behaving(deaf=True), context=2048)
    file = behaving()
    await EmbeddedServers(home, engine=ENGINE).ensure("tiny", file, context=2048)
    assert starts(file) == 2


async def test_progress_is_told_while_the_model_loads(
    servers: EmbeddedServers, behaving: Behaving, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        gate.touch()

    await servers.ensure("tiny", behaving(wait_for=str(gate)), context=2048, tell=tell)
    assert told[0] == "loading tiny"


async def test_a_model_that_can_not_be_loaded_says_why_and_where_the_log_is(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    with pytest.raises(ModelError) as caught:
        await servers.ensure("tiny", behaving(fail="invalid magic characters"), context=2048)
    assert "invalid magic characters" in str(caught.value)
    assert str(ServerFiles(home, "tiny").log) in str(caught.value)
    assert not caught.value.worth_retrying


async def test_a_server_killed_while_it_loads_points_to_memory(servers: EmbeddedServers, behaving: Behaving) -> None:
    with pytest.raises(ModelError, match="out of memory"):
        await servers.ensure("tiny", behaving(crash=True), context=2048)


async def test_a_missing_engine_says_what_to_install(servers: EmbeddedServers, behaving: Behaving) -> None:
    with pytest.raises(ConfigurationError, match=r"-m pip install 'xllamacpp"):
        await servers.ensure("tiny", behaving(missing=True), context=2048)


async def test_a_home_that_can_not_be_written_is_the_users_to_mend(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    home.write_text("a file", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="can't be used"):
        await servers.ensure("tiny", behaving(), context=2048)


async def test_another_command_learns_why_the_one_it_waited_for_failed(behaving: Behaving, home: Path) -> None:
    file = behaving(fail="tensor data out of bounds")
    waiting = (EmbeddedServers(home, engine=ENGINE).ensure("tiny", file, context=2048) for _ in range(3))
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert all("tensor data out of bounds" in str(end) for end in ends)


async def test_a_stopped_server_is_gone(servers: EmbeddedServers, behaving: Behaving, home: Path) -> None:
    await servers.ensure("tiny", behaving(), context=2048)
    assert await servers.stop("tiny")
    assert not servers.is_up("tiny")
    assert not ServerFiles(home, "tiny").run.exists()
    assert not await servers.stop("tiny")


async def test_a_server_that_still_loads_can_be_stopped(
    servers: EmbeddedServers, behaving: Behaving, tmp_path: Path
) -> None:
    loading = asyncio.Event()
    file = behaving(wait_for=str(tmp_path / "never"))
    task = asyncio.create_task(servers.ensure("tiny", file, context=2048, tell=lambda _line: loading.set()))
    await loading.wait()
    await until(lambda: servers.is_up("tiny"))
    assert await servers.stop("tiny")
    with pytest.raises(ModelError, match="signal 15"):
        await task


async def test_stop_all_names_what_it_stopped(servers: EmbeddedServers, behaving: Behaving) -> None:
    for name in ("one", "two"):
        await servers.ensure(name, behaving(), context=2048)
    await servers.stop("one")
    assert await servers.stop_all() == ["two"]


async def test_a_server_nobody_uses_ends_by_itself(home: Path, behaving: Behaving) -> None:
    servers = EmbeddedServers(home, engine=ENGINE, idle_seconds=0.2)
    await servers.ensure("tiny", behaving(), context=2048)
    await ended(servers)
    assert not ServerFiles(home, "tiny").run.exists()


async def test_a_server_that_can_not_be_found_any_more_ends(home: Path, behaving: Behaving) -> None:
    servers = EmbeddedServers(home, engine=ENGINE, idle_seconds=0.4)
    await servers.ensure("tiny", behaving(), context=2048)
    ServerFiles(home, "tiny").run.unlink()
    await ended(servers)


async def test_a_server_that_answers_does_not_end(home: Path, behaving: Behaving) -> None:
    servers = EmbeddedServers(home, engine=ENGINE, idle_seconds=0.2)
    file = behaving(hang=True)
    model = EmbeddedModel(servers, "tiny", file, context=2048)
    reply = model.stream(HELLO)
    assert isinstance(await anext(reply), TextDelta)
    # Four looks make the idle time.
    await until(lambda: looks(file).count("busy") >= 10)
    assert servers.is_up("tiny")
    await reply.aclose()
    await model.aclose()
    await ended(servers)


async def test_the_server_holds_none_of_the_commands_pipes(home: Path, behaving: Behaving) -> None:
    code = (
        "import asyncio, pathlib, sys; from mulligan.models.embedded.servers import EmbeddedServers\n"
        f"asyncio.run(EmbeddedServers(pathlib.Path(sys.argv[1]), engine={ENGINE!r})"
        ".ensure('tiny', pathlib.Path(sys.argv[2]), context=2048))\n"
    )
    # Reading to the end of its output would wait for whoever holds the pipe.
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code, str(home), str(behaving())],
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    servers = EmbeddedServers(home, engine=ENGINE)
    pid = lock_holder(ServerFiles(home, "tiny"))
    assert pid is not None
    assert os.getsid(pid) == pid
    assert await servers.stop("tiny")


async def test_a_model_starts_its_server_and_answers(servers: EmbeddedServers, behaving: Behaving, home: Path) -> None:
    model = EmbeddedModel(servers, "tiny", behaving(), context=2048)
    assert model.name == "embedded:tiny"
    assert await text_of(model) == f"pid {lock_holder(ServerFiles(home, 'tiny'))}"
    await model.aclose()


async def test_a_crash_in_mid_answer_is_a_cut_reply_that_names_the_log(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    model = EmbeddedModel(servers, "tiny", behaving(hang=True), context=2048)
    reply = model.stream(HELLO)
    await anext(reply)
    await kill(servers, ServerFiles(home, "tiny"))
    with pytest.raises(ReplyCutOff, match="is gone") as caught:
        await rest(reply)
    assert str(ServerFiles(home, "tiny").log) in str(caught.value)
    await model.aclose()


async def test_after_a_crash_the_next_request_starts_a_new_server(
    servers: EmbeddedServers, behaving: Behaving, home: Path
) -> None:
    model = EmbeddedModel(servers, "tiny", behaving(), context=2048)
    before = await text_of(model)
    await kill(servers, ServerFiles(home, "tiny"))
    assert await text_of(model) not in ("", before)
    await model.aclose()


async def rest(reply: AsyncGenerator[ModelEvent]) -> list[ModelEvent]:
    return [event async for event in reply]


async def kill(servers: EmbeddedServers, places: ServerFiles) -> None:
    pid = lock_holder(places)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await ended(servers)


async def ended(servers: EmbeddedServers) -> None:
    await until(lambda: not servers.is_up("tiny"))


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110 - another process makes it so
        await asyncio.sleep(0.01)
