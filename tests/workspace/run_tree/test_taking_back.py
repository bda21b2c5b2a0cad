"""Single files as they were, whatever stands in their place, and nothing else is touched."""

import pytest

from mulligan.types.errors import CallRejected
from tests.workspace.run_tree.conftest import Scene
from tests.workspace.worktrees.conftest import ODD, content


@pytest.mark.parametrize(
    ("script", "paths"),
    [
        pytest.param("echo x > kept", ["kept"], id="edited"),
        pytest.param("rm kept", ["kept"], id="deleted"),
        pytest.param("rm -r src", ["src/tool"], id="deleted with its folder"),
        pytest.param("chmod -x src/tool; chmod +x kept", ["src/tool", "kept"], id="made a program or none"),
        pytest.param("printf 'a\\nb\\n' > crlf.txt", ["crlf.txt"], id="other line ends"),
        pytest.param("ln -sf new link", ["link"], id="a link that leads elsewhere"),
        pytest.param("rm link; echo x > link", ["link"], id="a link that is a file"),
        pytest.param("rm kept; ln -s new kept", ["kept"], id="a file that is a link"),
        pytest.param("rm kept; mkdir kept; echo x > kept/inner", ["kept"], id="a file that is a folder"),
        pytest.param("rm -r src; echo x > src", ["src", "src/tool"], id="a folder that is a file"),
        pytest.param("mv src away; ln -s away src", ["src/tool", "away/tool", "src"], id="a folder that is a link"),
        pytest.param("rm kept; mkfifo kept", ["kept"], id="a file that is a pipe"),
        pytest.param("mkdir -p a/b; touch a/b/c", ["a/b/c"], id="new, in new folders"),
        pytest.param("touch x.log", ["x.log"], id="new and ignored"),
        pytest.param("echo '*' > .gitignore; echo x > new", [".gitignore", "new"], id="ignored by now"),
        pytest.param("git add -A; echo x > image.png", ["image.png"], id="untracked then"),
    ],
)
async def test_a_file_is_as_it_was(scene: Scene, script: str, paths: list[str]) -> None:
    before = content(scene.root)
    snapshot = await scene.run.keep("start")
    await scene.sh(script)
    await scene.run.restore_files(snapshot, paths)
    await scene.run.restore_files(snapshot, paths)
    assert content(scene.root) == before
    assert not (scene.root / "a").exists()


async def test_other_files_keep_their_changes(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("echo x > kept; echo y > edited; touch made; git add edited")
    (scene.root / ODD).unlink()
    await scene.run.restore_files(snapshot, ["kept", ODD])
    assert await scene.run.changed_since(snapshot) == ("edited", "made")
    assert (scene.root / ODD).read_text() == "odd\n"


async def test_a_folder_that_was_there_stays(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("touch hollow/new")
    await scene.run.restore_files(snapshot, ["hollow/new"])
    assert (scene.root / "hollow").is_dir()
    assert await scene.run.changed_since(snapshot) == ()


async def test_nothing_is_written_through_a_link(scene: Scene) -> None:
    outside = scene.yard.root
    before = content(outside)
    snapshot = await scene.run.keep("start")
    await scene.sh(f"rm -r src; ln -s {outside}/src src")
    (scene.yard.root / "src" / "tool").write_text("the person's\n")
    await scene.run.restore_files(snapshot, ["src/tool", "src/none"])
    assert content(outside) == before | {"src/tool": ("program", b"the person's\n")}
    assert not (scene.root / "src").is_symlink()


@pytest.mark.parametrize("path", ["../beside", "/etc/hostname", ".git", "src/../../x", "."])
async def test_a_path_that_is_no_file_of_the_work_tree_is_refused(scene: Scene, path: str) -> None:
    snapshot = await scene.run.keep("start")
    with pytest.raises(CallRejected, match="no file of the work tree"):
        await scene.run.restore_files(snapshot, [path])
