import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mulligan.runtime.process_trees import MARK, MarkedProcess, marked, process_tree, sweep

Run = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def mark(tmp_path: Path) -> str:
    return f"of-a-test-{tmp_path}"


@pytest.fixture
def run(mark: str) -> Iterator[Run]:
    """Starts a shell script that carries the mark, and waits until it says so."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(script: str, *, carries: str = mark) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            ["sh", "-c", script], env={**os.environ, MARK: carries}, stdout=subprocess.PIPE, start_new_session=True
        )
        processes.append(process)
        assert process.stdout
        process.stdout.readline()
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()


async def test_all_who_carry_the_mark_are_ended_wherever_they_went(run: Run, mark: str) -> None:
    left = run("setsid sleep 1000 & setsid sh -c 'setsid sleep 1000 & echo; sleep 1000' & exec sleep 1000")

    assert await sweep(mark) >= 2  # some may not have begun yet, and never do
    assert await marked(mark) == frozenset()
    assert left.wait() == -9


async def test_nobody_else_is_ended(run: Run, mark: str) -> None:
    other = run("echo; exec sleep 1000", carries=f"{mark}-2")

    assert await sweep(mark) == 0
    assert other.poll() is None


async def test_who_is_to_be_spared_goes_on(run: Run, mark: str) -> None:
    warm = run("echo; exec sleep 1000")
    spare = await marked(mark)
    stray = run("echo; exec sleep 1000")

    assert await sweep(mark, spare=spare) == 1
    assert stray.wait() == -9
    assert warm.poll() is None


async def test_who_starts_others_faster_than_they_are_ended_is_ended(run: Run, mark: str) -> None:
    run("echo; while :; do setsid sleep 1000 & done")

    await sweep(mark)

    assert await marked(mark) == frozenset()


def test_a_family_is_the_root_and_all_that_hang_on_it() -> None:
    root, helper, tool = (MarkedProcess(pid, 1, parent) for pid, parent in ((10, 1), (11, 10), (12, 11)))
    orphan, its_child = MarkedProcess(20, 1, 1), MarkedProcess(21, 1, 20)

    assert process_tree([its_child, tool, orphan, root, helper], 10) == {root, helper, tool}


def test_a_root_that_is_gone_has_no_family() -> None:
    assert process_tree([MarkedProcess(11, 1, 10)], 10) == frozenset()


def test_a_process_stays_the_same_when_its_parent_ends() -> None:
    assert MarkedProcess(11, 5, parent=10) == MarkedProcess(11, 5, parent=1)
    assert MarkedProcess(11, 5, parent=10) != MarkedProcess(11, 6, parent=10)
