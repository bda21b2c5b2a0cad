"""Commands that are forked from a loaded program do what typed ones do."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from mulligan.drill.commands import MARK, CommandEnd, WarmCommands, loaded
from mulligan.drill.other_agent import proxy_address
from mulligan.models.scripted.script import Script, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.runtime.marked_processes import marked
from mulligan.types.errors import MulliganError

HANGS = Script(replies=(ScriptedReply(text="Let me see", hang=1),))


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def commands() -> AsyncGenerator[WarmCommands]:
    async with loaded() as started:
        yield started


async def run(commands: WarmCommands, folder: Path, *words: str, patience: float = 60.0) -> CommandEnd:
    env = {**os.environ, "MULLIGAN_HOME": str(folder / "home"), "MULLIGAN_DISCOVERY": "no"}
    return await commands.run([*words, "-C", str(folder)], folder=folder, env=env, time_limit=patience)


async def test_exit_code_and_both_outputs_come_back(commands: WarmCommands, tmp_path: Path) -> None:
    listed = await run(commands, tmp_path, "agents", "--json")
    assert (listed.code, listed.stderr) == (0, b"")
    assert "coder" in [json.loads(line)["name"] for line in listed.stdout.splitlines()]
    refused = await run(commands, tmp_path, "restore", "nobody", "--yes")
    assert (refused.code, refused.stdout) == (2, b"")
    assert refused.stderr.startswith(b"mulligan: ")


async def test_each_has_its_own_environment_and_folder(commands: WarmCommands, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    await asyncio.gather(*(run(commands, folder, "chats", "list") for folder in folders))
    assert [(folder / "home" / "mulligan.db").exists() for folder in folders] == [True, True]


async def test_one_that_takes_too_long_is_ended(commands: WarmCommands, tmp_path: Path) -> None:
    async with serve_script(HANGS) as server:
        ended = await run(commands, tmp_path, "ask", "hm?", "--base-url", server.base_url, "--model", "m", patience=1.0)
        assert ended.code is None


async def test_when_it_is_left_nothing_runs(tmp_path: Path) -> None:
    async with serve_script(HANGS) as server, loaded() as commands:
        words = ("ask", "hm?", "--base-url", server.base_url, "--model", "m")
        asking = asyncio.create_task(run(commands, tmp_path, *words))
        await server.asked(1)
        assert marked(f"{MARK}={commands.mark}")
        asking.cancel()
        await asyncio.wait([asking])
    assert not marked(f"{MARK}={commands.mark}")


async def test_if_the_loaded_program_dies_it_is_said(tmp_path: Path) -> None:
    async with serve_script(HANGS) as server, loaded() as commands:
        words = ("ask", "hm?", "--base-url", server.base_url, "--model", "m")
        asking = asyncio.create_task(run(commands, tmp_path, *words))
        await server.asked(1)
        os.killpg(commands.process.pid, signal.SIGKILL)
        with pytest.raises(MulliganError, match="is gone"):
            await asking
        with pytest.raises(MulliganError, match="is gone"):
            await run(commands, tmp_path, "agents")


async def test_one_that_serves_is_asked_to_end_when_its_client_is_done(commands: WarmCommands, tmp_path: Path) -> None:
    said: list[str] = []

    async def client(stderr: Path) -> None:
        said.append(await proxy_address(stderr))

    env = {**os.environ, "MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    async with serve_script(HANGS) as server:
        words = ("proxy", "--upstream", server.base_url, "--port", "0", "--json")
        ended = await commands.run(words, folder=tmp_path, env=env, time_limit=60.0, meanwhile=client)
    assert ended.code == 0
    assert said[0].startswith("http://127.0.0.1:")


async def test_nobody_waits_for_one_that_ends_before_its_client(commands: WarmCommands, tmp_path: Path) -> None:
    env = {**os.environ, "MULLIGAN_HOME": str(tmp_path / "home")}

    async def client(stderr: Path) -> None:
        await proxy_address(stderr)

    words = ("proxy", "--off", "nothing")
    ended = await commands.run(words, folder=tmp_path, env=env, time_limit=60.0, meanwhile=client)
    assert ended.code == 2
    assert b"'nothing' is nothing to switch off" in ended.stderr
