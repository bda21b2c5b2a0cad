"""What the user allows: in advance with --yes, or when asked at the terminal."""

import asyncio
import os
import signal
from collections.abc import Callable

from mulligan.app.project_tools import Consent, approve_all, deny_unasked
from mulligan.cli.views.terminal_view import TerminalViewer
from mulligan.cli.views.turn_views import Viewer
from mulligan.core.visible_text import in_full, visible
from mulligan.ports.commands import Approve
from mulligan.types.commands import DENIED, Approval, PolicyVerdict
from mulligan.types.settings import Settings


def consent_of(viewer: Viewer, settings: Settings, *, yes: bool, interactive: bool) -> Consent:
    """With --yes, changes are also applied immediately."""
    return Consent(
        apply_now=yes, approve=approver(viewer, yes=yes, interactive=interactive, always=network_for(settings))
    )


def approver(
    viewer: object, question: str = "run it?", *, yes: bool, interactive: bool, always: Callable[[], None] | None = None
) -> Approve:
    """Without --yes and without a user at the terminal, nothing that needs approval is done."""
    if yes:
        return approve_all
    if interactive and isinstance(viewer, TerminalViewer):
        return AskAtTerminal(viewer, question, always=always)
    return deny_unasked


def network_for(settings: Settings) -> Callable[[], None]:
    """Allow the network for all commands of the project, from now on."""

    def remember_it() -> None:
        from mulligan.types.sandbox import ExtraAccess
        from mulligan.workspace.sandbox.grants import remember

        remember(settings.home, settings.project, ExtraAccess(network=True))

    return remember_it


ROWS_OF_THE_QUESTION = 2

WRITTEN_OUT = "A terminal would interpret or hide some of its characters. They are written out above: ^[ or <U+202E>."


class AskAtTerminal:
    """Shows the request, usually a command, and waits for a key. One question at a time."""

    def __init__(
        self, viewer: TerminalViewer, question: str = "run it?", *, always: Callable[[], None] | None = None
    ) -> None:
        """`always` is called if the user allows the network permanently."""
        self._viewer = viewer
        self._question = question
        self._always = always
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, command: str, verdict: PolicyVerdict) -> Approval:
        from mulligan.cli.interactive.choice import choose

        async with self._one_at_a_time:
            with self._viewer.held() as screen:
                rows = screen.print_box(in_full(command), _hint(command, verdict), "yellow")
                if rows > screen.console.height - ROWS_OF_THE_QUESTION:
                    screen.tell(f"It has {rows} lines: scroll up to see the beginning.")
                choices = {"y": "yes", "n": "no"}
                if self._always and "network" in verdict.opens:
                    choices["a"] = "always allow this project's commands the network"
                try:
                    answer = await choose(self._question, choices, default="n")
                except KeyboardInterrupt:
                    # The prompt took the signal; end the turn as if it had received it.
                    os.kill(os.getpid(), signal.SIGINT)
                    await asyncio.Event().wait()
                    return DENIED
                if answer == "a" and self._always:
                    self._always()
                return Approval(granted=answer in ("y", "a"))


def _hint(command: str, verdict: PolicyVerdict) -> str:
    """Why we ask, in full."""
    odd = in_full(command) != command
    return "\n".join([visible(verdict.reason), *([WRITTEN_OUT] if odd else [])])
