"""The parts around a confined command, on real files."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.runtime.search_path import path_outside
from mulligan.types.errors import ConfigurationError
from mulligan.types.sandbox import NO_EXTRA_ACCESS, ExtraAccess, Limits, SandboxProfile
from mulligan.workspace.sandbox import find_sandbox
from mulligan.workspace.sandbox.detect import bubblewrap_program
from mulligan.workspace.sandbox.grants import (
    forget,
    read_commands,
    read_grants,
    read_trusted,
    remember,
    remember_command,
    trust_server,
)
from mulligan.workspace.sandbox.host_paths import find_host_paths
from mulligan.workspace.sandbox.restore_git_files import MAX_FILE_BYTES, restoring_git_files
from mulligan.workspace.sandbox.seatbelt import seatbelt_profile
from mulligan.workspace.sandbox.uncovered import MAX_UNCOVERED, find_uncovered
from tests.plain_user import told_by_plain_user


@pytest.fixture
def git_folder(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--template=", str(tmp_path)], check=True)
    (tmp_path / ".git" / "hooks").mkdir()
    hook = tmp_path / ".git" / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\n# mine\n")
    hook.chmod(0o755)
    return tmp_path / ".git"


def _link_hooks(git: Path) -> None:
    (git / "hooks" / "pre-push").unlink()
    (git / "hooks").rmdir()
    (git / "hooks").symlink_to("/nowhere")


def _move(git: Path) -> None:
    git.rename(git.with_name("aside"))
    git.write_text("gitdir: elsewhere\n")


def _folder_for_config(git: Path) -> None:
    (git / "config").unlink()
    (git / "config" / "deep").mkdir(parents=True)


DEEDS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda git: git,
    "a new hook": lambda git: (git / "hooks" / "pre-commit").write_text("evil"),
    "a changed hook": lambda git: (git / "hooks" / "pre-push").write_text("evil"),
    "a deleted hook": lambda git: (git / "hooks" / "pre-push").unlink(),
    "another mode": lambda git: (git / "hooks" / "pre-push").chmod(0o600),
    "a hook that is too large to be kept": lambda git: (git / "hooks" / "pre-commit").write_bytes(
        b"#" * (MAX_FILE_BYTES + 1)
    ),
    "a hook that is a link": lambda git: (git / "hooks" / "pre-commit").symlink_to("/bin/true"),
    "hooks elsewhere": _link_hooks,
    "a setting": lambda git: (git / "config").write_text("[core]\n\thooksPath = /evil\n"),
    "a folder for the settings": _folder_for_config,
    "a common folder": lambda git: (git / "commondir").write_text("/evil"),
    "attributes": lambda git: ((git / "info").mkdir(), (git / "info" / "attributes").write_text("* filter=evil")),
    "another repository": _move,
}


@pytest.mark.parametrize("action", DEEDS.values(), ids=DEEDS)
def test_what_is_planted_is_taken_away_and_what_was_there_comes_back(
    git_folder: Path, action: Callable[[Path], object]
) -> None:
    before = _files(git_folder)
    with restoring_git_files([git_folder]):
        action(git_folder)
    assert _files(git_folder) == before


def test_a_new_repository_has_no_hooks_and_no_settings(tmp_path: Path) -> None:
    with restoring_git_files([tmp_path / ".git"]):
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
        (tmp_path / ".git" / "hooks" / "pre-commit").write_text("evil")
        (tmp_path / ".git" / "config").write_text("[core]\n\tfsmonitor = evil\n")
    assert not (tmp_path / ".git" / "config").exists()
    assert not (tmp_path / ".git" / "hooks" / "pre-commit").exists()
    subprocess.run(["git", "status"], cwd=tmp_path, check=True, capture_output=True)


def test_a_file_that_names_a_repository_is_put_back(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: mine\n")
    with restoring_git_files([tmp_path / ".git"]):
        (tmp_path / ".git").write_text("gitdir: evil\n")
    assert (tmp_path / ".git").read_text() == "gitdir: mine\n"


def _files(folder: Path) -> dict[str, tuple[int, bytes]]:
    found = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return {str(file): (file.lstat().st_mode, file.read_bytes()) for file in found}


def test_what_a_person_opens_is_remembered_for_the_project_alone_and_forgotten(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert read_grants(tmp_path / "home", one) == NO_EXTRA_ACCESS
    remember(tmp_path / "home", one, ExtraAccess(network=True))
    now = remember(tmp_path / "home", one, ExtraAccess(write=(Path("/data"),)))
    assert read_grants(tmp_path / "home", one) == now == ExtraAccess(network=True, write=(Path("/data"),))
    assert read_grants(tmp_path / "home", other) == NO_EXTRA_ACCESS
    assert forget(tmp_path / "home", one)
    assert not forget(tmp_path / "home", one)
    assert read_grants(tmp_path / "home", one) == NO_EXTRA_ACCESS


def test_what_a_person_allowed_and_trusts_stays_when_more_is_opened(tmp_path: Path) -> None:
    remember_command(tmp_path, tmp_path, "make deploy")
    trust_server(tmp_path, tmp_path, "docs", "seen")
    trust_server(tmp_path, tmp_path, "other", "seen")
    trust_server(tmp_path, tmp_path, "other", None)
    remember(tmp_path, tmp_path, ExtraAccess(network=True))
    assert read_commands(tmp_path, tmp_path) == ("make deploy",)
    assert read_trusted(tmp_path, tmp_path) == {"docs": "seen"}
    assert read_trusted(tmp_path, tmp_path / "elsewhere") == {}


def test_openings_that_can_not_be_read_are_said_and_not_taken_for_open(tmp_path: Path) -> None:
    (tmp_path / "openings.json").write_text("{")
    with pytest.raises(ConfigurationError, match="delete it to close everything again"):
        read_grants(tmp_path, tmp_path)


async def test_ignored_files_are_not_covered_but_for_what_tools_make_again(git_folder: Path) -> None:
    tmp_path = git_folder.parent
    (tmp_path / ".gitignore").write_text("local.db\nnode_modules/\n*.pyc\n")
    (tmp_path / "node_modules").mkdir()
    for name in ("local.db", "node_modules/one.js", "one.pyc", "seen.txt"):
        (tmp_path / name).write_text("x")
    assert await find_uncovered(tmp_path, ["large.bin"]) == (tmp_path / "local.db", tmp_path / "large.bin")


async def test_too_many_ignored_files_are_not_relied_on(git_folder: Path) -> None:
    tmp_path = git_folder.parent
    assert await find_uncovered(tmp_path, [f"{number}.bin" for number in range(MAX_UNCOVERED + 1)]) is None
    assert await find_uncovered(tmp_path / "nowhere", []) is None


def test_a_bwrap_in_the_project_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / "bin" / "bwrap"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}:.:bin")
    assert bubblewrap_program(tmp_path / "elsewhere") == str(planted)
    assert bubblewrap_program(tmp_path) is None
    assert "install bubblewrap" in find_sandbox("bubblewrap", tmp_path).missing


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_what_a_search_path_names_in_closed_folders_is_left_out() -> None:
    """As after `su`: bubblewrap ends where it can't get at a folder that it should show."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        closed, folder = Path(made) / "closed" / "bin", Path(made) / "open"
        closed.mkdir(parents=True)
        folder.mkdir()
        Path(made).chmod(0o755)
        closed.parent.chmod(0o700)
        environ = {"HOME": made, "PATH": f"{closed}:{folder}", "TMPDIR": str(closed)}
        told = told_by_plain_user(lambda: " ".join(map(str, find_host_paths(folder, folder, environ).tools)))
        assert str(closed) not in told.split()
        assert str(folder) in told.split()


def test_a_search_path_without_the_project_keeps_its_order() -> None:
    assert path_outside("/b:/work/bin:rel::/a", Path("/work")) == "/b:/a"


@pytest.mark.parametrize(("choice", "words"), [("none", "turned off"), ("seatbelt", "on macOS only")])
def test_why_there_is_no_sandbox_is_said(choice: str, words: str) -> None:
    found = find_sandbox(choice)  # pyright: ignore[reportArgumentType]
    assert found.mechanism == "none"
    assert words in found.missing


def test_a_linked_work_tree_is_known_by_what_both_sides_say(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    names = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    subprocess.run(["git", *names, "commit", "-q", "--allow-empty", "-m", "One"], cwd=main, check=True)
    subprocess.run(["git", "worktree", "add", "-q", str(tree)], cwd=main, check=True)
    found = find_host_paths(tree, tmp_path / "home", {"HOME": str(tmp_path)}).repositories
    assert [(each.git_dir, each.common_dir) for each in found] == [(main / ".git/worktrees/tree", main / ".git")]
    (tmp_path / "thief").mkdir()
    (tmp_path / "thief" / ".git").write_text(f"gitdir: {main}/.git/worktrees/tree\n")
    assert find_host_paths(tmp_path / "thief", tmp_path / "home", {"HOME": str(tmp_path)}).repositories == ()


def test_seatbelts_rules_name_every_place_and_later_ones_take_away() -> None:
    made = seatbelt_profile(
        SandboxProfile(
            home=Path("/Users/me"),
            hidden=(Path("/Users"),),
            readable=(Path("/Users/me/.cargo"),),
            writable=(Path('/Users/me/my "project"'),),
            protected=(Path("/Users/me/project/.git"),),
            kept=(),
            masked=(Path("/Users/me/project/.env"),),
            cache=Path("/cache"),
            limits=Limits(1, 1, 1),
        ),
        private=Path("/private"),
    )
    rules = made.splitlines()
    assert rules[:2] == ["(version 1)", "(deny default)"]
    assert rules[-6:] == [
        '(deny file-read* (subpath "/Users"))',
        '(allow file-read* (subpath "/Users/me/.cargo"))',
        '(allow file-read* file-write* (subpath "/Users/me/my \\"project\\"") (subpath "/cache") (subpath "/private"))',
        '(deny file-write* (subpath "/Users/me/project/.git"))',
        '(deny file-read* file-write* (subpath "/Users/me/project/.env"))',
        "(deny network*)",
    ]
    assert made.count("(") == made.count(")")
