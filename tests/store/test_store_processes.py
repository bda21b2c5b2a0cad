"""Several real processes at one database."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mulligan.store.store import SqlStore, open_store
from mulligan.types.messages import Chat, StepStart, Text, TurnMeta
from mulligan.types.sentinels import Interrupted
from tests.patience import PATIENCE

Process = subprocess.Popen[str]


class Others:
    """Starts processes that end with the test."""

    def __init__(self, address: Path | str, stack: ExitStack) -> None:
        self.address = str(address)
        self.stack = stack

    def start(self, act: str, *arguments: str) -> Process:
        script = Path(__file__).with_name("store_process.py")
        process = subprocess.Popen(
            [sys.executable, script, act, self.address, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.stack.enter_context(process)
        self.stack.callback(process.kill)
        return process


@pytest.fixture
def others(address: Path | str) -> Generator[Others]:
    with ExitStack() as stack:
        yield Others(address, stack)


def let_go(*processes: Process) -> None:
    """All at the same moment, once each has loaded its modules."""
    for process in processes:
        assert hear(process) == "ready"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def hear(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def until_zombie(process: Process) -> None:
    """It has ended, and nobody has asked for its exit code: such a process still has its pid."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


async def test_two_processes_that_write_at_once_lose_nothing(store: SqlStore, chat: Chat, others: Others) -> None:
    writers = [others.start("add", chat.id, name, "60") for name in ("anna", "boris")]
    let_go(*writers)
    assert [writer.wait() for writer in writers] == [0, 0]
    messages = await store.messages.list(chat.id)
    assert [message.seq for message in messages] == list(range(1, 121))
    for name in ("anna", "boris"):
        own = [part.text for message in messages for part in message.parts if isinstance(part, Text)]
        assert [text for text in own if text.startswith(name)] == [f"{name} {number}" for number in range(60)]


def test_processes_that_meet_at_a_fresh_database_all_work(others: Others) -> None:
    openers = [others.start("open") for _ in range(3)]
    let_go(*openers)
    assert [hear(opener) for opener in openers] == ["0"] * 3
    assert [opener.wait() for opener in openers] == [0] * 3


async def test_of_two_processes_that_answer_at_once_exactly_one_wins(
    store: SqlStore, chat: Chat, others: Others
) -> None:
    rivals = [others.start("reply", chat.id) for _ in range(2)]
    let_go(*rivals)
    heard = [hear(rival) for rival in rivals]
    (winner,) = [line for line in heard if not line.startswith("busy")]
    (loser,) = [line for line in heard if line.startswith("busy")]
    assert [message.id for message in await store.messages.list(chat.id)][1:] == [winner]
    assert f"process {rivals[heard.index(winner)].pid} on " in loser


async def test_what_a_killed_process_was_writing_is_swept_by_another(
    address: Path | str, store: SqlStore, chat: Chat, others: Others
) -> None:
    victim = others.start("reply", chat.id)
    let_go(victim)
    message_id = hear(victim)
    sweepers = [others.start("sweep") for _ in range(2)]
    victim.kill()
    until_zombie(victim)
    let_go(*sweepers)
    assert sorted(hear(sweeper) for sweeper in sweepers) == ["", message_id]

    _, failed, sentinel = await store.messages.list(chat.id)
    assert (failed.id, failed.status) == (message_id, "failed")
    assert failed.parts == (StepStart(step=1), Text(text="half a sent"))
    assert isinstance(failed.metadata, TurnMeta)
    assert failed.metadata.stop_reason is None
    assert failed.metadata.explanation == "the process that was answering is gone"
    assert (sentinel.role, sentinel.status, sentinel.metadata) == ("system", "complete", Interrupted())

    again = await open_store(address)
    assert await again.messages.sweep() == []
    await again.close()


async def test_a_process_that_still_answers_is_not_swept(store: SqlStore, chat: Chat, others: Others) -> None:
    alive = others.start("reply", chat.id)
    let_go(alive)
    message_id = hear(alive)
    sweeper = others.start("sweep")
    let_go(sweeper)
    assert hear(sweeper) == ""
    reply = (await store.messages.list(chat.id))[-1]
    assert (reply.id, reply.status) == (message_id, "streaming")


def test_a_process_that_dies_without_closing_its_store_ends(others: Others) -> None:
    process = others.start("die")
    let_go(process)
    assert process.wait(timeout=PATIENCE) == 1
