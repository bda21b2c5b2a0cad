"""Commands of a run use the tools and import the code of the work tree they run in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.workspace.run_environment import run_environment

FINDER = """
import sys
from importlib.machinery import PathFinder
class Editable:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{place!r}])
def install():
    sys.meta_path.append(Editable)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


def package(root: Path, place: str) -> None:
    """A package whose code says where it is."""
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "__init__.py").write_text(f"PLACE = {place!r}\n")


def environment(folder: Path) -> Path:
    """A Python environment; where its packages go."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = (folder / "lib").glob("*/site-packages")
    return packages


def run(folder: Path, *command: str, **environ: str) -> str:
    env = run_environment({"PATH": os.environ["PATH"]} | environ, folder)
    return subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("layout", ["src", "."], ids=["in src", "at the top"])
@pytest.mark.parametrize("way", ["path", "finder"])
def test_the_work_trees_code_is_imported_though_the_checkouts_is_installed_as_editable(
    tmp_path: Path, folder: Path, layout: str, way: str
) -> None:
    package(tmp_path / "checkout" / layout, "checkout")
    package(folder / layout, "work tree")
    elsewhere = tmp_path / "environment"
    packages, code = environment(elsewhere), str(tmp_path / "checkout" / layout)
    if way == "path":
        (packages / "__editable__.shop.pth").write_text(f"{code}\n")
    else:
        (packages / "__editable___shop_finder.py").write_text(FINDER.format(place=code))
        (packages / "__editable__.shop.pth").write_text("import __editable___shop_finder as f; f.install()\n")
    script = elsewhere / "bin" / "shop"
    script.write_text(f"#!{elsewhere}/bin/python\nimport shop\nprint(shop.PLACE)\n")
    script.chmod(0o755)

    path = f"{elsewhere}/bin:{os.environ['PATH']}"

    assert subprocess.run([script], check=True, capture_output=True, text=True).stdout == "checkout\n"
    assert run(folder, "sh", "-c", "shop", PATH=path) == "work tree\n"


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_the_environment_of_the_work_tree_comes_first(tmp_path: Path, folder: Path, name: str) -> None:
    environment(folder / name)
    environment(tmp_path / "other")
    other = {"PATH": f"{tmp_path}/other/bin:{os.environ['PATH']}", "VIRTUAL_ENV": f"{tmp_path}/other"}

    prefix = run(folder, "sh", "-c", "python -c 'import sys; print(sys.prefix)'; echo $VIRTUAL_ENV", **other)

    assert prefix.split() == [str(folder / name)] * 2


def test_a_folder_that_only_has_the_name_of_an_environment_is_none(folder: Path) -> None:
    (folder / "venv" / "bin").mkdir(parents=True)

    assert run_environment({"PATH": "/bin"}, folder)["PATH"] == "/bin"


def test_an_environment_elsewhere_stays_in_use(folder: Path) -> None:
    assert run_environment({"VIRTUAL_ENV": "/elsewhere"}, folder)["VIRTUAL_ENV"] == "/elsewhere"


def test_commands_of_node_packages_are_found(folder: Path) -> None:
    tools = folder / "node_modules" / ".bin"
    tools.mkdir(parents=True)
    (tools / "vitest").write_text("#!/bin/sh\necho found\n")
    (tools / "vitest").chmod(0o755)

    assert run(folder, "sh", "-c", "vitest") == "found\n"


def test_paths_that_were_set_come_after(folder: Path) -> None:
    (folder / "src").mkdir()

    made = run_environment({"PATH": "/bin", "PYTHONPATH": "/theirs"}, folder)

    assert made["PYTHONPATH"] == f"{folder}/src:{folder}:/theirs"


@pytest.mark.parametrize("module", ["queue.py", "email/__init__.py"])
def test_a_module_of_the_project_never_stands_in_for_a_standard_one(folder: Path, module: str) -> None:
    (folder / module).parent.mkdir(exist_ok=True)
    (folder / module).write_text("raise SystemExit('the wrong one')\n")
    script = folder.parent / "tool.py"
    script.write_text("import email, queue\nprint('fine')\n")

    assert run(folder, sys.executable, str(script)) == "fine\n"


def test_code_that_was_edited_within_a_second_is_not_run_from_what_was_compiled_before(folder: Path) -> None:
    outputs: list[str] = []
    for number in (1, 2):
        (folder / "answer.py").write_text(f"ANSWER = {number}\n")
        os.utime(folder / "answer.py", (1_000_000_000, 1_000_000_000))
        outputs.append(run(folder, sys.executable, "-c", "import answer; print(answer.ANSWER)"))

    assert outputs == ["1\n", "2\n"]
    assert sorted(path.name for path in folder.iterdir()) == ["answer.py"]


@pytest.mark.parametrize("environ", [{}, {"CI": "true"}], ids=["without", "with"])
def test_what_tests_take_for_continuous_integration_is_as_it_was(folder: Path, environ: dict[str, str]) -> None:
    assert run_environment(environ, folder).get("CI") == environ.get("CI")
