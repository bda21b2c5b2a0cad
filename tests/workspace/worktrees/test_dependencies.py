"""Dependency folders are at hand in a work tree, work there, and the person's own are never written."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from mulligan.workspace.worktrees.copying import Moved
from mulligan.workspace.worktrees.dependencies import Dependency, copy_dependencies, dependency_paths
from tests.workspace.worktrees.conftest import Yard


@pytest.fixture
def python_project(yard: Yard) -> Yard:
    """A package that is installed as editable in the project's own environment, in two ways."""
    root = yard.root
    (root / ".gitignore").write_text(".venv/\nnode_modules/\nenv\nvendor/\n")
    (root / "src" / "shop").mkdir(parents=True)
    (root / "src" / "shop" / "__init__.py").write_text("PLACE = 'checkout'\n")
    (root / "mapped.py").write_text("PLACE = 'checkout'\n")
    yard.commit_all()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / ".venv"], check=True)
    (packages,) = (root / ".venv" / "lib").glob("*/site-packages")
    (packages / "_shop.pth").write_text(f"{root}/src\n")
    (packages / "__editable___mapped.pth").write_text("import __editable___mapped_finder as f; f.install()\n")
    (packages / "__editable___mapped_finder.py").write_text(
        f"import sys\nMAPPING = {{'mapped': '{root}'}}\ndef install():\n    sys.path.append(MAPPING['mapped'])\n"
    )
    script = root / ".venv" / "bin" / "shop"
    script.write_text(f"#!{root}/.venv/bin/python\nimport shop, sys\nprint(shop.PLACE, shop.__file__, sys.prefix)\n")
    script.chmod(0o755)
    return yard


def run(*command: str | Path) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/", env=clean).stdout


async def test_an_environment_imports_the_work_trees_code_and_not_the_persons(python_project: Yard) -> None:
    tree = Path((await python_project.make()).path)
    (tree / "src" / "shop" / "__init__.py").write_text("PLACE = 'work tree'\n")
    (tree / "mapped.py").write_text("PLACE = 'work tree'\n")
    expected = f"work tree {tree}/src/shop/__init__.py {tree}/.venv\n"
    assert run(tree / ".venv" / "bin" / "shop") == expected
    assert run(tree / ".venv" / "bin" / "python", "-c", "import mapped; print(mapped.PLACE)") == "work tree\n"
    assert run("sh", "-c", f". {tree}/.venv/bin/activate && shop") == expected
    assert run(python_project.root / ".venv" / "bin" / "shop").startswith("checkout ")


async def test_a_write_into_the_copy_does_not_reach_the_original(python_project: Yard) -> None:
    root = python_project.root
    (root / "node_modules" / "left").mkdir(parents=True)
    original = root / "node_modules" / "left" / "index.js"
    original.write_text("original\n")
    os.link(original, root / "node_modules" / "left" / "second.js")
    tree = Path((await python_project.make()).path)
    copy = tree / "node_modules" / "left" / "index.js"
    with copy.open("r+") as file:
        file.write("OVERWRITTEN")
    assert original.read_text() == "original\n"
    shared = [
        path
        for folder in ("node_modules", ".venv")
        for path in (tree / folder).rglob("*")
        if not path.is_symlink() and path.is_file() and path.stat().st_nlink != 1
    ]
    assert shared == []


async def test_links_lead_to_the_work_tree_where_they_led_to_the_checkout(python_project: Yard, tmp_path: Path) -> None:
    root = python_project.root
    outside = tmp_path.resolve() / "outside.js"
    outside.write_text("elsewhere\n")
    modules = root / "node_modules"
    (modules / ".bin").mkdir(parents=True)
    (modules / ".bin" / "tool").symlink_to("../left/cli.js")
    (modules / "workspace").symlink_to("../src")
    (modules / "absolute").symlink_to(root / "src")
    (modules / "linked").symlink_to("../../outside.js")
    (modules / "system").symlink_to("/usr/bin/env")
    tree = Path((await python_project.make()).path)
    links = {path.name: os.fspath(path.readlink()) for path in (tree / "node_modules").rglob("*") if path.is_symlink()}
    assert links == {
        "tool": "../left/cli.js",
        "workspace": "../src",
        "absolute": f"{tree}/src",
        "linked": str(outside),
        "system": "/usr/bin/env",
    }
    assert (tree / "node_modules" / "linked").read_text() == "elsewhere\n"


async def test_dependencies_do_not_count_as_work(python_project: Yard) -> None:
    tree = await python_project.make()
    (Path(tree.path) / ".venv" / "new").write_text("installed\n")
    assert [each.state for each in await python_project.trees.listed()] == ["clean"]
    assert (await python_project.import_work(tree)).changes == ()


async def test_an_environment_that_ignores_itself_is_copied(yard: Yard) -> None:
    (yard.root / "a").write_text("a\n")
    (yard.root / "venv").mkdir()
    (yard.root / "venv" / ".gitignore").write_text("*\n")
    (yard.root / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    tree = await yard.make()
    assert (Path(tree.path) / "venv" / "pyvenv.cfg").exists()
    assert yard.git("status", "--porcelain", folder=tree.path) == "?? a\n"


async def test_ignored_folders_that_only_share_a_name_are_left_out(python_project: Yard) -> None:
    for name in ("env", "vendor"):
        (python_project.root / name).mkdir()
        (python_project.root / name / "private").write_text("not a dependency\n")
    tree = Path((await python_project.make()).path)
    assert not (tree / "env").exists()
    assert not (tree / "vendor").exists()


async def test_a_tracked_folder_comes_with_the_files_and_is_not_copied_over(yard: Yard) -> None:
    (yard.root / "node_modules").mkdir()
    (yard.root / "node_modules" / "tracked.js").write_text("x\n")
    yard.commit_all()
    made = await yard.trees.make("agent")
    assert (Path(made.tree.path) / "node_modules" / "tracked.js").read_text() == "x\n"
    assert made.skipped == ()


def test_over_the_limit_a_folder_is_named_with_words(tmp_path: Path) -> None:
    checkout, root = tmp_path / "checkout", tmp_path / "tree"
    root.mkdir()
    found: list[Dependency] = []
    for name, size in (("node_modules", 600), ("app/node_modules", 600), ("web/node_modules", 300)):
        (checkout / name).mkdir(parents=True)
        (checkout / name / "file").write_bytes(bytes(size))
        found.append(Dependency(name, checkout / name))
    left = copy_dependencies(checkout, root, found, limit_bytes=1000, stop=Event())
    assert [(each.path, "over what is copied" in each.reason) for each in left] == [("app/node_modules", True)]
    assert sorted(str(path.relative_to(root)) for path in root.rglob("file")) == [
        "node_modules/file",
        "web/node_modules/file",
    ]


def test_a_folder_that_can_not_be_copied_is_named_and_not_left_half_there(tmp_path: Path) -> None:
    checkout, root = tmp_path / "checkout", tmp_path / "tree"
    (checkout / "sub" / "node_modules").mkdir(parents=True)
    (checkout / "sub" / "node_modules" / "file").write_text("x\n")
    root.mkdir()
    (root / "sub").write_text("a file is in the way\n")
    found = [Dependency("sub/node_modules", checkout / "sub" / "node_modules")]
    (left,) = copy_dependencies(checkout, root, found, stop=Event())
    assert (left.path, "File exists" in left.reason) == ("sub/node_modules", True)
    assert (root / "sub").read_text() == "a file is in the way\n"


def test_folders_are_looked_for_at_the_top_and_beside_their_manifests() -> None:
    files = ["packages/a/package.json", "lib/Gemfile", "php/composer.json", "node_modules/x/package.json", "docs/a.md"]
    assert dependency_paths(files) == [
        ".venv",
        "env",
        "lib/.bundle",
        "lib/vendor/bundle",
        "node_modules",
        "packages/a/node_modules",
        "php/vendor",
        "venv",
    ]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        pytest.param(b"/code/app/src", b"/trees/x/src", id="below it"),
        pytest.param(b"#!/code/app/.venv/bin/python", b"#!/trees/x/.venv/bin/python", id="shebang"),
        pytest.param(b"'/code/app'", b"'/trees/x'", id="itself"),
        pytest.param(b"/code/app2/src", b"/code/app2/src", id="a longer name"),
        pytest.param(b"/code/app-old", b"/code/app-old", id="a name with a dash"),
        pytest.param(b"/mnt/code/app/src", b"/mnt/code/app/src", id="the end of another path"),
        pytest.param(b"/code/app:/code/app/b", b"/trees/x:/trees/x/b", id="a list of paths"),
    ],
)
def test_only_whole_paths_of_the_checkout_are_rewritten(text: bytes, moved: bytes) -> None:
    assert Moved(Path("/code/app"), Path("/trees/x")).text(text) == moved


async def test_a_link_in_an_environment_is_neither_read_nor_written_through(
    python_project: Yard, tmp_path: Path
) -> None:
    """What it leads to is not the work tree's, and may have no end."""
    root = python_project.root
    outside = tmp_path / "notes"
    outside.write_text(f"{root}\n")
    (packages,) = (root / ".venv" / "lib").glob("*/site-packages")
    (packages / "notes.pth").symlink_to(outside)
    (packages / "zero.pth").symlink_to("/dev/zero")
    os.mkfifo(packages / "pipe.pth")

    tree = Path((await python_project.make()).path)

    assert (tree / ".venv" / "pyvenv.cfg").is_file()
    assert outside.read_text() == f"{root}\n"
