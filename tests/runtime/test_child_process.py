import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.runtime.child_process import (
    STDERR_LIMIT,
    TAIL_BYTES,
    ChildProcess,
    LineSplitter,
    describe_exit,
)
from mulligan.runtime.process_trees import marked
from mulligan.types.errors import BackendError

MARK = "of-a-test"

Start = Callable[[str], Awaitable[ChildProcess]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a shell script as an agent."""
    children: list[ChildProcess] = []
    mark = f"{MARK}-{tmp_path}"

    async def start(script: str) -> ChildProcess:
        argv = ["sh", "-c", script]
        child = await ChildProcess.start(
            argv,
            name="helper",
            install="pip install helper",
            cwd=tmp_path,
            env=os.environ,
            mark=mark,
            stderr=tmp_path / "logs" / "stderr",
        )
        children.append(child)
        return child

    yield start
    for child in children:
        await child.end(end_of_input=0, terminate=0)
    assert await marked(mark) == frozenset()


async def all_lines(child: ChildProcess) -> list[bytes]:
    lines: list[bytes] = []
    while (line := await child.line()) is not None:
        lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("code", "words"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "SIGKILL"), (-250, "signal 250")]
)
def test_an_exit_has_words(code: int, words: str) -> None:
    assert describe_exit(code) == words


@given(st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line)), st.lists(st.integers(1, 30)))
def test_lines_are_the_same_however_they_are_cut(lines: list[bytes], cuts: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    splitter = LineSplitter()
    taken: list[bytes] = []
    for cut in cuts:
        taken += splitter.take(data[:cut])
        data = data[cut:]

    assert taken + splitter.take(data) == lines


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line)), st.integers(1, 7))
def test_lines_that_are_too_long_are_left_out_and_counted(lines: list[bytes], piece: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    splitter = LineSplitter(limit=6)
    taken = [line for at in range(0, len(data), piece) for line in splitter.take(data[at : at + piece])]

    assert taken == [line for line in lines if len(line) <= 6]
    assert splitter.left_out == len(lines) - len(taken)


async def test_it_is_talked_to_line_by_line(start: Start) -> None:
    child = await start("read word; echo you said $word; printf end")
    await child.write(b"hello\n")

    assert await all_lines(child) == [b"you said hello", b"end"]


async def test_it_carries_the_mark(start: Start) -> None:
    child = await start("echo $MULLIGAN_AGENT_MARK")

    assert await child.line() == child.mark.encode()


async def test_its_exit_is_seen_while_somebody_else_holds_its_output(start: Start) -> None:
    child = await start("setsid sleep 1000 & echo last; exit 3")

    assert await all_lines(child) == [b"last"]
    assert await child.exited() == 3


async def test_writing_to_one_that_is_gone_is_a_connection_error(start: Start) -> None:
    child = await start("exit 0")
    await child.exited()

    with pytest.raises(ConnectionError):
        await child.write(b"x" * 1_000_000)


async def test_an_exit_that_does_not_come_is_not_waited_for(start: Start) -> None:
    child = await start("read forever")

    assert await child.exited(within=0) is None
    assert child.exit_code is None


async def test_the_tail_of_its_errors_is_told_without_colours(start: Start) -> None:
    child = await start("printf 'begin %05000d\\n' 0 >&2; printf '\\033[31mred\\033[0m\\a end\\n' >&2")
    await child.exited()

    tail = child.stderr_tail()
    assert tail.endswith("0\nred end")
    assert len(tail) <= TAIL_BYTES


async def test_errors_of_a_process_before_it_are_not_told(start: Start) -> None:
    first = await start("echo mine >&2")
    await first.end()
    second = await start("exit 1")
    await second.exited()

    assert second.stderr_tail() == ""


async def test_a_file_of_errors_that_is_too_large_begins_anew(start: Start, tmp_path: Path) -> None:
    child = await start(f"head -c {STDERR_LIMIT + 1} /dev/zero >&2; echo full; read go; echo after >&2")
    await child.line()

    child.trim_stderr()
    await child.write(b"go\n")
    await child.exited()

    assert child.stderr_tail() == "after"
    assert (tmp_path / "logs" / "stderr").stat().st_size == len("after\n")


@pytest.mark.parametrize(
    ("script", "how"),
    [
        pytest.param("echo; cat; exit 4", "exit code 4", id="by the end of its input"),
        pytest.param("echo; sleep 1000", "SIGTERM", id="by a signal"),
        pytest.param("trap '' TERM; echo; sleep 1000", "SIGKILL", id="by force"),
    ],
)
async def test_it_is_ended(start: Start, script: str, how: str) -> None:
    child = await start(script)
    await child.line()

    patient = how == "exit code 4"
    await child.end(end_of_input=30 if patient else 0.05, terminate=30 if how == "SIGTERM" else 0.05)

    assert describe_exit(child.exit_code or 0) == how


async def test_all_that_it_started_ends_with_it(start: Start) -> None:
    child = await start("setsid sleep 1000 & sleep 1000 & echo; cat")
    await child.line()

    await child.end()

    assert await marked(child.mark) == frozenset()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        pytest.param(["no-such-helper"], "there is no command no-such-helper. Install it with: pip install helper"),
        pytest.param(["/"], "Permission denied"),
        pytest.param(["a\0b"], "null byte"),
    ],
    ids=["not there", "not a program", "not a name"],
)
async def test_why_it_can_not_be_started_is_told(tmp_path: Path, argv: list[str], words: str) -> None:
    with pytest.raises(BackendError, match=f"helper could not be started: .*{words}"):
        await ChildProcess.start(
            argv,
            name="helper",
            install="pip install helper",
            cwd=tmp_path,
            env=os.environ,
            mark=MARK,
            stderr=tmp_path / "stderr",
        )


DIES = """
import asyncio, os, pathlib, sys
from mulligan.runtime.child_process import ChildProcess

async def main(folder):
    script = "setsid sleep 1000 & trap '' TERM; echo; sleep 1000"
    child = await ChildProcess.start(
        ["sh", "-c", script], name="helper", cwd=folder, env=os.environ, mark=sys.argv[2], stderr=folder / "stderr"
    )
    await child.line()
    print("started", flush=True)
    await child.exited()

asyncio.run(main(pathlib.Path(sys.argv[1])))
"""


async def test_all_of_it_ends_if_we_are_killed(tmp_path: Path) -> None:
    mark = f"{MARK}-{tmp_path}"
    us = await asyncio.create_subprocess_exec(
        sys.executable, "-c", DIES, str(tmp_path), mark, stdout=asyncio.subprocess.PIPE
    )
    assert us.stdout
    assert await us.stdout.readline() == b"started\n"

    us.send_signal(signal.SIGKILL)
    await us.wait()

    async with asyncio.timeout(30):
        while await marked(mark):
            pass
