"""What an agent leaves in its work tree that is no work does not come back, and nobody has to force its removal."""

from pathlib import Path

import pytest

from mulligan.types.checkpoints import WorkTree
from mulligan.workspace.git import open_repository
from mulligan.workspace.worktrees import ImportedWork, WorkTreeDirty, import_work
from mulligan.workspace.worktrees.agent_byproducts import is_byproduct, keep_patterns
from tests.workspace.worktrees.conftest import Yard

CACHE = ".cache*"


async def brought(yard: Yard, tree: WorkTree, *patterns: str) -> ImportedWork:
    return await import_work(tree, yard.store.changes, project=str(yard.root), leaves_behind=patterns)


def leave(tree: WorkTree, path: str) -> None:
    file = Path(tree.path, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("no work\n")


async def test_what_is_left_behind_is_named_and_the_work_comes_back(dirty: Yard) -> None:
    tree = await dirty.make()
    leave(tree, ".cache.v4/rows.db")
    leave(tree, "work.py")
    back = await brought(dirty, tree, CACHE)
    assert [change.path for change in back.changes] == ["work.py"]
    assert (back.byproducts, back.skipped) == ((".cache.v4/rows.db",), ())


async def test_a_file_that_the_project_has_is_work_whatever_its_name(dirty: Yard) -> None:
    tree = await dirty.make()
    leave(tree, "edited")
    back = await brought(dirty, tree, "edited")
    assert ([change.path for change in back.changes], back.byproducts) == (["edited"], ())


async def test_who_brings_back_later_knows_the_patterns_too(dirty: Yard) -> None:
    tree = await dirty.make()
    await brought(dirty, tree, CACHE)
    leave(tree, ".cache")
    back = await dirty.import_work(tree)
    assert (back.changes, back.byproducts) == ((), (".cache",))


async def test_a_work_tree_with_nothing_else_in_it_is_clean_and_can_be_removed(dirty: Yard) -> None:
    tree = await dirty.make()
    leave(tree, ".cache")
    with pytest.raises(WorkTreeDirty):
        await dirty.trees.remove(tree.id)
    await brought(dirty, tree, CACHE)
    assert [each.state for each in await dirty.trees.listed()] == ["clean"]
    await dirty.trees.remove(tree.id)
    assert not Path(tree.path).exists()


@pytest.mark.parametrize(
    ("pattern", "path", "left"),
    [
        pytest.param(CACHE, ".cache.v4/rows.db", True, id="in a folder that fits"),
        pytest.param(CACHE, "deep/er/.cache", True, id="at any depth"),
        pytest.param("/.cache", "deep/.cache", False, id="anchored at the top"),
        pytest.param("logs/*.txt", "logs/a.txt", True, id="a path"),
        pytest.param("logs/*.txt", "other/a.txt", False, id="another path"),
        pytest.param("tmp/", "tmp", False, id="a file where a folder was meant"),
        pytest.param("tmp/", "tmp/a", True, id="a folder"),
        pytest.param(".cache", ".cached", False, id="a longer name"),
    ],
)
async def test_patterns_are_lines_of_a_gitignore(yard: Yard, pattern: str, path: str, left: bool) -> None:
    git = await open_repository(yard.root)
    keep_patterns(git, [pattern])
    assert is_byproduct(git)(path) is left
