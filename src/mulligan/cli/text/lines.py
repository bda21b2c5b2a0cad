"""Lines of a view: the same text for a pipe and a terminal, which adds colors and boxes."""

from mulligan.cli.text.safe_text import safe_text
from mulligan.types.frozen import frozen

Piece = tuple[str, str]
"""A text and its style."""


@frozen
class Line:
    pieces: tuple[Piece, ...]
    wraps: bool = True
    """Whether a terminal wraps it. Otherwise it is cut at the edge."""

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


@frozen
class Box:
    """A box on a terminal; elsewhere the text after a mark."""

    mark: str
    words: str
    colour: str
    hint: str = ""
    """What the user can do about it. Only in the box."""

    @property
    def text(self) -> str:
        return f"{self.mark} {safe_text(self.words)}"
