"""How the whole text is written: indentation, tabs, fences, line numbers, quote marks around it, line ends."""

import re
from collections.abc import Callable
from random import Random

from bench.edits.second.letters import curly
from bench.edits.second.lines import CODE
from bench.edits.second.texts import indent_of
from bench.edits.second.truth import Edit

Sent = tuple[str, str]
"""Old and new."""

Form = Callable[[Sent, Edit, Random], Sent | None]


def as_it_is(sent: Sent, _edit: Edit, _rng: Random) -> Sent:
    return sent


def other_indentation(sent: Sent, edit: Edit, rng: Random) -> Sent | None:
    """All of it deeper or less deep, or with another unit."""
    if edit.text.tabbed:
        return None
    units = rng.choice((_deeper, _at_the_margin, _halved, _doubled))
    return units(sent, rng)


def first_line_at_the_margin(sent: Sent, _edit: Edit, _rng: Random) -> Sent | None:
    old, new = sent
    same = indent_of(old) == indent_of(new) != "" and "\n" in old
    return (old.lstrip(), new.lstrip()) if same else None


def tabs_for_spaces(sent: Sent, edit: Edit, rng: Random) -> Sent | None:
    """Or spaces for tabs, where the file has tabs."""
    if edit.text.tabbed:
        if any(" " in indent_of(line) for line in _lines(sent)):
            return None
        unit = " " * rng.choice((2, 4, 8))
        return _indented(sent, lambda indent: indent.replace("\t", unit))
    unit = 2 if any(len(indent_of(line)) % 4 for line in _lines(sent)) else 4
    if any(len(indent_of(line)) % unit for line in _lines(sent)):
        return None
    return _indented(sent, lambda indent: "\t" * (len(indent) // unit))


def fenced(sent: Sent, edit: Edit, rng: Random) -> Sent:
    """Markdown that has fences of its own gets a longer one, or one like its own."""
    ticks = "```" if "```" not in "".join(sent) else rng.choice(("````", "```"))
    opened = ticks + rng.choice(("", edit.text.language))
    old, new = (f"{opened}\n{text}\n{ticks}" for text in sent)
    return old, new


def numbered(sent: Sent, edit: Edit, rng: Random) -> Sent:
    """In the old text alone, or in the new one as well."""
    form = rng.choice(("{}: {}", "{:>4} | {}", "{:>6}\t{}", "{}|{}"))
    first = edit.start + 1

    def with_numbers(text: str) -> str:
        return "\n".join(form.format(number, line) for number, line in enumerate(text.split("\n"), first))

    old, new = sent
    return with_numbers(old), with_numbers(new) if rng.random() < 0.6 else new


def in_quote_marks(sent: Sent, _edit: Edit, rng: Random) -> Sent | None:
    mark = rng.choice(('"', "'", "`", '"""', "'''"))
    if any(text[:1] in "\"'`" or text[-1:] in "\"'`" for text in map(str.strip, sent)):
        return None
    old, new = (mark + text + mark for text in sent)
    return old, new


def curly_everywhere(sent: Sent, edit: Edit, _rng: Random) -> Sent | None:
    """In code, whose syntax has no such quotes; not in prose, where they may be meant."""
    text = "".join(sent)
    if edit.text.language not in CODE or '"' not in sent[0] or re.search("\\w'\\w|[\u2018-\u201d]", text):
        return None
    old, new = ("\n".join(map(curly, text.split("\n"))) for text in sent)
    return old, new


def with_carriage_returns(sent: Sent, _edit: Edit, _rng: Random) -> Sent | None:
    old, new = (text.replace("\n", "\r\n") for text in sent)
    return (old, new) if "\r\n" in old else None


def _deeper(sent: Sent, rng: Random) -> Sent | None:
    more = rng.choice(("  ", "    "))
    return _indented(sent, lambda indent: indent + more)


def _at_the_margin(sent: Sent, _rng: Random) -> Sent | None:
    least = min((indent_of(line) for line in _lines(sent)), key=len)
    return _indented(sent, lambda indent: indent[len(least) :]) if least else None


def _halved(sent: Sent, _rng: Random) -> Sent | None:
    if any(len(indent_of(line)) % 4 for line in _lines(sent)):
        return None
    return _indented(sent, lambda indent: indent[: len(indent) // 2])


def _doubled(sent: Sent, _rng: Random) -> Sent | None:
    widths = {len(indent_of(line)) for line in _lines(sent)}
    return _indented(sent, lambda indent: indent * 2) if any(width % 4 == 2 for width in widths) else None


def _lines(sent: Sent) -> list[str]:
    return [line for text in sent for line in text.split("\n") if line.strip()]


def _indented(sent: Sent, form: Callable[[str], str]) -> Sent | None:
    def of(text: str) -> str:
        return re.sub(r"^[ \t]*(?=[^\s])", lambda found: form(found[0]), text, flags=re.MULTILINE)

    old, new = map(of, sent)
    return (old, new) if old != sent[0] else None
