import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.errors import CallRejected
from mulligan.workspace.process import KeptEnd, OnLine, OutputKeeper, ProcessEnd, run_kept, run_process
from mulligan.workspace.spawning import Launch

ENV = {"PATH": os.environ["PATH"]}


async def shell(
    script: str,
    *,
    cwd: Path = Path("/"),
    time_limit: float = 30,
    output_cap: int = 100_000,
    on_line: OnLine | None = None,
    env: dict[str, str] | None = None,
) -> ProcessEnd:
    return await run_process(
        ["sh", "-c", script],
        cwd=cwd,
        env=ENV if env is None else env,
        time_limit=time_limit,
        output_cap=output_cap,
        on_line=on_line,
    )


@dataclass(frozen=True)
class Pipe:
    """Tells when all who held it open for writing are gone."""

    path: Path
    reading: int

    async def let_go(self) -> bool:
        os.set_blocking(self.reading, True)
        return await asyncio.to_thread(os.read, self.reading, 1) == b""


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield Pipe(path, reading)
    os.close(reading)


async def test_output_and_exit_code_come_back() -> None:
    end = await shell("echo out; echo err >&2; exit 3")

    assert end == ProcessEnd("exited", 3, b"out\n", b"err\n")


async def test_a_death_by_signal_is_a_negative_code() -> None:
    assert (await shell("kill -9 $$")).code == -9


async def test_standard_input_is_closed() -> None:
    assert (await shell("cat; echo done")).stdout == b"done\n"


async def test_nothing_of_our_environment_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")

    assert b"API_KEY" not in (await shell("env", env={**ENV, "GIVEN": "1"})).stdout


async def test_it_runs_in_the_folder_given(root: Path) -> None:
    assert (await shell("pwd -P", cwd=root)).stdout.decode() == f"{root}\n"


async def test_lines_are_handed_over_as_they_come() -> None:
    lines: list[bytes] = []

    end = await shell("printf 'one\\ntw'; printf 'o\\n\\nlast'", on_line=lines.append)

    assert (lines, end.stdout) == ([b"one", b"two", b"", b"last"], b"")


async def test_what_runs_too_long_is_ended_with_all_it_started(pipe: Pipe) -> None:
    # Both the shell and its child hold the pipe open.
    end = await shell(f"exec 9>{pipe.path}; sleep 1000 & wait", time_limit=0.3)

    assert (end.how, end.code) == ("timed_out", None)
    assert await pipe.let_go()


async def test_what_is_cancelled_is_ended_with_all_it_started(pipe: Pipe) -> None:
    begun = asyncio.Event()
    script = f"exec 9>{pipe.path}; sleep 1000 & echo begun; wait"
    run = asyncio.create_task(shell(script, on_line=lambda _line: begun.set()))
    await begun.wait()

    run.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run
    assert await pipe.let_go()


async def test_what_is_left_in_the_background_is_ended_at_exit(pipe: Pipe) -> None:
    end = await shell(f"exec 9>{pipe.path}; sleep 1000 & echo done")

    assert (end.how, end.code, end.stdout) == ("exited", 0, b"done\n")
    assert await pipe.let_go()


async def test_a_flood_is_stopped_at_the_cap() -> None:
    end = await shell("yes", output_cap=10_000)

    assert (end.how, end.code, len(end.stdout)) == ("flooded", None, 10_000)


async def test_a_flood_of_lines_hands_over_only_whole_lines_within_the_cap() -> None:
    lines: list[bytes] = []

    end = await shell("yes 1234567", output_cap=8_004, on_line=lines.append)

    assert end.how == "flooded"
    assert lines == [b"1234567"] * 1_000


async def test_noise_on_the_error_stream_is_cut_and_stops_nothing() -> None:
    end = await shell("head -c 50000 /dev/zero >&2; echo fine", output_cap=1_000)

    assert (end.how, end.stdout, len(end.stderr)) == ("exited", b"fine\n", 1_000)


@pytest.mark.parametrize("argv", [["no-such-command-here"], ["sh", "a\0b"]], ids=["unknown", "an impossible argument"])
async def test_what_can_not_be_started_is_said(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(CallRejected, match="could not be started") as refused:
        await run_process(argv, cwd=tmp_path, env=ENV, time_limit=5, output_cap=1_000)

    assert refused.value.kind == "exec_error"


async def kept(script: str, *, time_limit: float = 30, keep: int = 1_000, grace: float = 30) -> KeptEnd:
    return await run_kept(Launch(["sh", "-c", script], Path("/"), ENV), time_limit=time_limit, keep=keep, grace=grace)


async def test_of_a_flood_the_beginning_and_the_end_are_kept() -> None:
    end = await kept("seq 1 100000; echo oops >&2; exit 3")

    assert (end.timed_out, end.code) == (False, 3)
    assert (len(end.stdout.head), len(end.stdout.tail)) == (400, 600)
    assert bytes(end.stdout.head).startswith(b"1\n2\n3\n")
    assert end.stdout.tail.endswith(b"99999\n100000\n")
    assert bytes(end.stderr.head) + end.stderr.tail == b"oops\n"


async def test_what_is_asked_to_end_may_still_say_something() -> None:
    end = await kept("trap 'echo bye; exit' TERM; echo begun; sleep 1000 & wait", time_limit=0.3)

    assert (end.timed_out, end.code) == (True, None)
    assert bytes(end.stdout.head) == b"begun\nbye\n"


async def test_what_does_not_end_when_asked_is_ended(pipe: Pipe) -> None:
    end = await kept(
        f"trap '' TERM; exec 9>{pipe.path}; echo begun; sleep 1000 & wait; wait", time_limit=0.3, grace=0.1
    )

    assert (end.timed_out, bytes(end.stdout.head)) == (True, b"begun\n")
    assert await pipe.let_go()


async def test_a_process_that_left_the_group_does_not_hold_up_the_end(tmp_path: Path) -> None:
    # It can't be reached by a signal to the group, and holds the output open.
    note = tmp_path / "pid"
    end = await shell(f"setsid sh -c 'echo $$ > {note}; exec sleep 1000' & until [ -s {note} ]; do sleep 0.01; done")
    os.kill(int(note.read_text()), signal.SIGKILL)

    assert (end.how, end.code) == ("exited", 0)


@given(pieces=st.lists(st.binary(max_size=50), max_size=30), cap=st.integers(1, 100))
def test_head_and_tail_are_those_of_the_whole_and_nothing_is_counted_twice(pieces: list[bytes], cap: int) -> None:
    keeper = OutputKeeper(cap)
    for piece in pieces:
        keeper.take(piece)
    whole = b"".join(pieces)

    head, tail = bytes(keeper.head), keeper.tail

    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) + len(tail) + keeper.left_out == len(whole)
    assert len(head) + len(tail) == min(cap, len(whole))
