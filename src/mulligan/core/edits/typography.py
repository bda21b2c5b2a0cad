"""Adapts the characters of a new text to those of the file."""

import re
from dataclasses import dataclass
from typing import Literal

from mulligan.core.edits.lines import PLAIN, VARIANT
from mulligan.core.line_diff import split_keeping_ends

Form = Literal["NFC", "NFD"]
_CURLY = re.compile("[\u2018-\u201f]")
_STRAIGHT = re.compile("[\"']")
_CURLY_PAIR = re.compile(
    "[\u201c-\u201f][^\u2018-\u201f]*[\u201c-\u201f]|[\u2018-\u201b][^\u2018-\u201f]*[\u2018-\u201b]"
)
_FORMS: tuple[Form, ...] = ("NFC", "NFD")


@dataclass(frozen=True, slots=True)
class Typography:
    """How to adapt the characters of a new text."""

    plain: frozenset[str]
    """Characters to write in plain form."""
    form: Form | None
    """How accents are composed."""

    def follow(self, text: str) -> str:
        if text.isascii():
            return text
        if self.form is not None:
            import unicodedata

            text = unicodedata.normalize(self.form, text)
        return VARIANT.sub(lambda found: PLAIN[found[0]] if found[0] in self.plain else found[0], text)


def typography_of(old: str, file: str) -> Typography:
    """Learnt from a text and the matching piece of the file.

    If the old text has a curly quote that the file lacks there, the model curls straight quotes, and all quotes of the
    new text are straightened except those that the file itself has curly. The same for dashes and spaces.
    """
    if old.isascii():
        return Typography(frozenset(), None)
    straightened = {PLAIN[sign] for sign in set(VARIANT.findall(old)) - set(VARIANT.findall(file))}
    if straightened & {"'", '"'}:
        straightened |= {"'", '"'}
    kept = set(VARIANT.findall(file))
    return Typography(
        frozenset(sign for sign in PLAIN if PLAIN[sign] in straightened and sign not in kept), _form(old, file)
    )


def straightened(content: str, old: str, new: str) -> str:
    """The new text with straight quotes, if its pairs are curly and neither the file nor the old text has curly ones.

    A line that also has straight ones is left alone, and so is one that would then equal a line of the old text: its
    quotes are what is being edited.
    """
    if not _CURLY_PAIR.search(new) or _CURLY.search(old) or _CURLY.search(content) or not _STRAIGHT.search(content):
        return new
    before = {line.strip() for line in split_keeping_ends(old)}
    lines = [(line, _CURLY.sub(lambda sign: PLAIN[sign[0]], line)) for line in split_keeping_ends(new)]
    return "".join(line if _STRAIGHT.search(line) or plain.strip() in before else plain for line, plain in lines)


def _form(old: str, file: str) -> Form | None:
    import unicodedata

    for form in _FORMS:
        if unicodedata.is_normalized(form, file) and not unicodedata.is_normalized(form, old):
            return form
    return None
