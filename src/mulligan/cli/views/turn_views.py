"""Who shows a turn's frames, and how."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from mulligan.cli.text.sentences import FROM_SHELL, NextSteps
from mulligan.cli.views.printing import print_side_message
from mulligan.types.frames import Frame, TurnEnd

if TYPE_CHECKING:
    from mulligan.models.embedded.download_progress import Report


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


@contextmanager
def show_side_download(name: str) -> Generator["Report", None, None]:
    """Shows the download of a model."""
    from mulligan.cli.views.download_progress import showing_progress

    with showing_progress(name) as report:
        yield report


def viewer_for(*, as_json: bool, next_steps: NextSteps = FROM_SHELL) -> Viewer:
    """JSON if asked for, Markdown on a terminal, else the plain answer."""
    if as_json:
        return JsonViewer()
    if sys.stdout.isatty():
        from mulligan.cli.views.terminal_view import TerminalViewer

        return TerminalViewer(next_steps=next_steps)
    from mulligan.cli.views.plain_view import PlainViewer

    return PlainViewer(next_steps=next_steps)
