"""Reading a project for the first time: by one process, in the background, and from where another one was killed."""

import asyncio
import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

import mulligan.codecontext.index as index_module
import mulligan.codecontext.update as update_module
from mulligan.codecontext.cache import cache_file
from mulligan.codecontext.disk_watch import DiskWatch
from mulligan.codecontext.examined_file import Job
from mulligan.codecontext.index import ProjectIndex
from mulligan.codecontext.update import nearest_and_largest
from mulligan.types.codecontext import IndexProgress
from mulligan.types.errors import CallRejected
from tests.codecontext.conftest import Project
from tests.patience import PATIENCE


@contextmanager
def another_reads(project: Project) -> Generator[None]:
    """As if another process was just reading the project."""
    path = cache_file(project.cache, project.root.resolve()).with_suffix(".db-lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
async def impatient(project: Project) -> AsyncGenerator[ProjectIndex]:
    """An index that answers in part at once."""
    made = ProjectIndex(project.root, project.cache, project.list_files, partial_after_seconds=0.05)
    yield made
    made.close()


async def test_each_file_is_read_by_one_of_several(project: Project) -> None:
    project.write({f"f{number}.py": f"def function_{number}(): ...\n" for number in range(60)})
    indexes = [project.index() for _ in range(3)]
    states = await asyncio.gather(*(index.refresh() for index in indexes))
    assert ([state.files for state in states], sum(state.parsed for state in states)) == ([60] * 3, 60)


async def test_what_another_read_while_we_looked_is_not_read_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({f"f{number}.py": f"def function_{number}(): ...\n" for number in range(20)})
    late, early = project.index(), project.index()
    looked, let_on, real = threading.Event(), threading.Event(), update_module.digest_of

    def digest_of(hashes: Mapping[str, str]) -> str:
        if not looked.is_set():  # the late one has read what is known, and lists files next
            looked.set()
            assert let_on.wait(PATIENCE)
        return real(hashes)

    monkeypatch.setattr(update_module, "digest_of", digest_of)
    waiting = asyncio.create_task(late.refresh())
    await asyncio.to_thread(looked.wait, PATIENCE)
    first = await early.refresh()
    let_on.set()
    assert (first.parsed, (await waiting).parsed) == (20, 0)


async def test_who_waits_for_another_is_told_how_far_that_one_is(project: Project) -> None:
    project.write({"a.py": "def first(): ...\n"})
    await project.index().refresh()
    project.write({"b.py": "def second(): ...\n"})
    told: asyncio.Queue[IndexProgress] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    index = ProjectIndex(
        project.root,
        project.cache,
        project.list_files,
        on_progress=lambda now: asyncio.run_coroutine_threadsafe(told.put(now), loop) and None,
    )
    with another_reads(project):
        waiting = asyncio.create_task(index.refresh())
        assert await asyncio.wait_for(told.get(), PATIENCE) == IndexProgress(1, 2)
        assert not waiting.done()
    assert (await waiting).parsed == 1
    while await asyncio.wait_for(told.get(), PATIENCE) != IndexProgress():
        pass
    index.close()


async def test_who_reads_many_files_says_so_at_once_and_when_it_is_done(project: Project) -> None:
    project.write({f"f{number}.py": "x = 1\n" for number in range(200)})
    told: list[IndexProgress] = []
    index = ProjectIndex(project.root, project.cache, project.list_files, on_progress=told.append)
    await index.refresh()
    index.close()
    assert (told[0], told[-1]) == (IndexProgress(0, 200), IndexProgress())


async def test_a_prompt_answer_is_from_what_was_read_and_says_so(project: Project, impatient: ProjectIndex) -> None:
    project.write({"a.py": "def first(): ...\n", "pyproject.toml": "[project]\nname = 'shop'\n"})
    await project.index().refresh()
    project.write({"b.py": "def second(): ...\n"})
    with another_reads(project):
        asking = asyncio.create_task(impatient.refresh())
        async with asyncio.timeout(PATIENCE):
            while not impatient.progress().of:
                await asyncio.wait({asking}, timeout=0.01)
        found, so_far = await impatient.promptly(lambda code: code.search_symbols("first"))
        assert ([each.name for each in found], so_far) == (["first"], IndexProgress(2, 3))
        overview, _ = await impatient.promptly(lambda code: code.overview())
        assert (overview.files, [each.path for each in overview.important]) == (2, ["a.py"])
        (manifest,), _ = await impatient.promptly(lambda code: code.frameworks())
        assert manifest.name == "shop"
        with pytest.raises(CallRejected, match=r"no symbol second .*Not all files have been read yet"):
            await impatient.promptly(lambda code: code.symbol("second"))
    (second,) = await impatient.symbol("second")
    assert second.symbol.path == "b.py"
    found, so_far = await project.index().promptly(lambda code: code.search_symbols("second"))
    assert ([each.name for each in found], so_far) == (["second"], None)


async def test_the_reading_goes_on_after_a_prompt_answer(project: Project, impatient: ProjectIndex) -> None:
    project.write({"a.py": "def first(): ...\n"})
    with another_reads(project):
        _, so_far = await impatient.promptly(lambda code: code.search_symbols("first"))
        assert so_far is not None
    assert await asyncio.to_thread(_wait_until_read, project)


async def test_a_cancelled_question_ends_what_it_began(project: Project, impatient: ProjectIndex) -> None:
    project.write({"a.py": "def first(): ...\n"})
    with another_reads(project):
        asked = asyncio.create_task(impatient.refresh())
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait({asked}, timeout=PATIENCE)
        assert asked.cancelled()
    assert (await impatient.refresh()).parsed == 1


READING = """
import asyncio, sys
from pathlib import Path
from mulligan.codecontext.index import ProjectIndex

async def main(root, cache):
    async def list_files():
        return sorted(path.name for path in root.glob("*.py"))
    await ProjectIndex(root, cache, list_files).refresh()

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def test_what_a_killed_process_had_read_is_not_read_again(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write({f"f{number}.py": f"def function_{number}(): ...\n" * 20 for number in range(1_500)})
    process = subprocess.Popen([sys.executable, "-c", READING, str(project.root), str(project.cache)])
    assert _wait_until_read(project)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = _read_files(project)
    state = asyncio.run(project.index().refresh())
    project.close()
    assert (state.files, state.parsed) == (1_500, 1_500 - before)


def _wait_until_read(project: Project) -> bool:
    """Until the first files are kept."""
    until = time.monotonic() + PATIENCE
    while not _read_files(project) and time.monotonic() < until:
        time.sleep(0.01)
    return _read_files(project) > 0


def _read_files(project: Project) -> int:
    path = cache_file(project.cache, project.root.resolve())
    if not path.exists():
        return 0
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT count(*) FROM files").fetchone()[0]
    except sqlite3.Error:  # it is just being made
        return 0
    finally:
        connection.close()


def test_what_is_near_and_large_is_read_first() -> None:
    sizes = {"deep/down/huge.py": 900, "pack/large.py": 500, "pack/small.py": 5, "pyproject.toml": 700, "setup.py": 1}
    jobs = sorted((Job(path, "", size) for path, size in sizes.items()), key=nearest_and_largest)
    assert [job.path for job in jobs] == [
        "setup.py", "pyproject.toml", "pack/large.py", "pack/small.py", "deep/down/huge.py",
    ]  # fmt: skip


def test_the_disk_is_watched_from_the_look_on(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    watch = DiskWatch(tmp_path)
    assert not watch.is_unchanged()
    watch.begin()
    watch.looked()
    assert watch.is_unchanged()
    (tmp_path / ".git" / "index").write_text("x")
    assert watch.is_unchanged()
    (tmp_path / "a.py").write_text("x")
    until = time.monotonic() + PATIENCE
    while watch.is_unchanged() and time.monotonic() < until:
        pass
    assert not watch.is_unchanged()
    watch.begin()
    watch.looked()
    assert watch.is_unchanged()
    watch.close()
    assert not watch.is_unchanged()


async def test_a_large_project_that_is_watched_is_not_looked_through_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "WORTH_WATCHING", 1)
    project.write({"a.py": "def first(): ...\n"})
    looks: list[int] = []

    async def list_files() -> Sequence[str]:
        looks.append(1)
        return await project.list_files()

    index = ProjectIndex(project.root, project.cache, list_files)
    found = [await index.search_symbols("first") for _ in range(5)]
    assert ([each[0].name for each in found], len(looks)) == (["first"] * 5, 2)
    project.write({"b.py": "def second(): ...\n"})
    async with asyncio.timeout(PATIENCE):
        while "second" not in [each.name for each in await index.search_symbols("second")]:
            pass
    index.close()
