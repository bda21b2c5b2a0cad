"""What a child of Mulligan can learn of the keys that Mulligan was started with."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.models.scripted.script import Script, ScriptedReply
from mulligan.runtime.own_secrets import without_secrets
from tests.e2e.command import MULLIGAN
from tests.scripted_server import running

OURS = {"MULLIGAN_API_KEY": "ours-for-the-model", "MULLIGAN_DATABASE_URL": "postgresql://me:ours-too@127.0.0.1:1/x"}
THEIRS = {"GITHUB_TOKEN": "theirs-for-github", "HTTPS_PROXY": "http://me:theirs-too@127.0.0.1:1"}
KEYS = re.compile("ours-for-the-model|ours-too|theirs-for-github|theirs-too")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MULLIGAN_", "GIT_"))}
    alone = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
    return {**kept, **alone, "MULLIGAN_API_KEY": OURS["MULLIGAN_API_KEY"], **THEIRS}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("def a():\n    return 1\n")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    return folder


SENTINEL_STYLES = """
import ctypes, os, subprocess, sys
from mulligan.runtime.own_secrets import hide_secrets, whole_environment
hide_secrets()
"""
"""What `mulligan` does first, and then what the test wants to know."""


def after_hiding(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SENTINEL_STYLES + code],
        env={**os.environ, **OURS, **THEIRS},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_environment_that_the_system_shows_holds_no_key() -> None:
    # Else not even the process itself may open the file, unless it is root's.
    opened = "ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)"
    shown = after_hiding(f"{opened}\nprint(open('/proc/self/environ', errors='replace').read())")
    assert "GITHUB_TOKEN=*****************" in shown
    assert "PATH=/" in shown
    assert not KEYS.search(shown)


def test_a_child_looks_at_its_parent_and_finds_no_key() -> None:
    """As root it may read it; others may not even do that."""
    looks = "tr '\\\\0' '\\\\n' </proc/$PPID/environ; ps eww -p $PPID; true"
    shown = after_hiding(f'subprocess.run(["sh", "-c", "{looks}"], env={{"PATH": os.environ["PATH"]}})')
    assert not KEYS.search(shown)


def test_the_memory_is_closed_to_others_of_the_same_user() -> None:
    assert after_hiding("print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))") == "0\n"


@pytest.mark.parametrize("how", ["None", "os.environ"])
def test_children_get_what_is_not_ours_and_nothing_that_is(how: str) -> None:
    shown = after_hiding(f'subprocess.run(["env"], env={how})')
    for name, value in THEIRS.items():
        assert f"{name}={value}\n" in shown
    assert not any(name in shown for name in OURS)


def test_settings_still_find_what_was_taken() -> None:
    assert after_hiding("print(whole_environment()['MULLIGAN_API_KEY'])") == "ours-for-the-model\n"


def test_a_process_of_our_own_gets_none_at_all() -> None:
    kept = without_secrets(
        {**OURS, **THEIRS, "PATH": "/bin", "LANG": "C", "MULLIGAN_HOME": "/home", "PYTHONPATH": "/x"}
    )
    assert kept == {"PATH": "/bin", "LANG": "C", "MULLIGAN_HOME": "/home", "PYTHONPATH": "/x"}


@pytest.fixture
def watched(tmp_path: Path, environ: dict[str, str]) -> Callable[[], dict[str, str]]:
    """Programs in the place of those that Mulligan starts, which write down what they and their parent were given."""
    folder, seen = tmp_path / "bin", tmp_path / "seen"
    folder.mkdir()
    seen.mkdir()
    for name in ("git", "rg"):
        real = subprocess.run(
            ["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=False
        ).stdout.strip()
        program = folder / name
        program.write_text(
            f"#!/bin/sh\n{{ env; tr '\\0' '\\n' </proc/$PPID/environ; }} >{seen}/{name}.$$ 2>/dev/null\n"
            f'exec {real or MULLIGAN.with_name(name)} "$@"\n'
        )
        program.chmod(0o755)
    environ["PATH"] = f"{folder}:{environ['PATH']}"
    return lambda: {file.name: file.read_text(errors="replace") for file in seen.iterdir()}


def test_no_child_of_a_turn_gets_our_key(
    project: Path, environ: dict[str, str], watched: Callable[[], dict[str, str]]
) -> None:
    looking = ScriptedReply.model_validate({"tool_calls": [{"name": "grep", "arguments": {"pattern": "def"}}]})
    told = ScriptedReply.model_validate({"text": "Done."})
    with running(Script(replies=(looking, told))) as server:
        environ |= {"MULLIGAN_BASE_URL": server.base_url, "MULLIGAN_MODEL": "scripted"}
        done = subprocess.run(
            [MULLIGAN, "code", "look"], cwd=project, env=environ, capture_output=True, text=True, check=False
        )
    assert "Done." in done.stdout, done.stderr
    seen = watched()
    assert {name.partition(".")[0] for name in seen} == {"git", "rg"}
    for text in seen.values():
        assert OURS["MULLIGAN_API_KEY"] not in text


def test_an_external_agent_has_its_own_login_and_not_our_key(project: Path, environ: dict[str, str]) -> None:
    home = Path(environ["MULLIGAN_HOME"])
    home.mkdir()
    spy = r"env >seen; tr '\\0' '\\n' >parent </proc/$PPID/environ; echo Done."
    (home / "mulligan.toml").write_text(f'[external.spy]\nkind = "one_shot"\ncommand = ["sh", "-c", "{spy}"]\n')
    for words in (["delegate", "look", "--agent", "spy", "--yes"], ["changes", "apply"]):
        subprocess.run([MULLIGAN, *words], cwd=project, env=environ, capture_output=True, check=False)
    own = (project / "seen").read_text()
    assert "GITHUB_TOKEN=theirs-for-github" in own
    assert OURS["MULLIGAN_API_KEY"] not in own
    assert not KEYS.search((project / "parent").read_text())
