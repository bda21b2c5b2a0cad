"""Sentences about a fix run for the terminal."""

from mulligan.cli.text.lines import Line
from mulligan.cli.text.safe_text import safe_text
from mulligan.core.run_words import attempt_end_words, check_words, command_words, opening_words, plan_words
from mulligan.types.fixing import MAX_ATTEMPTS
from mulligan.types.run_frames import (
    AttemptEnded,
    CheckEnded,
    NodeEntered,
    PlanMade,
    RunEnd,
    RunFrame,
    RunNote,
    RunStarted,
)


def run_lines(frame: RunFrame) -> list[Line]:
    """The lines for a frame when it arrives; for the end see below."""
    match frame:
        case RunStarted():
            return [
                Line(((opening_words(frame), "bold"),)),
                *(Line(((f"  {line}", "dim"),)) for line in command_words(frame)),
            ]
        case NodeEntered(node="coder", attempt=attempt):
            return [Line(((f"Attempt {attempt} of {MAX_ATTEMPTS}", "bold"),))]
        case CheckEnded():
            mark = ("✓ ", "green") if frame.passed else ("✗ ", "red")
            return [Line((mark, (check_words(frame), "")), wraps=False)]
        case PlanMade(plan=plan):
            return [Line(((line, "dim"),)) for line in plan_words(plan)]
        case AttemptEnded():
            return [Line((("! ", "yellow"), (attempt_end_words(frame), "")))]
        case RunNote(text=text):
            return [Line(((safe_text(text), "dim"),))]
        case _:
            return []


def next_words(end: RunEnd) -> str:
    """What the user can do now."""
    if end.verdict == "verified" and end.pending:
        return "To apply it: mulligan changes apply. To see the diff first: mulligan changes show."
    if end.verdict == "verified":
        return f"Applied: {end.applied} {'change' if end.applied == 1 else 'changes'}."
    pending = " Its changes are pending: mulligan changes." if end.pending else ""
    return f".mulligan/issues.md says what failed; mulligan runs show {end.run_id} shows the run.{pending}"
