"""`mulligan delegate` with a user at the terminal: the agent's questions reach them, and its changes too."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Command
from tests.e2e.delegate_project import goal, make_delegating

Start = Callable[..., Any]

EDIT = {"write": "turn.py", "text": "def turn():\n    return 'two'\n"}
ASK = {
    "ask": "1",
    "title": "fetch it",
    "kind": "execute",
    "input": {"command": "curl example.com"},
    "yes": [EDIT, {"say": " Fetched."}],
    "no": [{"say": " Without it."}],
}


@pytest.fixture
def delegated(project: Path, environment: dict[str, str], tmp_path: Path, in_terminal: Start) -> Start:
    """Start it with what the agent does."""
    make_delegating(Command(Path(environment["MULLIGAN_HOME"]), project), tmp_path)

    def start(*steps: dict[str, Any]) -> Any:
        return in_terminal("delegate", "--agent", "scripted", goal(list(steps)), columns=120)

    return start


def test_a_yes_reaches_the_agent_and_its_changes_are_looked_at(delegated: Start, project: Path) -> None:
    terminal = delegated(ASK)
    terminal.sees("curl example.com")
    terminal.sees("scripted asks: allow it?")
    terminal.types("y\r")
    terminal.sees("Fetched.")
    terminal.sees("+    return 'two'")
    terminal.sees("1/1 edit turn.py +1 -1: apply?")
    terminal.types("y\r")
    assert terminal.leaves() == 0
    assert "'two'" in (project / "turn.py").read_text()


@pytest.mark.parametrize("answer", [pytest.param("n\r", id="no"), pytest.param("\r", id="the default")])
def test_a_no_reaches_the_agent_and_nothing_is_changed(delegated: Start, run: Start, answer: str) -> None:
    terminal = delegated(ASK)
    terminal.sees("allow it?")
    terminal.types(answer)
    terminal.sees("the reject_once")
    terminal.sees("Without it.")
    assert terminal.leaves() == 0
    assert run("changes", "list", "--json").stdout == ""


def test_an_answer_that_is_none_is_asked_for_again(delegated: Start) -> None:
    terminal = delegated(ASK)
    terminal.sees("allow it?")
    terminal.types("perhaps\r")
    terminal.sees("allow it?")
    terminal.types("yes\r")
    terminal.sees("Fetched.")


def test_a_failure_names_the_agent(delegated: Start) -> None:
    terminal = delegated({"error": "no more tokens"})
    terminal.sees("scripted gave up: no more tokens")
    terminal.sees("· failed ·")
    assert terminal.leaves() == 5


@pytest.mark.parametrize("key", [pytest.param("\x03", id="Ctrl-C"), pytest.param("\x04", id="end of input")])
def test_leaving_at_the_question_ends_the_turn(delegated: Start, run: Start, key: str) -> None:
    terminal = delegated(EDIT, ASK)
    terminal.sees("allow it?")
    terminal.types(key)
    terminal.sees("Stopped by you.")
    terminal.sees("1 change is pending")
    assert terminal.leaves() == 130
    assert json.loads(run("changes", "list", "--json").stdout)["path"] == "turn.py"
