"""What the person allows: in advance with --yes, or when they are asked at the terminal."""

import asyncio
import os
import signal

from mulligan.cli.terminal import TerminalViewer
from mulligan.cli.viewers import Viewer
from mulligan.core.visible_text import in_full, visible
from mulligan.types.commands import Verdict
from mulligan.workbench import Consent, yes_to_all


def consent_of(viewer: Viewer, *, yes: bool, person: bool) -> Consent:
    """Without --yes and without a person at the terminal, what needs a yes is not done."""
    if yes:
        return Consent(apply_now=True, approve=yes_to_all)
    return Consent(approve=AskAtTerminal(viewer)) if person and isinstance(viewer, TerminalViewer) else Consent()


ROWS_OF_THE_QUESTION = 2

WRITTEN_OUT = "A terminal would obey or hide some of its characters. They are written out above: ^[ or <U+202E>."


class AskAtTerminal:
    """Shows what is wanted, mostly a command, and waits for the person's key. One question at a time."""

    def __init__(self, viewer: TerminalViewer, question: str = "run it?") -> None:
        self._viewer = viewer
        self._question = question
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, command: str, verdict: Verdict) -> bool:
        from mulligan.cli.choosing import choose

        async with self._one_at_a_time:
            with self._viewer.held() as screen:
                rows = screen.print_box(in_full(command), _hint(command, verdict), "yellow")
                if rows > screen.console.height - ROWS_OF_THE_QUESTION:
                    screen.tell(f"It has {rows} lines: scroll up to see how it begins.")
                try:
                    return await choose(self._question, {"y": "yes", "n": "no"}, default="n") == "y"
                except KeyboardInterrupt:
                    # The prompt took the signal; the turn is to end as if it had got it itself.
                    os.kill(os.getpid(), signal.SIGINT)
                    await asyncio.Event().wait()
                    return False


def _hint(command: str, verdict: Verdict) -> str:
    """Why the person is asked, in full."""
    odd = in_full(command) != command
    return "\n".join([visible(verdict.reason), *([WRITTEN_OUT] if odd else [])])
