"""What a fix run does in its work tree, and what comes of it in the checkout."""

import os
import sys
from pathlib import Path

import pytest

from mulligan.types.errors import CallRejected
from mulligan.workspace.checkpoints import CheckpointRefused
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.git import NoRepository
from mulligan.workspace.run_tree import RunTree
from mulligan.workspace.worktrees import WorkTrees, WorkTreeUnusable
from tests.unconfined import free
from tests.workspace.run_tree.conftest import Scene
from tests.workspace.worktrees.conftest import ODD, Yard, content


async def test_it_starts_from_the_checkout_as_it_stands(scene: Scene) -> None:
    ours = {name: held for name, held in content(scene.yard.root).items() if name not in {"noise.log", "build/out"}}
    assert content(scene.run.folder) == ours
    assert "fix-r1" in scene.run.tree.path


async def test_without_a_repository_there_is_none(tmp_path: Path, yard: Yard) -> None:
    elsewhere = tmp_path / "plain"
    elsewhere.mkdir()
    with pytest.raises(NoRepository):
        await RunTree.make(WorkTrees(elsewhere, yard.store.worktrees, home=yard.home), yard.store, "r1", free)


async def test_a_reopened_one_knows_its_moments(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    (scene.root / "kept").write_text("changed\n")
    again = await RunTree.reopen(scene.yard.trees, scene.yard.store, scene.run.tree.id, free)
    assert (again.folder, again.tree) == (scene.run.folder, scene.run.tree)
    assert await again.changed_since(snapshot) == ("kept",)
    await again.return_to(snapshot)
    assert (scene.root / "kept").read_text() == "kept\n" * 3


async def test_one_that_was_removed_is_not_reopened(scene: Scene) -> None:
    assert await scene.run.remove()
    with pytest.raises(WorkTreeUnusable):
        await RunTree.reopen(scene.yard.trees, scene.yard.store, scene.run.tree.id, free)


async def test_a_moment_that_never_was_is_refused(scene: Scene) -> None:
    with pytest.raises(CheckpointRefused, match="no checkpoint"):
        await scene.run.return_to("nothing")


async def test_a_moment_is_a_checkpoint_of_the_work_tree(scene: Scene) -> None:
    snapshot = await scene.run.keep("attempt 1")
    (kept,) = await scene.yard.store.checkpoints.list(root=scene.run.tree.path)
    assert (kept.id, kept.label, kept.kind, kept.worktree_id) == (snapshot, "attempt 1", "turn", scene.run.tree.id)


async def test_what_changed_is_named_in_order(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh(
        "echo x > kept; rm edited; chmod +x new; mkdir -p a/b; touch a/b/c; git mv staged moved; touch z.log"
    )
    (scene.root / ODD).write_text("changed\n")
    assert await scene.run.changed_since(snapshot) == ("a/b/c", "edited", "kept", "moved", "new", ODD, "staged")


async def test_what_is_ignored_by_now_does_not_count_as_deleted(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("echo new > .gitignore")
    assert await scene.run.changed_since(snapshot) == (".gitignore",)


async def test_a_commit_hides_no_change(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("echo x > kept; git add -A; git -c user.name=A -c user.email=a@localhost commit -qm work")
    assert await scene.run.changed_since(snapshot) == ("kept",)
    assert "+x" in await scene.run.diff_since(snapshot)


async def test_of_a_folder_paths_are_its_own_and_the_rest_of_the_repository_shows(nested: Scene) -> None:
    assert nested.run.folder == nested.root / "app"
    snapshot = await nested.run.keep("start")
    await nested.sh("pwd -P | grep -q /app$; echo x > main.py; echo x > ../outside; rm ../other/app")
    assert await nested.run.changed_since(snapshot) == ("../other/app", "../outside", "main.py")
    assert await nested.run.paths_at(snapshot) == {"main.py", "deep/part.py", "../outside", "../other/app"}
    await nested.run.restore_files(snapshot, ["../outside", "../other/app"])
    assert await nested.run.changed_since(snapshot) == ("main.py",)


async def test_the_difference_can_be_applied(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("echo x > kept; rm edited; echo y > made")
    diff = await scene.run.diff_since(snapshot)
    await scene.run.return_to(snapshot)
    (scene.root.parent / "a.patch").write_text(diff)
    scene.git("apply", "../a.patch")
    assert await scene.run.changed_since(snapshot) == ("edited", "kept", "made")


async def test_commands_run_in_the_project_with_its_own_code(scene: Scene) -> None:
    (scene.run.folder / "src" / "shop.py").write_text("print(__file__)\n")
    result = await scene.run.run(f"cd /; {sys.executable} -c 'import shop'", time_limit=60)
    assert result.stdout == f"{scene.run.folder}/src/shop.py\n"


async def test_what_was_written_is_read(scene: Scene) -> None:
    await scene.run.write_text("src/new.py", "one\ntwo")
    assert (await ProjectFiles(scene.root).read_text("src/new.py")).lines == ("one", "two")
    assert (scene.root / "src" / "new.py").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        pytest.param(b"a\r\nb\r\n", "a\nc\nd", b"a\r\nc\r\nd\r\n", id="Windows line ends"),
        pytest.param(b"a\nb", "a\nc", b"a\nc", id="no line end at the end"),
        pytest.param(b"a\r\nb\nc\n", "a\nX\nc", b"a\r\nX\nc\n", id="mixed line ends"),
        pytest.param(b"\xef\xbb\xbfa\n", "ä", b"\xef\xbb\xbf\xc3\xa4\n", id="a byte order mark"),
        pytest.param(b"caf\xe9\n", "\u00e9t\u00e9", b"\xe9t\xe9\n", id="another encoding"),
        pytest.param("a\n".encode("utf-16"), "b", "b\n".encode("utf-16"), id="two bytes a character"),
    ],
)
async def test_a_text_is_written_as_the_file_was(scene: Scene, before: bytes, text: str, after: bytes) -> None:
    file = scene.root / "src" / "tool"
    file.write_bytes(before)
    await scene.run.write_text("src/tool", text)
    assert file.read_bytes() == after
    assert os.access(file, os.X_OK)


async def test_writing_a_files_own_lines_back_changes_nothing(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    for path in ("crlf.txt", "kept", "src/tool"):
        await scene.run.write_text(path, "\n".join((await ProjectFiles(scene.root).read_text(path)).lines))
    assert await scene.run.changed_since(snapshot) == ()


@pytest.mark.parametrize(
    "path",
    ["../beside", "/etc/hostname", "out/x", ".git", ".mulligan/x", ".env", "image.png", "src"],
    ids=["beside it", "elsewhere", "through a link", "git's", "ours", "a secret", "no text", "a folder"],
)
async def test_what_is_not_a_text_of_the_project_is_not_written(scene: Scene, path: str) -> None:
    (scene.root / "out").symlink_to(scene.yard.root)
    snapshot = await scene.run.keep("start")
    with pytest.raises(CallRejected):
        await scene.run.write_text(path, "x")
    assert await scene.run.changed_since(snapshot) == ()


async def test_the_result_comes_back_as_pending_changes_once(scene: Scene) -> None:
    project = str(scene.yard.root)
    before = content(project)
    await scene.sh("echo fixed > kept; echo made > made")
    brought = await scene.run.import_work(scene.yard.store.changes, project, None)
    assert [(change.path, change.kind) for change in brought.changes] == [("kept", "edit"), ("made", "create")]
    assert content(project) == before
    assert (await scene.run.import_work(scene.yard.store.changes, project, None)).changes == ()


async def test_once_brought_back_it_goes_with_its_moments(scene: Scene) -> None:
    await scene.run.keep("start")
    await scene.sh("echo fixed > kept")
    await scene.run.keep("made")
    await scene.run.import_work(scene.yard.store.changes, str(scene.yard.root), None)
    assert await scene.run.remove()
    assert not scene.root.exists()
    assert scene.yard.refs() == []
    assert await scene.yard.store.checkpoints.list() == []
    assert await scene.yard.trees.listed() == []


async def test_one_with_work_that_was_not_brought_back_stays_with_its_moments(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("echo fixed > kept")
    assert not await scene.run.remove()
    await scene.run.return_to(snapshot)
    assert await scene.run.remove()


async def test_a_run_that_changed_nothing_leaves_nothing(unborn: Scene) -> None:
    before = content(unborn.yard.root)
    snapshot = await unborn.run.keep("start")
    await unborn.sh("echo x > litter")
    await unborn.run.return_to(snapshot)
    assert await unborn.run.remove()
    assert content(unborn.yard.root) == before
    assert unborn.yard.refs() == []


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            b"# -*- coding: latin-1 -*-\nprice = '1 \xa3'\nreturn price\n", id="the only line that is not ASCII"
        ),
        pytest.param(b"one\n    two\r\n    three\n", id="mixed line endings"),
        pytest.param(b"\xef\xbb\xbfone\r\n", id="a mark and one line"),
        pytest.param(b"\n", id="an empty line"),
        pytest.param(b"", id="empty"),
    ],
)
async def test_a_change_is_undone_to_the_byte(scene: Scene, data: bytes) -> None:
    path = scene.run.folder / "src" / "odd.py"
    path.write_bytes(data)
    before = await scene.run.file_state("src/odd.py")
    for text in ("x = 1", "", "x = 1\ny = 2\nz = 3", "x = '\N{EURO SIGN}'"):
        await scene.run.write_text("src/odd.py", text)
        await scene.run.put_back("src/odd.py", before)
        assert path.read_bytes() == data


async def test_a_file_that_was_not_there_is_removed_again(scene: Scene) -> None:
    assert await scene.run.file_state("src/new.py") is None
    await scene.run.write_text("src/new.py", "one")
    await scene.run.put_back("src/new.py", None)
    assert not (scene.run.folder / "src" / "new.py").exists()
