import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mulligan.codecontext.examined_file import Job, examine
from mulligan.codecontext.parsing import LARGE, WORTH_PROCESSES, Pool, examine_all
from tests.codecontext.conftest import Project
from tests.patience import PATIENCE


def many(root: Path, files: int) -> list[Job]:
    for number in range(files):
        (root / f"f{number}.py").write_text(f"def function_{number}(): ...\n")
    return [Job(f"f{number}.py", "") for number in range(files)]


def test_many_files_are_parsed_by_processes_as_they_are_here(tmp_path: Path) -> None:
    jobs = many(tmp_path, WORTH_PROCESSES)
    found = list(examine_all(tmp_path, jobs, lambda: False))
    assert sorted(found, key=str) == sorted((examine(tmp_path, job) for job in jobs), key=str)


def test_the_processes_end_with_the_iterator(tmp_path: Path) -> None:
    before = children()
    found = examine_all(tmp_path, many(tmp_path, 400), lambda: False)
    next(found)
    found.close()  # type: ignore[attr-defined]  # it is a generator
    assert children() == before


def test_what_nobody_wants_any_more_is_not_parsed(tmp_path: Path) -> None:
    before = children()
    assert list(examine_all(tmp_path, many(tmp_path, 400), lambda: True)) == []
    assert children() == before


def test_a_process_that_dies_costs_no_result(tmp_path: Path) -> None:
    jobs = many(tmp_path, 300)
    pool = Pool(tmp_path, jobs)
    pool.start(2)
    results = pool.results(lambda: False)
    first = next(results)
    for process in list(pool.running):
        process.kill()
    found = [first, *results]
    pool.close()
    assert sorted(each.path for each in found) == sorted(job.path for job in jobs)


def test_a_missing_file_is_no_failure(tmp_path: Path) -> None:
    found = examine(tmp_path, Job("gone.py", ""))
    assert found.parsed is not None
    assert found.parsed.skipped == "broken"


def test_a_file_that_takes_too_long_is_said_to_be_broken(tmp_path: Path) -> None:
    jobs = many(tmp_path, 2)
    for job in jobs:  # half a second of parsing, and the pool looks at its processes every twentieth
        (tmp_path / job.path).write_text("value = 1\n" * 30_000)
    pool = Pool(tmp_path, jobs, slowest=0)
    pool.start(1)
    found = list(pool.results(lambda: False))
    pool.close()
    assert sorted((each.path, each.parsed and each.parsed.skipped) for each in found) == [
        ("f0.py", "broken"),
        ("f1.py", "broken"),
    ]


def test_a_large_file_is_parsed_apart_with_the_same_result(tmp_path: Path) -> None:
    (tmp_path / "large.py").write_text("value = 1\n" * (LARGE // 10 + 1))
    (tmp_path / "small.py").write_text("value = 1\n")
    jobs = [Job("large.py", "", LARGE + 1), Job("small.py", "", 10)]
    found = list(examine_all(tmp_path, jobs, lambda: False))
    assert found == [examine(tmp_path, job) for job in reversed(jobs)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_overview_is_ended_while_it_parses_one_file(tmp_path: Path, number: signal.Signals) -> None:
    """A million bytes that take a parser long: it is ended far from the end."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "slow.py").write_text(("`${" * 33 + "\n") * 10_000)
    environ = os.environ | {"MULLIGAN_HOME": str(tmp_path / "home")}
    process = subprocess.Popen(
        [sys.executable, "-m", "mulligan", "overview"],
        cwd=root,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    while not _is_parsing(process.pid) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, number)
    said = process.communicate()[1]
    assert (process.returncode, said) == (130 if number == signal.SIGINT else -signal.SIGTERM, "")
    assert left_of_group(process.pid) == []


def _is_parsing(parent: int) -> bool:
    for pid in children_of(parent):
        with contextlib.suppress(OSError):
            if b"mulligan.codecontext.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
    return False


INTERRUPTED = """
import asyncio, sys
from pathlib import Path
from mulligan.codecontext.index import ProjectIndex

async def main(root, cache):
    async def list_files():
        return sorted(path.name for path in root.glob("*.py"))
    print("started", flush=True)
    await ProjectIndex(root, cache, list_files).refresh()

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def test_ctrl_c_leaves_no_process_behind(project: Project) -> None:
    many(project.root, 3_000)
    command = [sys.executable, "-c", INTERRUPTED, str(project.root), str(project.cache)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    while not children_of(process.pid) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    assert left_of_group(process.pid) == []


def children() -> list[int]:
    return children_of(os.getpid())


def children_of(parent: int) -> list[int]:
    return [pid for pid, (ppid, _) in _processes().items() if ppid == parent]


def left_of_group(group: int) -> list[int]:
    """Those of its processes that do not end. Each ends when it has its turn, which on a busy machine takes a moment."""
    until = time.monotonic() + PATIENCE
    while (left := [pid for pid, (_, pgrp) in _processes().items() if pgrp == group]) and time.monotonic() < until:
        time.sleep(0.01)
    return left


def _processes() -> dict[int, tuple[int, int]]:
    """Every process to its parent and its group."""
    found: dict[int, tuple[int, int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, parent, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if state != "Z":
                found[int(folder.name)] = (int(parent), int(group))
    return found
