import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from mulligan.codecontext.examine import Job, examine
from mulligan.codecontext.parsing import WORTH_PROCESSES, Pool, examine_all
from tests.codecontext.conftest import Project


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
    assert members_of_group(process.pid) == []


def children() -> list[int]:
    return children_of(os.getpid())


def children_of(parent: int) -> list[int]:
    return [pid for pid, (ppid, _) in _processes().items() if ppid == parent]


def members_of_group(group: int) -> list[int]:
    return [pid for pid, (_, pgrp) in _processes().items() if pgrp == group]


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
