"""Who shows a turn's frames, and how."""

import sys
from typing import Protocol

from mulligan.cli.text.sentences import FROM_SHELL, NextSteps
from mulligan.cli.views.printing import print_side_message
from mulligan.types.frames import Frame, TurnEnd


class Viewer(Protocol):
    """Takes every frame of a turn as it comes."""

    ended: TurnEnd | None
    """The turn's last frame, once it came."""

    def __call__(self, frame: Frame) -> None: ...

    def tell(self, words: str) -> None:
        """A sentence for the person that is no part of the answer."""
        ...

    def close(self) -> None:
        """Let the terminal go; no frame comes any more."""
        ...


class JsonViewer:
    """One frame a line."""

    def __init__(self) -> None:
        self.ended: TurnEnd | None = None

    def __call__(self, frame: Frame) -> None:
        if isinstance(frame, TurnEnd):
            self.ended = frame
        sys.stdout.write(frame.model_dump_json(exclude_none=True) + "\n")
        sys.stdout.flush()

    def tell(self, words: str) -> None:
        print_side_message(words)

    def close(self) -> None:
        """Every line is out already."""


def viewer_for(*, as_json: bool, next_steps: NextSteps = FROM_SHELL) -> Viewer:
    """JSON if asked for, Markdown on a terminal, else the plain answer."""
    if as_json:
        return JsonViewer()
    if sys.stdout.isatty():
        from mulligan.cli.views.terminal_view import TerminalViewer

        return TerminalViewer(next_steps=next_steps)
    from mulligan.cli.views.plain_view import PlainViewer

    return PlainViewer(next_steps=next_steps)
