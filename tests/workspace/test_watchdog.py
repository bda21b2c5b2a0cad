"""Nothing that a command started outlives it, or the process that ran it.

Whatever a command starts holds a pipe open; its other end tells when the last of them is gone.
"""

import asyncio
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan.workspace.process import KeptEnd, run_kept
from mulligan.workspace.spawning import Launch

PROCESS = Path(__file__).with_name("commanding_process.py")
SOON = 30
"""Seconds: only a test that fails takes so long."""

ALONE = "exec sleep 60"
IN_THE_BACKGROUND = "sleep 60 & sleep 60 & wait"
DEAF = "trap '' TERM HUP INT; sleep 60 & wait; wait"
IN_ANOTHER_SESSION = "setsid sleep 60 & setsid sh -c 'setsid sleep 60 & sleep 60' & wait"
FORKING = "(while :; do setsid sh -c 'sleep 60 & sleep 60 &'; done) & setsid sh -c 'while :; do sleep 0.01; done'"

linux_only = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="other processes can't be looked into")

SCRIPTS = [
    pytest.param(ALONE, id="alone"),
    pytest.param(IN_THE_BACKGROUND, id="in the background"),
    pytest.param(DEAF, id="deaf to signals"),
    pytest.param(IN_ANOTHER_SESSION, id="in another session", marks=linux_only),
    pytest.param(FORKING, id="forking all the time", marks=linux_only),
]


class Pipe:
    """Held open by all that a command starts."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._path = path
        self._reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self._reading, True)

    def held_by(self, script: str) -> str:
        return f"exec 9>{self._path}; echo begun >&9; {script}"

    async def begun(self) -> None:
        ready, _, _ = await asyncio.to_thread(select.select, [self._reading], [], [], SOON)
        assert ready
        assert os.read(self._reading, 100) == b"begun\n"

    async def let_go(self) -> bool:
        """Whatever was written and not read is skipped."""
        async with asyncio.timeout(SOON):
            while await asyncio.to_thread(os.read, self._reading, 100):
                """There is more to come."""
        return True

    def close(self) -> None:
        os.close(self._reading)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    pipe = Pipe(tmp_path / "pipe")
    yield pipe
    pipe.close()


async def run(script: str, *, time_limit: float = 60) -> KeptEnd:
    env = {"PATH": os.environ["PATH"]}
    return await run_kept(Launch(["sh", "-c", script], Path("/"), env), time_limit=time_limit, keep=10_000, grace=0.1)


def kept(end: KeptEnd) -> list[str]:
    return bytes(end.stdout.head).decode().split()


@pytest.mark.parametrize("script", SCRIPTS)
async def test_all_is_gone_soon_after_the_process_that_ran_it_is_killed(pipe: Pipe, script: str) -> None:
    victim = await asyncio.create_subprocess_exec(sys.executable, PROCESS, pipe.held_by(script))
    await pipe.begun()
    victim.kill()
    await victim.wait()
    assert await pipe.let_go()


@pytest.mark.parametrize("script", SCRIPTS)
async def test_all_is_gone_when_it_is_cancelled(pipe: Pipe, script: str) -> None:
    running = asyncio.create_task(run(pipe.held_by(script)))
    await pipe.begun()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await pipe.let_go()


@pytest.mark.parametrize("script", SCRIPTS)
async def test_all_is_gone_at_the_time_limit(pipe: Pipe, script: str) -> None:
    assert (await run(pipe.held_by(script), time_limit=0.4)).timed_out
    assert await pipe.let_go()


@linux_only
async def test_what_left_the_group_is_gone_when_the_command_has_ended(pipe: Pipe) -> None:
    running = asyncio.create_task(run(pipe.held_by("setsid sleep 60 & exit 3")))
    await pipe.begun()
    assert (await running).code == 3
    assert await pipe.let_go()


async def test_a_command_in_a_command_ends_with_the_outer_one(pipe: Pipe) -> None:
    inner = pipe.held_by(DEAF).replace("'", "'\\''")
    running = asyncio.create_task(run(f"{sys.executable} {PROCESS} '{inner}'"))
    await pipe.begun()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await pipe.let_go()


@linux_only
async def test_the_end_of_a_command_leaves_another_one_alone(pipe: Pipe) -> None:
    other = asyncio.create_task(run(pipe.held_by("setsid sleep 60 & read -r never; echo unharmed"), time_limit=60))
    await pipe.begun()
    await run("setsid sleep 60 & true")
    assert kept(await other) == ["unharmed"]


@linux_only
async def test_a_command_holds_no_descriptor_of_ours() -> None:
    one, other = await asyncio.gather(*(run("sleep 0.1; ls /proc/$$/fd; true") for _ in range(2)))
    assert kept(one) == kept(other) == ["0", "1", "2"]


def test_no_process_is_left_behind_a_command_that_ended() -> None:
    done = subprocess.run([sys.executable, PROCESS, "true"], capture_output=True, text=True, check=True)
    assert done.stdout == "no child"
