"""Work trees are found again, listed and removed, and nobody's work goes with them unasked."""

import asyncio
import shutil
from pathlib import Path

import pytest

from mulligan.types.checkpoints import WorkTree
from mulligan.workspace.worktrees import Removed, WorkTreeDirty, WorkTrees, WorkTreeUnusable
from tests.workspace.worktrees.conftest import Yard, content, run_apart


async def left_of(yard: Yard, tree: WorkTree) -> list[object]:
    """Traces of a work tree: rows, its folder, git's entry, refs, branches."""
    name = Path(tree.path).name
    refs = [ref for ref in yard.git("for-each-ref", "--format=%(refname)").split() if name in ref and "kept" not in ref]
    folders = [path for path in (yard.home / "worktrees").rglob(name) if path.parent.name != ".locks"]
    entries = [line for line in yard.git("worktree", "list").splitlines() if name in line]
    return [*await yard.trees.listed(), *await yard.trees.leftovers(), *refs, *folders, *entries]


async def test_a_clean_one_goes_without_a_trace(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "x.log").write_text("ignored: nobody's work\n")
    assert await dirty.trees.remove(tree.id) == Removed(tree.id, None)
    assert await left_of(dirty, tree) == []
    assert dirty.refs() == []
    assert list((dirty.home / "worktrees" / ".locks").iterdir()) == []


async def test_one_with_changes_stays_and_says_what_would_be_lost(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("work\n")
    dirty.commit_all("a commit of its own", tree.path)
    Path(tree.path, "made").write_text("work\n")
    with pytest.raises(WorkTreeDirty) as raised:
        await dirty.trees.remove(tree.id)
    assert raised.value.loss is not None
    assert raised.value.loss.files == ("edited", "made")
    assert [commit.subject for commit in raised.value.loss.commits] == ["a commit of its own"]
    assert "2 files not brought back (edited, made)" in str(raised.value)
    assert Path(tree.path, "made").exists()


async def test_what_was_brought_back_is_not_lost(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("work\n")
    await dirty.import_work(tree)
    assert await dirty.trees.remove(tree.id) == Removed(tree.id, None)


async def test_what_could_not_be_brought_back_still_is(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "server.pem").write_text("secret\n")
    dirty.git("init", "-q", "nested", folder=tree.path)
    await dirty.import_work(tree)
    with pytest.raises(WorkTreeDirty, match=r"2 files not brought back \(nested, server.pem\)"):
        await dirty.trees.remove(tree.id)


async def test_commits_alone_keep_it(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("work\n")
    dirty.commit_all("unmerged", tree.path)
    await dirty.import_work(tree)
    with pytest.raises(WorkTreeDirty, match="1 commit on no branch"):
        await dirty.trees.remove(tree.id)
    dirty.git("branch", "saved", dirty.git("rev-parse", "HEAD", folder=tree.path).strip())
    assert await dirty.trees.remove(tree.id) == Removed(tree.id, None)


async def test_commits_of_a_repository_without_any_are_its_own_though_a_branch_of_ours_has_them(yard: Yard) -> None:
    (yard.root / "a").write_text("a\n")
    tree = await yard.make()
    yard.commit_all("first", tree.path)
    with pytest.raises(WorkTreeDirty, match="1 commit on no branch"):
        await yard.trees.remove(tree.id)
    await yard.trees.remove(tree.id, force=True)
    assert await left_of(yard, tree) == []


async def test_force_keeps_a_last_checkpoint(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("work\n")
    commit = dirty.commit_all("unmerged", tree.path)
    Path(tree.path, "made").write_text("more\n")
    removed = await dirty.trees.remove(tree.id, force=True)
    kept = removed.kept_under or ""
    assert kept == f"refs/mulligan/kept/{Path(tree.path).name}"
    assert await left_of(dirty, tree) == []
    assert dirty.git("show", f"{kept}:made") == "more\n"
    assert dirty.git("merge-base", "--is-ancestor", commit, kept) == ""


async def test_two_removals_at_once_remove_it_once(dirty: Yard) -> None:
    tree = await dirty.make()
    both = await asyncio.gather(dirty.trees.remove(tree.id), dirty.trees.remove(tree.id), return_exceptions=True)
    assert sorted(type(each).__name__ for each in both) == ["Removed", "WorkTreeUnusable"]
    assert await left_of(dirty, tree) == []


async def test_folders_that_can_not_be_written_are_removed_too(dirty: Yard) -> None:
    tree = await dirty.make()
    closed = Path(tree.path, "build", "cache")
    closed.mkdir(parents=True)
    (closed / "file").write_text("x\n")
    closed.chmod(0o500)
    await dirty.trees.remove(tree.id)
    assert await left_of(dirty, tree) == []


async def test_they_are_listed_with_their_state_and_size(dirty: Yard) -> None:
    clean, changed, gone = [await dirty.make() for _ in range(3)]
    Path(changed.path, "edited").write_text("work\n")
    shutil.rmtree(gone.path)
    listed = {each.tree.id: each for each in await dirty.trees.listed()}
    assert {key: each.state for key, each in listed.items()} == {
        clean.id: "clean",
        changed.id: "changed",
        gone.id: "gone",
    }
    assert listed[changed.id].loss.files == ("edited",)
    assert listed[clean.id].size > 4096


async def test_one_whose_folder_is_gone_can_be_removed(dirty: Yard) -> None:
    tree = await dirty.make()
    shutil.rmtree(tree.path)
    await dirty.trees.remove(tree.id)
    assert await left_of(dirty, tree) == []


async def test_one_that_git_forgot_is_broken_and_goes_only_by_force(dirty: Yard) -> None:
    tree = await dirty.make()
    shutil.rmtree(dirty.root / ".git" / "worktrees")
    assert [each.state for each in await dirty.trees.listed()] == ["broken"]
    with pytest.raises(WorkTreeUnusable, match="is broken"):
        await dirty.trees.reuse(tree.id)
    with pytest.raises(WorkTreeDirty, match="can't be told what"):
        await dirty.trees.remove(tree.id)
    removed = await dirty.trees.remove(tree.id, force=True)
    assert [each.path for each in removed.not_kept] == [tree.path]
    assert await left_of(dirty, tree) == []


async def test_it_is_reused_by_the_beginning_of_its_id(dirty: Yard) -> None:
    tree = await dirty.make()
    assert await dirty.trees.reuse(tree.id[:6]) == tree
    shutil.rmtree(tree.path)
    with pytest.raises(WorkTreeUnusable, match="is gone"):
        await dirty.trees.reuse(tree.id)


async def test_it_is_repaired_when_the_home_folder_moved(dirty: Yard, tmp_path: Path) -> None:
    tree = await dirty.make()
    moved = tmp_path.resolve() / "moved"
    shutil.move(dirty.home / "worktrees", moved / "worktrees")
    trees = WorkTrees(dirty.root, dirty.store.worktrees, home=moved)
    found = await trees.reuse(tree.id)
    assert found.path == str(moved / "worktrees" / Path(tree.path).name)
    assert dirty.git("rev-parse", "--show-toplevel", folder=found.path).strip() == found.path
    Path(found.path, "edited").write_text("work\n")
    with pytest.raises(WorkTreeDirty):
        await trees.remove(tree.id)


async def test_another_homes_work_tree_is_not_removed_for_want_of_looking_there(dirty: Yard, tmp_path: Path) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("work\n")
    with pytest.raises(WorkTreeDirty):
        await WorkTrees(dirty.root, dirty.store.worktrees, home=tmp_path / "second").remove(tree.id)
    assert Path(tree.path, "edited").read_text() == "work\n"


MAKE = """
import asyncio, os, signal, sys
from pathlib import Path
from mulligan.store.store import open_store
from mulligan.workspace.worktrees import WorkTrees

async def main(root, home, action, step, given):
    def at(now):
        if now == step:
            os.kill(os.getpid(), signal.SIGKILL)
    store = await open_store(Path(home, "mulligan.db"))
    trees = WorkTrees(Path(root), store.worktrees, home=Path(home))
    await (trees.make("agent", on_step=at) if action == "make" else trees.remove(given, on_step=at))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "step",
    [
        "before the checkout is captured",
        "after the checkout is captured",
        "after git made it",
        "after the files",
        "after the index",
        "after the dependencies",
        "before the row",
        "after the row",
    ],
)
async def test_what_a_process_killed_while_making_left_is_found_and_goes_without_force(dirty: Yard, step: str) -> None:
    before = content(dirty.root), dirty.git("for-each-ref"), dirty.git("worktree", "list")
    ended = run_apart(MAKE, str(dirty.root), str(dirty.home), "make", step, "")
    assert ended.returncode == -9, ended.stderr
    left = [each.name for each in await dirty.trees.leftovers()] + [each.tree.id for each in await dirty.trees.listed()]
    assert len(left) == (0 if step.startswith("before the checkout") else 1)
    for name in left:
        await dirty.trees.remove(name)
    assert (content(dirty.root), dirty.git("for-each-ref"), dirty.git("worktree", "list")) == before
    assert (await dirty.trees.leftovers(), await dirty.trees.listed()) == ([], [])
    assert await dirty.make()


@pytest.mark.parametrize(
    "step",
    [
        "after its work is kept",
        "after the folder is set aside",
        "after git forgot it",
        "after its refs are gone",
        "after the row is gone",
    ],
)
async def test_a_removal_that_was_killed_can_be_finished(dirty: Yard, step: str) -> None:
    tree = await dirty.make()
    ended = run_apart(MAKE, str(dirty.root), str(dirty.home), "remove", step, tree.id)
    assert ended.returncode == -9, ended.stderr
    for each in await dirty.trees.listed():
        await dirty.trees.remove(each.tree.id)
    for each in await dirty.trees.leftovers():
        await dirty.trees.remove(each.name)
    assert await left_of(dirty, tree) == []


async def test_a_folder_without_a_record_that_holds_work_is_offered_and_kept(dirty: Yard) -> None:
    tree = await dirty.make()
    Path(tree.path, "edited").write_text("work\n")
    await dirty.store.worktrees.delete(tree.id)
    (leftover,) = await dirty.trees.leftovers()
    assert (leftover.path, leftover.what) == (Path(tree.path), "a folder without a record")
    with pytest.raises(WorkTreeDirty, match="edited"):
        await dirty.trees.remove(leftover.name)
    removed = await dirty.trees.remove(leftover.name, force=True)
    assert dirty.git("show", f"{removed.kept_under}:edited") == "work\n"
    assert await left_of(dirty, tree) == []


async def test_work_trees_of_other_projects_and_those_being_made_are_no_leftovers(dirty: Yard, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "project-two"
    dirty.git("init", "-q", str(other))
    (other / "a").write_text("a\n")
    await dirty.trees_of(other).make("agent")
    seen: list[object] = []

    async def look() -> None:
        seen.extend(await dirty.trees.leftovers())

    tasks: list[asyncio.Task[None]] = []

    def at(_step: str) -> None:
        tasks.append(asyncio.ensure_future(look()))

    await dirty.trees.make("agent", on_step=at)
    await asyncio.gather(*tasks)
    assert (len(tasks) > 5, seen, await dirty.trees.leftovers()) == (True, [], [])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param("zzzz", "there is no work tree 'zzzz'", id="unknown"),
        pytest.param("", "there is no work tree ''", id="empty"),
    ],
)
async def test_one_that_there_is_not_is_not_removed(dirty: Yard, given: str, words: str) -> None:
    await dirty.make()
    with pytest.raises(WorkTreeUnusable, match=words):
        await dirty.trees.remove(given)
