"""`mulligan changes import`: from a work tree to pending changes, and on to the files."""

import json
import os
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
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    return project.resolve()


@pytest.fixture
def tree(repository: Path, run: Start) -> Path:
    """A work tree with an edit, a program, a link, a binary and a rename."""
    assert repository.is_dir()
    path = Path(run("worktrees", "make").stdout.strip())
    (path / "turn.py").rename(path / "round.py")
    (path / "run").write_text("#!/bin/sh\n")
    (path / "run").chmod(0o755)
    (path / "link").symlink_to("run")
    (path / "data").write_bytes(b"\0\1\2")
    return path


def test_the_only_work_tree_is_imported_and_applied(run: Start, tree: Path, repository: Path) -> None:
    staged = [json.loads(line) for line in run("changes", "import", "--json").stdout.splitlines()]
    assert [(each["kind"], each["path"], each["status"]) for each in staged] == [
        ("create", "data", "pending"),
        ("create", "link", "pending"),
        ("create", "round.py", "pending"),
        ("create", "run", "pending"),
        ("delete", "turn.py", "pending"),
    ]
    assert (repository / "turn.py").exists()
    assert run("changes", "apply").returncode == 0
    assert sorted(path.name for path in repository.iterdir() if not path.name.startswith(".")) == [
        "data",
        "link",
        "round.py",
        "run",
    ]
    assert (repository / "link").is_symlink()
    assert os.access(repository / "run", os.X_OK)
    assert (repository / "data").read_bytes() == (tree / "data").read_bytes()


@pytest.mark.usefixtures("tree")
def test_it_prints_what_it_staged_and_the_second_time_that_there_is_nothing(run: Start) -> None:
    first = run("changes", "import")
    assert first.stdout.splitlines()[0].split() == ["id", "change", "made", "chat"]
    assert len(first.stdout.splitlines()) == 6
    second = run("changes", "import")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "nothing new to import\n")


def test_with_several_they_are_named_and_an_id_picks_one(run: Start, tree: Path) -> None:
    other = json.loads(run("worktrees", "make", "--json").stdout)
    Path(other["path"], "only here").write_text("x\n")
    done = run("changes", "import")
    assert done.returncode == 2
    assert other["id"] in done.stderr
    (staged,) = run("changes", "import", other["id"][:6], "--json").stdout.splitlines()
    assert json.loads(staged)["path"] == "only here"
    assert tree.is_dir()


@pytest.mark.usefixtures("repository")
def test_without_any_that_is_said(run: Start) -> None:
    done = run("changes", "import")
    assert (done.returncode, done.stderr) == (2, "mulligan: there is no work tree\n")


def test_any_work_tree_of_the_repository_can_be_imported_by_path(run: Start, repository: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(repository, "worktree", "add", "-q", "-b", "side", str(side))
    (side / "turn.py").write_text("by hand\n")
    git(side, "commit", "-q", "-a", "-m", "theirs")
    (staged,) = run("changes", "import", str(side), "--json").stdout.splitlines()
    assert (json.loads(staged)["kind"], json.loads(staged)["path"]) == ("edit", "turn.py")
    assert run("changes", "import", str(side)).stderr == "nothing new to import\n"


def test_what_can_not_be_imported_is_named_with_code_4(run: Start, tree: Path) -> None:
    (tree / "server.pem").write_text("secret\n")
    done = run("changes", "import", "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (4, 5)
    assert done.stderr.startswith("not imported: server.pem: ")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param("nowhere", "there is no work tree 'nowhere'", id="neither id nor folder"),
        pytest.param(".", "is the project itself", id="the project"),
        pytest.param("..", "is not in a git repository", id="no repository"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_is_no_work_tree_is_refused_with_code_2(run: Start, given: str, words: str) -> None:
    done = run("changes", "import", given)
    assert done.returncode == 2
    assert words in done.stderr
