"""`watch_changes` compares with its last call in the project, whichever process made it."""

import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.codecontext.snapshot import snapshot_file
from tests.codecontext.conftest import Project

LOOK = """
import asyncio, os, signal, sys
from pathlib import Path
from mulligan.codecontext.index import ProjectIndex

async def main(root, cache):
    async def list_files():
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    await ProjectIndex(root, cache, list_files).changes()
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def look_in_a_process_that_is_killed(project: Project) -> None:
    ended = subprocess.run([sys.executable, "-c", LOOK, str(project.root), str(project.cache)], check=False)
    assert ended.returncode == -9


async def test_what_changed_since_the_call_of_a_process_that_was_killed_is_told(project: Project) -> None:
    project.write({"a.py": "x = 1\n", "b.py": "x = 1\n", "c.py": "x = 1\n"})
    look_in_a_process_that_is_killed(project)
    project.write({"a.py": "x = 2\n", "new.py": "x = 1\n"})
    project.delete("b.py")
    found = await project.index().changes()
    assert (found.added, found.modified, found.deleted) == (("new.py",), ("a.py",), ("b.py",))
    assert found.since is not None


async def test_a_cache_that_is_made_anew_does_not_forget_the_last_call(project: Project) -> None:
    project.write({"a.py": "x = 1\n"})
    first = project.index()
    await first.changes()
    first.close()
    for file in project.cache.glob("*.db*"):
        file.unlink()
    project.write({"a.py": "x = 2\n"})
    assert (await project.index().changes()).modified == ("a.py",)


async def test_the_last_call_in_another_project_does_not_count(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "project")
    other.write({"a.py": "x = 1\n"})
    await other.index(project.cache).changes()
    other.close()
    project.write({"b.py": "x = 1\n"})
    assert (await project.index().changes()).since is None


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b'{"time": 1}', b'{"time": "x", "hashes": {}}', b"\xff\xfe"])
async def test_what_can_not_be_read_of_the_last_call_makes_it_the_first(kept: bytes, project: Project) -> None:
    project.write({"a.py": "x = 1\n"})
    path = snapshot_file(project.cache, project.root)
    path.parent.mkdir()
    path.write_bytes(kept)
    index = project.index()
    assert (await index.changes()).since is None
    project.write({"a.py": "x = 2\n"})
    assert (await project.index().changes()).modified == ("a.py",)


async def test_without_a_place_to_keep_it_the_last_call_of_this_process_counts(project: Project) -> None:
    project.cache.write_text("a file where a folder should be")
    project.write({"a.py": "x = 1\n"})
    index = project.index()
    await index.changes()
    project.write({"a.py": "x = 2\n"})
    assert (await index.changes()).modified == ("a.py",)


async def test_a_look_leaves_one_file_beside_the_cache(project: Project) -> None:
    project.write({"a.py": "x = 1\n"})
    index = project.index()
    await index.changes()
    await index.changes()
    assert [path.name for path in project.cache.iterdir() if ".db" not in path.name] == [
        snapshot_file(project.cache, project.root).name
    ]
