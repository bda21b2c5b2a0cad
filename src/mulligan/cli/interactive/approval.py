"""What the person allows: in advance with --yes, or when they are asked at the terminal."""

import asyncio
import os
import signal
from collections.abc import Callable

from mulligan.app.project_tools import Consent, approve_all, deny_unasked
from mulligan.cli.views.terminal_view import TerminalViewer
from mulligan.cli.views.turn_views import Viewer
from mulligan.core.visible_text import in_full, visible
from mulligan.ports.commands import Approve
from mulligan.types.commands import DENIED, Approval, Verdict
from mulligan.types.settings import Settings


def consent_of(viewer: Viewer, settings: Settings, *, yes: bool, person: bool) -> Consent:
    """With --yes, changes are applied as they come too."""
    return Consent(apply_now=yes, approve=approver(viewer, yes=yes, person=person, always=network_for(settings)))


def approver(
    viewer: object, question: str = "run it?", *, yes: bool, person: bool, always: Callable[[], None] | None = None
) -> Approve:
    """Without --yes and without a person at the terminal, what needs a yes is not done."""
    if yes:
        return approve_all
    if person and isinstance(viewer, TerminalViewer):
        return AskAtTerminal(viewer, question, always=always)
    return deny_unasked


def network_for(settings: Settings) -> Callable[[], None]:
    """Opens the network for all commands of the project, from now on."""

    def remember_it() -> None:
        from mulligan.types.sandbox import Openings
        from mulligan.workspace.sandbox.grants import remember

        remember(settings.home, settings.project, Openings(network=True))

    return remember_it


ROWS_OF_THE_QUESTION = 2

WRITTEN_OUT = "A terminal would obey or hide some of its characters. They are written out above: ^[ or <U+202E>."


class AskAtTerminal:
    """Shows what is wanted, mostly a command, and waits for the person's key. One question at a time."""

    def __init__(
        self, viewer: TerminalViewer, question: str = "run it?", *, always: Callable[[], None] | None = None
    ) -> None:
        """`always` is called where the person opens the network for good."""
        self._viewer = viewer
        self._question = question
        self._always = always
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, command: str, verdict: Verdict) -> Approval:
        from mulligan.cli.interactive.choice import choose

        async with self._one_at_a_time:
            with self._viewer.held() as screen:
                rows = screen.print_box(in_full(command), _hint(command, verdict), "yellow")
                if rows > screen.console.height - ROWS_OF_THE_QUESTION:
                    screen.tell(f"It has {rows} lines: scroll up to see how it begins.")
                choices = {"y": "yes", "n": "no"}
                if self._always and "network" in verdict.opens:
                    choices["a"] = "always give this project's commands the network"
                try:
                    answer = await choose(self._question, choices, default="n")
                except KeyboardInterrupt:
                    # The prompt took the signal; the turn is to end as if it had got it itself.
                    os.kill(os.getpid(), signal.SIGINT)
                    await asyncio.Event().wait()
                    return DENIED
                if answer == "a" and self._always:
                    self._always()
                return Approval(granted=answer in ("y", "a"))


def _hint(command: str, verdict: Verdict) -> str:
    """Why the person is asked, in full."""
    odd = in_full(command) != command
    return "\n".join([visible(verdict.reason), *([WRITTEN_OUT] if odd else [])])
