"""Extracts the code from a reply: from one fence, several, or none; with prose around it, or truncated."""

import re
from collections.abc import Sequence

from mulligan.syntax.definitions import CodeText, cut_code

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*\n(.*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(
    r"(?:async )?def \w|class \w|import |from [\w.]+ import|@\w|package \w|func[ (]|type \w+ |const |let |var |export "
    r"|function\b|interface \w|#!|//|/\*|[A-Za-z_]\w* = |if __name__"
)
_WITHIN = re.compile(r"\s|[)\]}]|#|//|else\b|\"\"\"|$")


def code_in(path: str, reply: str, wanted: Sequence[str]) -> str | None:
    """The code for this file; None if none parses.

    Of several fragments those that define what is wanted, the last one of each: a model that corrects itself writes it
    again. A fragment that only shows a usage defines none of it.
    """
    fragments = [_dedented(found[1]) for found in _FENCE.finditer(reply)] or [_without_prose(reply)]
    parsed = [(fragment, cut) for fragment in fragments if fragment.strip() and (cut := _parsed(path, fragment))]
    best: dict[frozenset[str], str] = {}
    for fragment, cut in parsed:
        found = _defined(cut, wanted)
        if found:
            best.pop(found, None)
            best[found] = fragment
    widest = max(best, key=len, default=None)
    if widest is None:
        return None
    others = [fragment for names, fragment in best.items() if not names <= widest]
    return "\n\n\n".join(fragment.strip("\n") for fragment in (*others, best[widest]))


def _parsed(path: str, fragment: str) -> CodeText | None:
    """None for what does not parse, such as a truncated reply."""
    cut = cut_code(path, fragment.split("\n"))
    return cut if cut and not cut.is_broken else None


def _defined(cut: CodeText, wanted: Sequence[str]) -> frozenset[str]:
    """Which of the wanted names it defines; all that it defines if none are named."""
    defined = {each.name for each in cut.definitions}
    if not wanted:
        return frozenset(defined)
    return frozenset(name for name in wanted if name.rpartition(".")[2] in defined)


def _without_prose(reply: str) -> str:
    """From the first line that looks like code to the last that may belong to it."""
    rows = reply.strip("\n").split("\n")
    first = next((at for at, row in enumerate(rows) if _CODE.match(row)), len(rows))
    last = first
    for at in range(first, len(rows)):
        if _CODE.match(rows[at]) or _WITHIN.match(rows[at]):
            last = at + 1
        else:
            break
    return "\n".join(rows[first:last])


def _dedented(fragment: str) -> str:
    """A fence in a list is indented with its content."""
    rows = fragment.split("\n")
    indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return "\n".join(row[indent:] for row in rows)
