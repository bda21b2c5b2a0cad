"""Picks the view for the frames of a turn or a run."""

import sys
from typing import Generic, Protocol, TypeAlias, TypeVar

from mulligan.cli.text.sentences import FROM_SHELL, NextSteps
from mulligan.cli.views.printing import print_side_message
from mulligan.types.base import Record
from mulligan.types.frames import Frame, TurnEnd

Frame_contra = TypeVar("Frame_contra", contravariant=True)
EndT = TypeVar("EndT", bound=Record)


class FrameViewer(Protocol[Frame_contra, EndT]):
    """Takes every frame as it arrives."""

    ended: EndT | None
    """The last frame, once it has arrived."""

    def __call__(self, frame: Frame_contra) -> None: ...

    def tell(self, words: str) -> None:
        """Show a sentence that is not part of the answer."""
        ...

    def close(self) -> None:
        """Release the terminal; no frames follow."""
        ...


Viewer: TypeAlias = FrameViewer[Frame, TurnEnd]


class JsonViewer(Generic[EndT]):
    """One frame per line."""

    def __init__(self, end: type[EndT]) -> None:
        """`end` is the type of the last frame."""
        self.ended: EndT | None = None
        self._end = end

    def __call__(self, frame: Record) -> None:
        if isinstance(frame, self._end):
            self.ended = frame
        sys.stdout.write(frame.model_dump_json(exclude_none=True) + "\n")
        sys.stdout.flush()

    def tell(self, words: str) -> None:
        print_side_message(words)

    def close(self) -> None:
        """Every line is already printed."""


def viewer_for(*, as_json: bool, next_steps: NextSteps = FROM_SHELL) -> Viewer:
    """JSON if requested, Markdown on a terminal, otherwise the plain answer."""
    if as_json:
        return JsonViewer(TurnEnd)
    if sys.stdout.isatty():
        from mulligan.cli.views.terminal_view import TerminalViewer

        return TerminalViewer(next_steps=next_steps)
    from mulligan.cli.views.plain_view import PlainViewer

    return PlainViewer(next_steps=next_steps)
