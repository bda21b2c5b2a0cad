"""What the shell offers at Tab, asked as shells ask: by the environment of the command."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mulligan.cli.app import app
from mulligan.store.store import open_store
from tests.cli.conftest import Run
from tests.patience import PATIENCE

Offered = Callable[[str], list[str]]


@pytest.fixture
def complete(
    environment: dict[str, str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, str]], str]:
    """What is answered to a shell."""
    monkeypatch.chdir(project)

    def answer(asked: dict[str, str]) -> str:
        done = CliRunner().invoke(app, env={**environment, **asked}, prog_name="mulligan")
        assert (done.exit_code, done.stderr) == (0, "")
        return done.stdout

    return answer


@pytest.fixture
def offered(complete: Callable[[dict[str, str]], str]) -> Offered:
    """What a line that is not finished can go on with, in bash."""

    def ask(line: str) -> list[str]:
        place = str(line.count(" "))
        return complete({"COMP_WORDS": line, "COMP_CWORD": place, "_MULLIGAN_COMPLETE": "complete_bash"}).split()

    return ask


def test_bash_completes_with_the_script_that_is_shown(environment: dict[str, str], project: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    script = """
        eval "$(mulligan --show-completion)"
        COMP_WORDS=(mulligan drill --only same-c) COMP_CWORD=3
        _mulligan_completion mulligan
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**environment, "PATH": path},
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert (done.stdout, done.stderr) == ("same-call\n", "")


@pytest.mark.parametrize(
    ("shell", "answer"),
    [pytest.param("zsh", '"doctor":"Check', id="zsh"), pytest.param("fish", "doctor\tCheck", id="fish")],
)
def test_other_shells_get_a_word_on_each(shell: str, answer: str, complete: Callable[[dict[str, str]], str]) -> None:
    asked = {
        "_MULLIGAN_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "mulligan do",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert answer in complete(asked)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        pytest.param("mulligan ch", ["changes", "chat", "chats", "checkpoints"], id="commands"),
        pytest.param("mulligan ask --agent re", ["reviewer"], id="agents"),
        pytest.param("mulligan delegate --agent opencode", ["opencode", "opencode-acp", "opencode-run"], id="external"),
        pytest.param("mulligan drill --only loo", ["loops"], id="groups of faults"),
        pytest.param("mulligan models pull qwen2.5-coder-1", ["qwen2.5-coder-1.5b"], id="models"),
        pytest.param("mulligan fix --profile s", ["smoke", "strict"], id="choices"),
    ],
)
def test_names_are_offered(line: str, names: list[str], offered: Offered) -> None:
    assert sorted(offered(line)) == names


def test_where_nothing_is_kept_nothing_is_offered_and_nothing_is_made(
    offered: Offered, environment: dict[str, str]
) -> None:
    assert offered("mulligan ask --chat ") == []
    assert not Path(environment["MULLIGAN_HOME"]).exists()


def test_chats_of_the_project_are_offered(offered: Offered, environment: dict[str, str], project: Path) -> None:
    async def talk() -> str:
        store = await open_store(Path(environment["MULLIGAN_HOME"]) / "mulligan.db")
        await store.chats.create(project="/elsewhere", agent="default", title="Another")
        chat = await store.chats.create(project=str(project), agent="default", title="Where is it?")
        await store.close()
        return chat.id

    chat = asyncio.run(talk())
    assert offered("mulligan ask --chat ") == [chat]
    assert offered(f"mulligan chats show {chat[:4]}") == [chat]


def test_checkpoints_of_the_repository_around_the_project_are_offered(
    offered: Offered, run: Run, project: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project.parent, check=True)
    taken = run("checkpoints", "create").stdout.split()
    assert offered("mulligan restore ") == taken


def test_settings_that_can_not_be_read_offer_nothing(offered: Offered, project: Path) -> None:
    (project / "mulligan.toml").write_text("= broken", encoding="utf-8")
    assert offered("mulligan ask --agent ") == []


def test_a_project_named_before_is_the_one_that_counts(offered: Offered, project: Path) -> None:
    agent = '[agents.painter]\ndescription = "Paints."\ntools = []\nprompt = "Paint."\n'
    other = project.with_name("other")
    other.mkdir()
    (other / "mulligan.toml").write_text(agent, encoding="utf-8")
    assert offered(f"mulligan ask -C {other} --agent pa") == ["painter"]
