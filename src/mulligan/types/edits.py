"""Edits that a model asks for, and the report if one is refused."""

from typing import Literal

from mulligan.types.frozen import frozen

RefusalReason = Literal["ambiguous", "not_found", "already_applied", "no_change", "exists", "unsafe"]
"""`no_change`: old and new are the same. `exists`: an empty old text creates a file, but the file exists.
`unsafe`: the place is clear, but the new text can't be fitted into it without guessing."""


@frozen
class TextEdit:
    """Replace one piece of text with another."""

    old: str
    new: str
    replace_all: bool = False
    """Whether to replace every exact occurrence of the old text. Otherwise there must be exactly one."""


@frozen
class EditRegion:
    """Lines of the file that explain a refusal."""

    first: int
    """First line, counted from 1."""
    last: int
    """Last line, inclusive."""
    similarity: float
    """Similarity to the old text, from 0 to 1."""
    text: str
    """The lines, shortened if there are many."""


@frozen
class EditReport:
    reason: RefusalReason
    places: tuple[EditRegion, ...]
    """The occurrences of an ambiguous text, or the lines most similar to a text that was not found."""
    advice: str
    """What to send instead."""
