"""Characters as the file has them, in text that was written with others."""

from dataclasses import dataclass
from typing import Literal

from mulligan.core.edits.lines import PLAIN, VARIANT

Form = Literal["NFC", "NFD"]
_FORMS: tuple[Form, ...] = ("NFC", "NFD")


@dataclass(frozen=True, slots=True)
class Typography:
    """What to do with the characters of a new text."""

    plain: frozenset[str]
    """Characters that are written plainly."""
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
    """Learnt from a text and the piece of the file that it stands for.

    If the old text has a curly quote that the file does not have there, then the model curls what is straight, and all
    quotes of the new text are straightened but those that the file itself curls. Dashes and spaces likewise.
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


def _form(old: str, file: str) -> Form | None:
    import unicodedata

    for form in _FORMS:
        if unicodedata.is_normalized(form, file) and not unicodedata.is_normalized(form, old):
            return form
    return None
