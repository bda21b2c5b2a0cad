"""Edits as a model asks for them, and the report when one is refused."""

from typing import Literal

from mulligan.types.frozen import frozen

RefusalReason = Literal["ambiguous", "not_found", "already_applied", "no_change", "exists", "unsafe"]
"""`no_change`: old and new are the same. `exists`: an empty old text creates, and there is something already.
`unsafe`: the place is clear, but the new text can't be fitted into it without guessing."""


@frozen
class TextEdit:
    """Replace one piece of text by another."""

    old: str
    new: str
    replace_all: bool = False
    """Every place where the old text stands exactly, instead of the one place where it must."""


@frozen
class EditRegion:
    """Lines of the file that matter to a refusal."""

    first: int
    """From 1."""
    last: int
    """Inclusive."""
    similarity: float
    """From 0 to 1, to the old text."""
    text: str
    """The lines themselves, cut where they are many."""


@frozen
class EditReport:
    reason: RefusalReason
    places: tuple[EditRegion, ...]
    """The duplicates of an ambiguous text, or what is nearest to one that was not found."""
    advice: str
    """What to send instead."""
