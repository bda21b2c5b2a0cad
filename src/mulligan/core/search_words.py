"""What a search compares: words as stored and as searched for, and the excerpt that shows them."""

import re
import unicodedata

from mulligan.core.markdown_text import without_markup

MAX_WORD_CHARS = 60
"""Characters of a word that count."""
MAX_WORDS = 20_000
"""Most words of one message."""
MAX_ASKED_WORDS = 12
AROUND = 70
"""Characters of an excerpt before its first hit, about; three times as many in all."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Each word once, in the order of the text: without case and accents, split at everything that is not a letter or
    digit. `parse_Invoice()` has the words `parse` and `invoice`."""
    return list(dict.fromkeys(word[:MAX_WORD_CHARS] for word in _WORD.findall(_plain(text))))[:MAX_WORDS]


def asked_words(query: str) -> list[str]:
    """What has to occur, each as the beginning of a word."""
    return words_of(query)[:MAX_ASKED_WORDS]


def excerpt(text: str, query: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """One line of the text around its first hit, and where the words are in that line."""
    asked = asked_words(query)
    line = " ".join(without_markup(text).split())
    first = next(iter(_hits(line, asked)), (0, 0))[0]
    start = 0 if first <= AROUND else line.rfind(" ", 0, first - AROUND // 2) + 1
    shown = line[start : start + 3 * AROUND]
    shown = ("…" if start else "") + shown + ("…" if start + 3 * AROUND < len(line) else "")
    return shown, tuple(_hits(shown, asked))


def _hits(line: str, asked: list[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(line):
        plain = _plain(match[0])
        begun = next((word for word in asked if plain.startswith(word)), None)
        if begun is not None:
            # Accents are separate marks in the plain form, so lengths agree except for a few ligatures.
            found.append((match.start(), min(match.end(), match.start() + len(begun))))
    return found


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
