"""Secrets are masked in what goes to a model, and in what is kept in files that people pass on.

A mask says what it stands for: `[masked: GitHub token]`. What is masked can be read neither by the model nor from a
report, and can't be edited by who sees only the mask.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from mulligan.core.text_fields import map_texts
from mulligan.types.base import Record
from mulligan.types.errors import CallRejected

SHORTEST_KNOWN = 8
"""Characters: what is shorter stands in too much that is no secret."""

_MARK = re.compile(r"\[masked: [A-Za-z][A-Za-z ]{1,30}\]")
_URL_PASSWORD = re.compile(r"://[^/\s:@]{0,200}:([^/\s@]{1,200})@")

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Masked:
    text: str
    count: int
    """Of the values that were masked."""


class Mask:
    """Masks what looks like a secret, and values that are known to be some, wherever they stand."""

    def __init__(self, environ: Mapping[str, str] | None = None, keys: Iterable[str] = ()) -> None:
        """The values of variables that are named like secrets are known, and so are keys, whatever they look like."""
        self._environ = dict(environ or {})
        self._keys = tuple(keys)

    def __call__(self, text: str) -> Masked:
        from mulligan.core.secret_shapes import without_shapes  # the first request leaves without them
        from mulligan.core.secret_words import without_assigned

        count = 0

        def put(kind: str) -> str:
            nonlocal count
            count += 1
            return f"[masked: {kind}]"

        for value in self._known:
            if value in text:
                count += text.count(value)
                text = text.replace(value, "[masked: key of this machine]")
        return Masked(without_assigned(without_shapes(text, put), put), count)

    @cached_property
    def _known(self) -> tuple[str, ...]:
        """The longest first: one may be part of another."""
        from mulligan.core.secret_words import is_real, names_a_secret

        found = set(self._keys)
        for name, value in self._environ.items():
            password = _URL_PASSWORD.search(value)
            found |= {value} if names_a_secret(name) and is_real(value) else set()
            found |= {password[1]} if password and is_real(password[1]) else set()
        return tuple(sorted((each for each in found if len(each) >= SHORTEST_KNOWN), key=len, reverse=True))


BY_LOOKS = Mask()
"""Knows no values, only what they look like."""


def mask_secrets(text: str) -> str:
    """The text with a mask for every key, token and password, as far as its shape or its name gives it away."""
    return BY_LOOKS(text).text


def mask_record(record: R) -> R:
    """The same for every text in a record."""
    return map_texts(record, mask_secrets)


def masked_note(count: int) -> str:
    """For the model, where something was masked."""
    return "[1 value is masked.]" if count == 1 else f"[{count} values are masked.]"


def is_masked(text: str) -> bool:
    return _MARK.search(text) is not None


def refuse_masks(given: str, present: str = "") -> None:
    """Raises `CallRejected` for text that holds a mask, unless what it is to replace holds the very same words."""
    for mark in dict.fromkeys(_MARK.findall(given)):
        if mark not in present:
            raise CallRejected(
                "exec_error",
                f"Nothing was written: {mark} stands for a value that you are not shown, and can't be part of an edit. "
                "Leave the lines with masked values as they are, and edit the lines around them.",
            )
