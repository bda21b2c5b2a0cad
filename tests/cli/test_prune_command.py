"""`mulligan prune` on a real home folder: what is listed, what goes, and what stays."""

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.store.store import open_store
from mulligan.types.changes import FileState
from mulligan.types.messages import Text, UserMeta
from tests.cli.test_worktrees_command import git

Start = Callable[..., Any]
DAY = 24 * 3600


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    return project.resolve()


def write(path: Path, *, days: float, size: int = 100_000) -> Path:
    """A file that was last used so many days ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


async def chat_of(home: Path, project: Path, *, days: float, deleted: bool) -> str:
    """A chat with a pending change, which was last used so many days ago."""
    store = await open_store(home / "mulligan.db", clock=lambda: time.time() - days * DAY)
    try:
        chat = await store.chats.create(project=str(project), agent="coder", title="t")
        said = (Text(text="a long text " * 50_000),)
        await store.messages.add(chat.id, role="user", metadata=UserMeta(), parts=said)
        image = FileState(b"x = 1\n")
        await store.changes.add(project=str(project), path="a.py", before=None, after=image, chat_id=chat.id)
        if deleted:
            await store.chats.delete(chat.id)
    finally:
        await store.close()
    return chat.id


def listed(done: Any) -> dict[str, Any]:
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["what"]: row for row in rows if "what" in row}


def test_what_was_not_used_for_long_goes_and_all_else_stays(home: Path, repository: Path, run: Start) -> None:
    old = [
        write(home / "index" / "gone-0123.db", days=40),
        write(home / "sandbox" / "caches" / "abc" / "wheel", days=40).parent,
        write(home / "logs" / "mulligan.old.log", days=1),
        write(home / "models" / "abc-model.gguf.part", days=40),
        write(home / "fleet" / "repositories" / "0123.git" / "HEAD", days=40).parent,
    ]
    for folder in (old[1], old[4]):
        os.utime(folder, (0, 0))
    kept = [
        write(home / "index" / "mine-0123.db", days=2),
        write(home / "logs" / "mulligan.log", days=1),
        write(home / "models" / "def-model.gguf", days=400),
        write(home / "models" / "ghi-model.gguf.part", days=1),
    ]
    done = run("prune", "--yes", "--json", "-C", str(repository))
    assert done.returncode == 0, done.stderr
    rows = listed(done)
    pruned = ("code indexes", "sandbox caches", "logs", "models", "repositories of fleet jobs")
    assert [rows[name]["may_go"] for name in pruned] == [1] * 5
    assert json.loads(done.stdout.splitlines()[-1])["freed_bytes"] >= 400_000
    assert not any(path.exists() for path in old)
    assert [path.exists() for path in kept] == [True] * 4


def test_chats_go_a_week_after_they_were_deleted_and_pending_changes_stay(
    home: Path, repository: Path, run: Start
) -> None:
    asyncio.run(chat_of(home, repository, days=8, deleted=True))
    undoable = asyncio.run(chat_of(home, repository, days=6, deleted=True))
    forgotten = asyncio.run(chat_of(home, repository, days=400, deleted=False))
    before = (home / "mulligan.db").stat().st_size
    done = run("prune", "--yes", "--json", "-C", str(repository))
    assert done.returncode == 0, done.stderr
    assert listed(done)["chats"]["may_go"] == 1
    assert (home / "mulligan.db").stat().st_size < before

    async def left() -> tuple[set[str], int]:
        store = await open_store(home / "mulligan.db")
        try:
            chats = [*await store.chats.list(), *await store.chats.list(deleted=True)]
            return {each.id for each in chats}, len(await store.changes.list(str(repository), statuses=("pending",)))
        finally:
            await store.close()

    chats, pending = asyncio.run(left())
    assert chats == {undoable, forgotten}
    assert pending == 3


def test_without_a_yes_nothing_goes(home: Path, repository: Path, run: Start) -> None:
    old = write(home / "index" / "gone-0123.db", days=40)
    for words, code in (((), 6), (("--dry-run",), 0), (("--dry-run", "--yes"), 0)):
        done = run("prune", *words, "-C", str(repository))
        assert done.returncode == code, done.stderr
        assert "code indexes" in done.stdout
    assert old.exists()


def test_a_work_tree_that_holds_work_stays(home: Path, repository: Path, run: Start) -> None:
    made = json.loads(run("worktrees", "make", "agent", "--json", "-C", str(repository)).stdout)
    Path(made["path"], "turn.py").write_text("work\n")
    write(home / "index" / "gone-0123.db", days=40)
    done = run("prune", "--yes", "--json", "-C", str(repository))
    assert listed(done)["work trees of this project"]["may_go"] == 0
    assert Path(made["path"], "turn.py").read_text() == "work\n"


def test_it_works_where_there_is_no_repository(project: Path, run: Start) -> None:
    done = run("prune", "-C", str(project))
    assert (done.returncode, done.stderr.strip()) == (0, "nothing to delete")
