"""What simple ways of applying an edit would make of the same corpus."""

import difflib
import unicodedata
from collections.abc import Callable

from mulligan.types.edits import EditReport, RefusalReason
from mulligan.types.errors import EditRefused

ALIKE = 0.66

_CANONICAL = str.maketrans("\u201c\u201d\u2018\u2019\u2013\u2014\u2011\u00a0", "\"\"''--- ")


def exact(content: str, old: str, new: str) -> str:
    """The old text, where it stands once."""
    found = content.count(old) if old else 0
    if found != 1:
        raise _refused("ambiguous" if found else "not_found")
    return content.replace(old, new, 1)


def ladder(content: str, old: str, new: str) -> str:
    """Exact, then lines without white space, then canonical characters, then the likeliest window from 0.66."""
    if not old.strip():
        raise _refused("exists")
    if content.count(old) == 1:
        return content.replace(old, new, 1)
    lines, wanted = content.splitlines(keepends=True), old.splitlines()
    for same in (str.strip, _canonical):
        places = _places(lines, wanted, same)
        if len(places) > 1:
            raise _refused("ambiguous")
        if places:
            return _replaced(lines, places[0], len(wanted), new)
    place = _likeliest(lines, wanted)
    if place is None:
        raise _refused("not_found")
    return _replaced(lines, place, len(wanted), new)


def _places(lines: list[str], wanted: list[str], same: Callable[[str], str]) -> list[int]:
    here, there = [same(line) for line in lines], [same(line) for line in wanted]
    return [at for at in range(len(here) - len(there) + 1) if here[at : at + len(there)] == there]


def _likeliest(lines: list[str], wanted: list[str]) -> int | None:
    best, best_place = ALIKE, None
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2("\n".join(line.strip() for line in wanted))
    for at in range(len(lines) - len(wanted) + 1):
        matcher.set_seq1("\n".join(line.strip() for line in lines[at : at + len(wanted)]))
        if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best and (ratio := matcher.ratio()) >= best:
            best, best_place = ratio, at
    return best_place


def _replaced(lines: list[str], place: int, count: int, new: str) -> str:
    ended = new if not new or new.endswith("\n") else new + "\n"
    return "".join(lines[:place]) + ended + "".join(lines[place + count :])


def _canonical(line: str) -> str:
    return unicodedata.normalize("NFC", line).translate(_CANONICAL).strip()


def _refused(reason: RefusalReason) -> EditRefused:
    return EditRefused(reason, EditReport(reason, (), ""))
