"""What was done in a work tree becomes pending changes that lead the checkout to the same content."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from mulligan.types.changes import FileState
from mulligan.workspace.checkpoints.model import Blob, FileDelta, SkippedPath
from mulligan.workspace.git import open_repository
from mulligan.workspace.worktrees import WorkTreeUnusable, adopt, import_work
from mulligan.workspace.worktrees.import_work import in_order, sort_out
from tests.workspace.worktrees.conftest import ODD, Yard, content

BLOB = Blob("100644", "0" * 40)


def work_in(tree: Path) -> None:
    """Every kind of change."""
    (tree / "edited").write_text("by the agent\n")
    (tree / "kept").unlink()
    (tree / "other name").rename(tree / "third name")
    (tree / "src" / "tool").chmod(0o644)
    (tree / "link").unlink()
    (tree / "link").symlink_to("third name")
    (tree / "image.png").write_bytes(bytes(reversed(range(256))))
    (tree / ODD).write_text("odder\n")
    (tree / "new").unlink()
    (tree / "new").symlink_to("edited")
    (tree / "staged").unlink()
    (tree / "staged").mkdir()
    (tree / "staged" / "inside").write_text("a file became a folder\n")
    (tree / "deep" / "er").mkdir(parents=True)
    (tree / "deep" / "er" / "run").write_text("#!/bin/sh\n")
    (tree / "deep" / "er" / "run").chmod(0o755)
    (tree / "more.log").write_text("ignored\n")
    (tree / ".mulligan").mkdir()
    (tree / ".mulligan" / "issues.md").write_text("ours\n")


def seen(root: Path | str) -> dict[str, tuple[str, bytes]]:
    return {
        path: found for path, found in content(root).items() if not path.endswith((".log", "build/out", "issues.md"))
    }


async def test_applied_changes_lead_the_checkout_to_the_work_trees_content(dirty: Yard) -> None:
    tree = await dirty.make()
    work_in(Path(tree.path))
    brought = await dirty.import_work(tree)
    assert brought.skipped == ()
    outcomes = await dirty.apply(brought.changes)
    assert [each.message for each in outcomes if not each.success] == []
    shutil.rmtree(dirty.root / ".mulligan")
    assert seen(dirty.root) == seen(tree.path)


async def test_nothing_is_written_to_the_checkout_before_it_is_applied(dirty: Yard) -> None:
    before = content(dirty.root)
    tree = await dirty.make()
    work_in(Path(tree.path))
    brought = await dirty.import_work(tree)
    assert content(dirty.root) == before
    assert {change.status for change in brought.changes} == {"pending"}


async def test_a_second_time_brings_only_what_is_new(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("once\n")
    await dirty.import_work(tree)
    assert (await dirty.import_work(tree)).changes == ()
    Path(tree.path, "edited").write_text("twice\n")
    (change,) = (await dirty.import_work(tree)).changes
    assert (change.before, change.after) == (FileState(b"once\n"), FileState(b"twice\n"))


async def test_commits_made_there_are_covered(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("committed\n")
    dirty.commit_all("the agent's", tree.path)
    (change,) = (await dirty.import_work(tree)).changes
    assert (change.path, change.before, change.after) == (
        "edited",
        FileState(b"by hand\n"),
        FileState(b"committed\n"),
    )


async def test_what_the_person_changed_meanwhile_is_merged_when_it_is_applied(dirty: Yard) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    (dirty.root / "edited").write_text("".join(lines))
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("".join(["agent\n", *lines[1:]]))
    (dirty.root / "edited").write_text("".join([*lines[:-1], "person\n"]))
    (outcome,) = await dirty.apply((await dirty.import_work(tree)).changes)
    assert outcome.success
    assert (dirty.root / "edited").read_text() == "".join(["agent\n", *lines[1:-1], "person\n"])


async def test_converted_files_come_back_raw_and_only_if_they_changed(yard: Yard) -> None:
    (yard.root / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (yard.root / "a.txt").write_bytes(b"one\r\n")
    (yard.root / "b.txt").write_bytes(b"one\r\n")
    yard.commit_all()
    tree = await yard.make()
    Path(tree.path, "b.txt").write_bytes(b"two\r\n")
    (change,) = (await yard.import_work(tree)).changes
    assert (change.before, change.after) == (FileState(b"one\r\n"), FileState(b"two\r\n"))


async def test_what_can_not_be_staged_is_named_stays_and_is_named_again(dirty: Yard) -> None:
    tree = await dirty.make()
    path = Path(tree.path)
    with (path / "edited").open("wb") as file:
        file.truncate(65_000_000)
    (path / "server.pem").write_text("secret\n")
    dirty.git("init", "-q", "nested", folder=path)
    (path / "nested" / "file").write_text("x\n")
    (path / "fine").write_text("x\n")
    first = await dirty.import_work(tree)
    assert [change.path for change in first.changes] == ["fine"]
    assert [each.path for each in first.skipped] == ["edited", "nested", "server.pem"]
    second = await dirty.import_work(tree)
    assert (second.changes, second.skipped) == ((), first.skipped)


async def test_of_a_subfolder_only_what_is_in_it_is_staged_and_the_rest_is_named(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "src", "tool").write_text("in it\n")
    Path(tree.path, "edited").write_text("outside of it\n")
    brought = await dirty.import_work(tree, dirty.root / "src")
    assert [(change.project, change.path) for change in brought.changes] == [(str(dirty.root / "src"), "tool")]
    assert [each.path for each in brought.skipped] == ["edited"]


async def test_a_file_that_is_ignored_by_now_counts_as_it_stands_and_not_as_deleted(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, ".gitignore").write_text("*.log\nbuild/\nnew\nimage.png\n")
    Path(tree.path, "image.png").write_bytes(b"\0new")
    brought = await dirty.import_work(tree)
    assert [(change.kind, change.path) for change in brought.changes] == [("edit", ".gitignore"), ("edit", "image.png")]
    assert (await dirty.import_work(tree)).changes == ()
    assert [each.state for each in await dirty.trees.listed()] == ["clean"]


async def test_a_process_killed_while_it_staged_is_finished_and_nothing_is_staged_twice(dirty: Yard) -> None:
    tree = await dirty.make()
    for name in ("a", "b", "c"):
        Path(tree.path, name).write_text(f"{name}\n")

    class Killed(BaseException):
        pass

    class Store:
        """The real one, until the second change."""

        def __init__(self) -> None:
            self.list = dirty.store.changes.list
            self.added = 0

        async def add(self, **fields: object) -> object:
            self.added += 1
            if self.added == 3:
                raise Killed
            return await dirty.store.changes.add(**fields)  # pyright: ignore[reportArgumentType]  passed through

    with pytest.raises(Killed):
        await import_work(tree, Store(), project=str(dirty.root))  # pyright: ignore[reportArgumentType]  a part of it
    Path(tree.path, "d").write_text("d\n")
    brought = await dirty.import_work(tree)
    assert [change.path for change in brought.changes] == ["c", "d"]
    assert [change.path for change in await dirty.store.changes.list(str(dirty.root))] == ["a", "b", "c", "d"]


async def test_two_at_once_stage_everything_once(dirty: Yard) -> None:
    tree = await dirty.make()
    work_in(Path(tree.path))
    first, second = await asyncio.gather(dirty.import_work(tree), dirty.import_work(tree))
    staged = [change.path for change in (*first.changes, *second.changes)]
    assert staged
    assert len(staged) == len(set(staged))


async def test_a_work_tree_that_somebody_else_made_comes_back_from_where_it_parted(dirty: Yard, tmp_path: Path) -> None:
    (dirty.root / ".gitattributes").write_text("*.txt text eol=crlf\n")
    dirty.commit_all("attributes")
    other = tmp_path.resolve() / "other"
    dirty.git("worktree", "add", "-q", "-b", "side", str(other))
    (other / "edited").write_text("there\n")
    dirty.commit_all("theirs", other)
    (other / "new").unlink()
    (other / "made").write_text("made\n")
    (dirty.root / "kept").write_text("meanwhile, here\n")
    dirty.commit_all("ours")
    tree = await adopt(await open_repository(dirty.root), other)
    brought = await dirty.import_work(tree)
    assert [(change.kind, change.path) for change in brought.changes] == [
        ("edit", "edited"),
        ("create", "made"),
        ("delete", "new"),
    ]
    assert all(each.success for each in await dirty.apply(brought.changes))
    again = await adopt(await open_repository(dirty.root), other)
    assert (await dirty.import_work(again)).changes == ()


@pytest.mark.parametrize(
    ("which", "words"),
    [
        pytest.param("itself", "the project itself", id="the checkout"),
        pytest.param("foreign", "no work tree of the repository", id="another repository"),
    ],
)
async def test_what_is_no_work_tree_of_the_repository_is_not_adopted(
    dirty: Yard, tmp_path: Path, which: str, words: str
) -> None:
    foreign = tmp_path / "foreign"
    dirty.git("init", "-q", str(foreign))
    with pytest.raises(WorkTreeUnusable, match=words):
        await adopt(await open_repository(dirty.root), dirty.root if which == "itself" else foreign)


def move(path: str, *, before: bool, after: bool) -> FileDelta:
    return FileDelta(path, BLOB if before else None, BLOB if after else None)


def test_deletes_come_last_unless_they_are_in_the_way() -> None:
    moves = [
        move("gone", before=True, after=False),
        move("a", before=True, after=False),
        move("a/b", before=False, after=True),
        move("c/d", before=True, after=False),
        move("c", before=False, after=True),
        move("edited", before=True, after=True),
    ]
    assert [each.path for each in in_order(moves)] == ["a", "c/d", "a/b", "c", "edited", "gone"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("app/ok.py", None, id="a file of the project"),
        pytest.param("other/x", "outside the project", id="outside"),
        pytest.param("app/.env", "secrets", id="secret"),
        pytest.param("app/big", "over the limit", id="not covered"),
        pytest.param("app/nest/x", "a repository", id="in a folder that is not covered"),
    ],
)
def test_each_path_is_staged_or_named_with_a_reason(path: str, reason: str | None) -> None:
    not_covered = [SkippedPath("app/big", "over the limit"), SkippedPath("app/nest", "a repository")]
    staged, left = sort_out([move(path, before=True, after=True)], not_covered, "app/")
    assert [each.path for each in staged] == ([] if reason else [path])
    assert [reason in each.reason for each in left] == ([True] if reason else []) if reason else left == []


async def test_many_files_come_back_in_batches(dirty: Yard) -> None:
    tree = await dirty.make()
    for number in range(450):
        Path(tree.path, f"n{number:03}").write_text(f"{number}\n")
    brought = await dirty.import_work(tree)
    assert [change.after for change in brought.changes] == [FileState(f"{n}\n".encode()) for n in range(450)]
    assert os.path.lexists(Path(tree.path, "n000"))
