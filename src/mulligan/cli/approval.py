"""What the person allows: in advance with --yes, or when they are asked at the terminal."""

import asyncio
import os
import signal

from mulligan.cli.safe_text import safe_text
from mulligan.cli.terminal import TerminalViewer
from mulligan.cli.viewers import Viewer
from mulligan.types.commands import Verdict
from mulligan.workbench import Consent, yes_to_all


def consent_of(viewer: Viewer, *, yes: bool, person: bool) -> Consent:
    """Without --yes and without a person at the terminal, what needs a yes is not done."""
    if yes:
        return Consent(apply_now=True, approve=yes_to_all)
    return Consent(approve=AskAtTerminal(viewer)) if person and isinstance(viewer, TerminalViewer) else Consent()


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
                screen.print_box(command, safe_text(verdict.reason), "yellow")
                try:
                    return await choose(self._question, {"y": "yes", "n": "no"}, default="n") == "y"
                except KeyboardInterrupt:
                    # The prompt took the signal; the turn is to end as if it had got it itself.
                    os.kill(os.getpid(), signal.SIGINT)
                    await asyncio.Event().wait()
                    return False
