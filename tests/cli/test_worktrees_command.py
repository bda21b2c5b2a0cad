"""`mulligan worktrees` in a real repository."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]


def git(folder: Path | str, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@localhost", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(project: Path) -> Path:
    """The project's turn.py is committed, and there is a file beside it that is not."""
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    (project / "notes").write_text("not committed\n")
    return project.resolve()


@pytest.fixture
def made(repository: Path, run: Start) -> dict[str, str]:
    done = run("worktrees", "make", "agent", "--json", "-C", str(repository))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("repository")
def test_make_prints_the_path_and_it_is_listed_as_clean(run: Start) -> None:
    folder = Path(run("worktrees", "make").stdout.strip())
    assert (folder / "notes").read_text() == "not committed\n"
    heading, row = run("worktrees").stdout.splitlines()
    assert heading.split() == ["id", "state", "size", "made", "path"]
    assert row.split()[1] == "clean"
    assert row.endswith(str(folder))


def test_made_for_a_subfolder_the_path_is_that_of_the_subfolder(repository: Path, run: Start) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "file").write_text("x\n")
    made = json.loads(run("worktrees", "make", "--json", "-C", "sub").stdout)
    assert made["folder"] == f"{made['path']}/sub"
    assert [json.loads(line)["id"] for line in run("worktrees", "list", "--json").stdout.splitlines()] == [made["id"]]


def test_one_with_work_in_it_is_not_removed_without_force(run: Start, made: dict[str, str], repository: Path) -> None:
    Path(made["path"], "turn.py").write_text("work\n")
    listed = json.loads(run("worktrees", "list", "--json").stdout)
    assert (listed["id"], listed["state"], listed["files"]) == (made["id"], "changed", ["turn.py"])
    assert "changed (1 file)" in run("worktrees", "list").stdout
    refused = run("worktrees", "remove", made["id"])
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "1 file not brought back (turn.py)" in refused.stderr
    forced = json.loads(run("worktrees", "remove", made["id"], "--force", "--json").stdout)
    assert git(repository, "show", f"{forced['kept_under']}:turn.py") == "work\n"
    assert not Path(made["path"]).exists()


def test_a_clean_one_is_removed(run: Start, made: dict[str, str]) -> None:
    assert run("worktrees", "remove", made["id"][:5]).stdout == f"removed {made['id']}\n"
    assert run("worktrees", "list").stderr == "no work trees\n"


def test_leftovers_are_listed_and_can_be_removed(
    run: Start, made: dict[str, str], environment: dict[str, str], repository: Path
) -> None:
    home = Path(environment["MULLIGAN_HOME"])
    for file in home.glob("mulligan.db*"):
        file.unlink()
    done = run("worktrees", "list")
    name = Path(made["path"]).name
    assert f"a folder without a record (mulligan worktrees remove {name})" in done.stderr
    assert json.loads(run("worktrees", "list", "--json").stdout)["leftover"] == name
    assert run("worktrees", "remove", name).stdout == f"removed {name}\n"
    assert git(repository, "worktree", "list").count("\n") == 1


def test_without_a_repository_it_says_so_with_code_2(run: Start, project: Path) -> None:
    for command in (["make"], ["list"], ["remove", "x"]):
        done = run("worktrees", *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is not in a git repository" in done.stderr
    assert project.is_dir()


def test_an_unknown_one_is_refused_with_code_2(run: Start, made: dict[str, str]) -> None:
    done = run("worktrees", "remove", "zzzz")
    assert done.returncode == 2
    assert "there is no work tree 'zzzz'" in done.stderr
    assert Path(made["path"]).is_dir()


def test_what_is_missing_in_it_is_said_when_it_is_made(repository: Path, run: Start) -> None:
    git(repository, "init", "-q", "nested")
    (repository / "nested" / "file").write_text("x\n")
    done = run("worktrees", "make")
    assert done.returncode == 0
    assert done.stderr.startswith("nested: ")
    shutil.rmtree(repository / "nested")
