"""A drill that can't fail shows nothing: whatever guard is broken, it has to notice."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

import mulligan
from mulligan.drill import player
from mulligan.drill.commands import MARK, WarmCommands
from mulligan.drill.fault import Outcome
from mulligan.drill.gallery import GALLERY
from mulligan.drill.player import play_all
from mulligan.runtime.marked_processes import end_marked
from tests.drill import broken_process
from tests.drill.mutations import Mutation, mutations

SOURCE = Path(mulligan.__file__).parent
ALL = mutations()
EVERY = 8
"""That the drill can notice is shown by every so-manyth of each group; `make explore` plays all."""
PATIENCE = 60


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, to be broken."""
    copied = tmp_path_factory.mktemp("broken") / "mulligan"
    # With what is compiled already: the times of the files are kept, so it is still good.
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("page"))
    return copied


@pytest.fixture(scope="session")
def address(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a process listens that has the copy loaded as it is."""
    path = str(tmp_path_factory.mktemp("listening") / "socket")
    environ = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-P", str(broken_process.__file__), path]
    with subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield path
        process.kill()


@pytest.fixture
def broken(copy: Path, request: pytest.FixtureRequest) -> Iterator[Mutation]:
    mutation: Mutation = request.param
    file = copy.parent.joinpath(*mutation.module.split(".")).with_suffix(".py")
    whole = file.read_text(encoding="utf-8")
    times = file.stat()
    file.write_text(whole + mutation.source(), encoding="utf-8")
    yield mutation
    file.write_text(whole, encoding="utf-8")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(each, id=each.breaks.replace(" ", "-"), marks=[pytest.mark.breadth] if number % EVERY else [])
        for group in ALL.values()
        for number, each in enumerate(group)
    ],
    indirect=True,
)
async def test_the_drill_notices(broken: Mutation, copy: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The commands run what is broken. What plays them and looks at them is whole.
    monkeypatch.setenv("PYTHONPATH", str(copy.parent))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(player, "loaded", lambda: broken_commands(broken.module, address))
    outcomes: list[Outcome] = []
    chosen = [fault for fault in GALLERY if fault.name in broken.noticed_by]
    ended = await play_all(chosen, on_start=lambda _: None, on_end=outcomes.append)
    assert {each.name for each in outcomes if not each.holds} == set(broken.noticed_by), outcomes
    assert ended.exit_code == 1
    # What is broken is wrong, and runs: a command that can't even do that shows nothing about the guard.
    assert not [each for each in outcomes if " is not defined" in str(each.problems)], outcomes
    assert broken.why_it_can_not_run() == ""


@pytest.mark.parametrize(
    ("module", "fault"),
    [("mulligan.types.errors", "dead-server"), ("mulligan.workspace.sandbox.detect", "read-home-landlock")],
)
async def test_what_is_loaded_again_and_not_broken_holds(
    module: str, fault: str, copy: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(copy.parent))
    monkeypatch.setattr(player, "loaded", lambda: broken_commands(module, address))
    outcomes: list[Outcome] = []
    chosen = [each for each in GALLERY if each.name == fault]
    await play_all(chosen, on_start=lambda _: None, on_end=outcomes.append)
    assert [each.holds for each in outcomes] == [True], outcomes


@asynccontextmanager
async def broken_commands(module: str, address: str) -> AsyncGenerator[WarmCommands]:
    """As `mulligan.drill.commands.loaded`, from a process that need not load all of it."""
    mark = uuid4().hex
    reader, writer = await asyncio.open_unix_connection(address, limit=1_000_000)
    writer.write(json.dumps({"module": module, "env": {**os.environ, MARK: mark}}).encode())
    pid: int = json.loads(await asyncio.wait_for(reader.readline(), PATIENCE))["pid"]
    process: Any = SimpleNamespace(stdin=writer, stdout=reader)
    commands = WarmCommands(process, mark)
    listening = asyncio.create_task(commands.listen())
    try:
        yield commands
    finally:
        listening.cancel()
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        end_marked(f"{MARK}={mark}", one_look_will_do=True)
        writer.close()


def test_every_fault_can_be_brought_to_fail() -> None:
    noticed = {name for group in ALL.values() for mutation in group for name in mutation.noticed_by}
    assert noticed == {fault.name for fault in GALLERY}


def test_what_is_broken_is_still_there() -> None:
    assert [each.target for group in ALL.values() for each in group if not each.is_there()] == []


def test_what_is_put_in_its_place_can_run() -> None:
    found = [each.why_it_can_not_run() for group in ALL.values() for each in group]
    assert [each for each in found if each] == []


def test_no_two_faults_have_one_name() -> None:
    assert len({fault.name for fault in GALLERY}) == len(GALLERY)
