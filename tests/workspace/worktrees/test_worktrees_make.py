"""A work tree holds what the checkout holds, and the checkout does not notice."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.workspace.git import NoRepository
from mulligan.workspace.worktrees import WorkTrees
from tests.workspace.worktrees.conftest import ODD, Yard, content

IGNORED = {"noise.log", "build/out"}


def status(yard: Yard, folder: Path | str | None = None) -> str:
    return yard.git("status", "--porcelain=v2", "--untracked-files=all", folder=folder)


async def test_files_are_those_of_the_checkout_byte_for_byte_but_for_ignored_ones(dirty: Yard) -> None:
    tree = await dirty.make()
    there = content(dirty.root)
    assert content(tree.path) == {path: found for path, found in there.items() if path not in IGNORED}
    assert Path(tree.path, ODD).is_file()
    assert Path(tree.path, "hollow").is_dir()


async def test_status_shows_what_the_checkout_shows(dirty: Yard) -> None:
    tree = await dirty.make()
    assert status(dirty, tree.path) == status(dirty)
    assert "R" in status(dirty)


async def test_head_is_detached_at_the_checkouts_commit_and_no_branch_is_made(dirty: Yard) -> None:
    tree = await dirty.make()
    assert dirty.git("rev-parse", "HEAD", folder=tree.path) == dirty.git("rev-parse", "HEAD")
    assert dirty.git("branch", "--show-current", folder=tree.path) == ""
    assert dirty.git("for-each-ref", "--format=%(refname)", "refs/heads").split() == ["refs/heads/main"]


async def test_the_checkout_is_untouched(dirty: Yard) -> None:
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        script = dirty.root / ".git" / "hooks" / hook
        script.write_text(f"#!/bin/sh\ntouch {dirty.root.parent}/hooked\n")
        script.chmod(0o755)
    seen = ("stash", "list"), ("log", "--oneline"), ("branch", "-a"), ("config", "--list", "--local")
    before = content(dirty.root), (dirty.root / ".git" / "index").read_bytes(), [dirty.git(*each) for each in seen]
    (dirty.root.parent / "hooked").unlink(missing_ok=True)
    await dirty.make()
    hooked = (dirty.root.parent / "hooked").exists()
    after = content(dirty.root), (dirty.root / ".git" / "index").read_bytes(), [dirty.git(*each) for each in seen]
    assert (after, hooked) == (before, False)


async def test_it_lies_outside_the_project_for_one_pair_of_eyes_and_git_lists_it(dirty: Yard) -> None:
    tree = await dirty.make("open code")
    path = Path(tree.path)
    assert path.parent == dirty.home / "worktrees"
    assert path.name.startswith("project-open-code-")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert f"worktree {tree.path}\n" in dirty.git("worktree", "list", "--porcelain")


async def test_the_base_is_kept_from_being_swept_away(dirty: Yard) -> None:
    tree = await dirty.make()
    assert dirty.refs() == [f"refs/mulligan/worktrees/{Path(tree.path).name}"]
    dirty.git("reflog", "expire", "--expire=now", "--all")
    dirty.git("gc", "--quiet", "--prune=now")
    assert dirty.git("cat-file", "-t", tree.base_commit) == "commit\n"


async def test_two_made_at_once_are_two(dirty: Yard) -> None:
    first, second = await asyncio.gather(dirty.make(), dirty.make())
    assert first.path != second.path
    assert content(first.path) == content(second.path)
    assert len(await dirty.trees.listed()) == 2


async def test_a_repository_without_a_commit(yard: Yard) -> None:
    (yard.root / "staged").write_text("1\n")
    yard.git("add", "staged")
    (yard.root / "new").write_text("2\n")
    tree = await yard.make()
    assert content(tree.path) == content(yard.root)
    assert status(yard, tree.path) == status(yard)
    yard.commit_all("the agent's", tree.path)
    assert status(yard) == yard.git("status", "--porcelain=v2", "--untracked-files=all")
    assert "refs/heads/main" not in yard.git("for-each-ref", "--format=%(refname)")


async def test_a_checkout_with_a_detached_head(dirty: Yard) -> None:
    dirty.git("checkout", "-q", "--detach")
    tree = await dirty.make()
    assert dirty.git("rev-parse", "HEAD", folder=tree.path) == dirty.git("rev-parse", "HEAD")
    assert status(dirty, tree.path) == status(dirty)


async def test_a_checkout_that_is_itself_a_linked_work_tree(dirty: Yard, tmp_path: Path) -> None:
    linked = tmp_path.resolve() / "linked"
    dirty.git("worktree", "add", "-q", "-b", "side", str(linked))
    (linked / "kept").write_text("only here\n")
    tree = (await dirty.trees_of(linked).make("agent")).tree
    assert tree.project == str(linked)
    assert content(tree.path) == content(linked)
    assert [each.tree.id for each in await dirty.trees_of(linked).listed()] == [tree.id]
    assert await dirty.trees.listed() == []
    assert await dirty.trees.leftovers() == []


async def test_of_a_subfolder_the_whole_repository_is_taken_and_the_agent_works_in_the_subfolder(dirty: Yard) -> None:
    made = await dirty.trees_of(dirty.root / "src").make("agent")
    assert made.tree.project == str(dirty.root)
    assert made.folder == Path(made.tree.path) / "src"
    assert (Path(made.tree.path) / "kept").exists()


async def test_a_merge_under_way_is_under_way_there_too(dirty: Yard) -> None:
    dirty.commit_all("second")
    named = ("-c", "user.name=A", "-c", "user.email=a@localhost")
    dirty.git("checkout", "-q", "-b", "side", "HEAD~1")
    (dirty.root / "edited").write_text("theirs\n")
    dirty.commit_all("theirs")
    dirty.git("checkout", "-q", "main")
    with pytest.raises(Exception, match="non-zero"):
        dirty.git(*named, "merge", "-q", "side")
    tree = await dirty.make()
    assert status(dirty, tree.path) == status(dirty)
    assert "\nu " in f"\n{status(dirty)}"
    assert dirty.git("rev-parse", "MERGE_HEAD", folder=tree.path) == dirty.git("rev-parse", "side")


async def test_converted_files_stand_there_as_in_the_checkout(yard: Yard) -> None:
    (yard.root / ".gitattributes").write_text("*.txt text eol=crlf\n*.id ident\n")
    (yard.root / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (yard.root / "b.txt").write_bytes(b"lone\nends\n")
    (yard.root / "c.id").write_bytes(b"$Id$\n")
    yard.commit_all()
    tree = await yard.make()
    assert content(tree.path) == content(yard.root)
    assert status(yard, tree.path) == status(yard)


async def test_a_sparse_checkout_stays_sparse(dirty: Yard) -> None:
    dirty.commit_all("second")
    dirty.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/")
    assert not (dirty.root / "src").exists()
    tree = await dirty.make()
    assert not Path(tree.path, "src").exists()
    assert status(dirty, tree.path) == status(dirty) == ""


async def test_submodules_and_nested_repositories_are_named_and_the_submodules_folder_is_empty(
    dirty: Yard, tmp_path: Path
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for folder in (inner, dirty.root / "nested"):
        dirty.git("init", "-q", str(folder))
        (folder / "file").write_text("x\n")
        dirty.commit_all("inner", folder)
    dirty.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "module")
    made = await dirty.trees.make("agent")
    assert [each.path for each in made.skipped] == ["module", "nested"]
    assert list(Path(made.tree.path, "module").iterdir()) == []
    assert not Path(made.tree.path, "nested").exists()
    assert [each.state for each in await dirty.trees.listed()] == ["clean"]


async def test_a_file_too_large_for_a_snapshot_is_copied(dirty: Yard) -> None:
    with (dirty.root / "huge").open("wb") as file:
        file.truncate(65_000_000)
    tree = await dirty.make()
    assert os.path.getsize(Path(tree.path, "huge")) == 65_000_000  # noqa: PTH202
    assert [each.state for each in await dirty.trees.listed()] == ["clean"]


async def test_without_a_repository_that_is_said(tmp_path: Path, yard: Yard) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    with pytest.raises(NoRepository, match="not in a git repository"):
        await yard.trees_of(bare).make("agent")


async def test_a_home_inside_the_project_is_refused(dirty: Yard) -> None:
    with pytest.raises(ConfigurationError, match="inside the project"):
        await WorkTrees(dirty.root, dirty.store.worktrees, home=dirty.root / "home").make("agent")


def fail() -> None:
    raise RuntimeError


def cancel() -> None:
    task = asyncio.current_task()
    assert task
    task.cancel()


@pytest.mark.parametrize(
    ("end", "error"),
    [
        pytest.param(fail, RuntimeError, id="failed"),
        pytest.param(cancel, asyncio.CancelledError, id="cancelled"),
    ],
)
async def test_what_ends_half_way_leaves_nothing(
    dirty: Yard, end: Callable[[], None], error: type[BaseException]
) -> None:
    def at(step: str) -> None:
        if step == "after the index":
            end()

    before = dirty.git("for-each-ref")
    with pytest.raises(error):
        await dirty.trees.make("agent", on_step=at)
    assert dirty.git("for-each-ref") == before
    assert dirty.git("worktree", "list").count("\n") == 1
    assert (await dirty.trees.listed(), await dirty.trees.leftovers()) == ([], [])
    assert [path.name for path in (dirty.home / "worktrees").iterdir() if not path.name.startswith(".")] == []
