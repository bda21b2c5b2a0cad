"""Nothing of a gigabyte is downloaded unasked, at a terminal or without one."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.forked_command import SOURCE
from tests.installed_engine import install_engine
from tests.patience import PATIENCE

ASK = ("ask", "what is this?")
EVERY_COMMAND = [ASK, ("code", "change it"), ("fix", "make the tests pass", "--verify", "true"), ("models", "probe")]


@pytest.fixture
def asking(environment: dict[str, str], project: Path, tmp_path: Path) -> dict[str, str]:
    """Settings as they are at first, the engine installed, and no mirror in reach."""
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    del environment["MULLIGAN_DOWNLOADS"]
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}
    return {**environment, **nowhere, "PYTHONPATH": f"{install_engine(tmp_path / 'site')}:{SOURCE}"}


def run(project: Path, environ: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    """Not forked: the engine is looked for on the path that Python starts with."""
    return subprocess.run(
        [sys.executable, "-m", "mulligan", *words],
        check=False, cwd=project, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=lambda words: words[0])
def test_without_a_terminal_nothing_is_fetched_and_it_is_said_what_to_type(
    project: Path, asking: dict[str, str], words: tuple[str, ...], tmp_path: Path
) -> None:
    ended = run(project, asking, *words)
    assert ended.returncode == 6, ended.stderr
    assert "mulligan models pull qwen2.5-coder-1.5b" in ended.stderr
    assert "MULLIGAN_DOWNLOADS=yes" in ended.stderr
    assert not (tmp_path / "home" / "models").exists()


@pytest.mark.parametrize(
    ("words", "variable"),
    [((*ASK, "--yes"), {}), (ASK, {"MULLIGAN_DOWNLOADS": "yes"}), (("models", "pull", "qwen2.5-coder-1.5b"), {})],
    ids=["--yes", "the setting", "pull"],
)
def test_whoever_said_yes_is_not_asked(
    project: Path, asking: dict[str, str], words: tuple[str, ...], variable: dict[str, str]
) -> None:
    ended = run(project, {**asking, **variable}, *words)
    assert "could not be downloaded" in ended.stderr, "it tried, with no mirror in reach"
    assert ended.returncode == 1


def test_a_project_can_not_say_yes(project: Path, asking: dict[str, str]) -> None:
    (project / "mulligan.toml").write_text('downloads = "yes"\n')
    ended = run(project, asking, *ASK)
    assert (ended.returncode, "downloads can't be set in a project" in ended.stderr) == (2, True)


@pytest.fixture
def at_terminal(project: Path, asking: dict[str, str]) -> Iterator[Callable[..., "pexpect.spawn[str]"]]:
    started: list[pexpect.spawn[str]] = []

    def start(*words: str) -> "pexpect.spawn[str]":
        arguments = ["-m", "mulligan", *words]
        screen: pexpect.spawn[str] = pexpect.spawn(
            sys.executable, arguments, cwd=str(project), env=asking, encoding="utf-8", timeout=PATIENCE
        )
        started.append(screen)
        return screen

    yield start
    for screen in started:
        screen.close(force=True)


@pytest.mark.parametrize("words", [ASK, ("code", "change it"), ("chat",), EVERY_COMMAND[2]], ids=lambda words: words[0])
def test_at_a_terminal_it_is_asked_first_and_no_is_an_answer(
    at_terminal: Callable[..., "pexpect.spawn[str]"], words: tuple[str, ...], tmp_path: Path
) -> None:
    screen = at_terminal(*words)
    screen.expect("1.1 GB")
    screen.expect("11434")
    screen.expect("download it")
    screen.send("n\r")
    screen.expect(pexpect.EOF)
    screen.wait()
    assert screen.exitstatus == 6
    assert not (tmp_path / "home" / "models").exists()


def test_a_yes_at_the_terminal_begins_the_download(at_terminal: Callable[..., "pexpect.spawn[str]"]) -> None:
    screen = at_terminal(*ASK)
    screen.expect("download it")
    screen.send("y\r")
    screen.expect("could not be")
    screen.expect(pexpect.EOF)
    screen.wait()
    assert screen.exitstatus == 1


def test_ctrl_c_at_the_question_ends_the_command(at_terminal: Callable[..., "pexpect.spawn[str]"]) -> None:
    screen = at_terminal(*ASK)
    screen.expect("download it")
    screen.send("\x03")
    screen.expect(pexpect.EOF)
    screen.wait()
    assert screen.exitstatus == 130
