"""The box that asks for a yes shows all that would be done, whatever is in it."""

import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from mulligan.cli.interactive.approval import AskAtTerminal
from mulligan.cli.views.screen import Screen
from mulligan.cli.views.terminal_view import TerminalViewer
from mulligan.core.visible_text import in_full
from mulligan.types.commands import PolicyVerdict
from tests.cli.conftest import PaperTerminal


def ask_verdict(reason: str) -> PolicyVerdict:
    return PolicyVerdict("ask", reason, frozenset({"unknown"}))


async def asked(console: Console, paper: PaperTerminal, command: str, reason: str = "Who knows.") -> str:
    """What stands on the screen when the user says yes."""
    with create_pipe_input() as keys, create_app_session(keys, DummyOutput()):
        keys.send_text("y\r")
        assert await AskAtTerminal(TerminalViewer(console=console))(command, ask_verdict(reason))
    return paper.getvalue()


SPOOFS = [
    pytest.param("ls\x1b[8m; touch hidden\x1b[0m", "ls^[[8m; touch hidden^[[0m", id="hidden by a colour"),
    pytest.param("ls \x1b]0;; touch hidden\x07", "ls ^[]0;; touch hidden^G", id="in a title"),
    pytest.param("touch hidden\rls", "touch hidden^Mls", id="written over"),
    pytest.param("ls \x9b8m; touch hidden", "ls <U+009B>8m; touch hidden", id="an escape of one character"),
    pytest.param("ls \u202enedidh hcuot", "ls <U+202E>nedidh hcuot", id="turned around"),
]


@pytest.mark.parametrize(("command", "shown"), SPOOFS)
async def test_what_would_hide_is_written_out(console: Console, paper: PaperTerminal, command: str, shown: str) -> None:
    screen = await asked(console, paper, command)
    assert shown in screen
    assert "written out above" in " ".join(screen.split())


@pytest.mark.parametrize(("command", "shown"), SPOOFS)
async def test_the_reason_can_not_hide_anything_either(
    console: Console, paper: PaperTerminal, command: str, shown: str
) -> None:
    assert shown in await asked(console, paper, "ls", f"It runs {command}"[:80])


async def test_a_long_command_is_printed_from_its_first_word_to_its_last(
    console: Console, paper: PaperTerminal
) -> None:
    words = [f"word{number}" for number in range(2_000)]
    screen = await asked(console, paper, " ".join(words))
    assert re.findall(r"word\d+", screen) == words
    assert "scroll up to see the beginning" in screen


async def test_a_short_one_needs_no_scrolling(console: Console, paper: PaperTerminal) -> None:
    screen = await asked(console, paper, "touch a")
    assert "scroll" not in screen
    assert "written out" not in screen


NARROW = st.characters(min_codepoint=1, max_codepoint=0x24F)


@given(st.text(NARROW), st.integers(20, 100))
@example("x" * 500, 20)
@example("ls" + " " * 500 + "; touch hidden", 40)
def test_nothing_but_space_is_lost_in_the_box(command: str, width: int) -> None:
    paper = io.StringIO()
    console = Console(file=paper, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    Screen(console).print_box(in_full(command), "", "yellow")
    inside = "".join(re.findall(r"^│ (.*) │$", paper.getvalue(), re.MULTILINE))
    assert "".join(inside.split()) == "".join(in_full(command).split())
