"""Extracts the code from a reply: from one fence, several, or none; with prose around it, or truncated."""

import re
from collections.abc import Iterator, Sequence

from mulligan.syntax.definitions import CodeText, Definition, cut_code

ALONE = "MethodsAlone"
"""What holds methods that came without their class: without one they are no code."""
MAX_CLOSINGS = 8
"""Closing fences to try for one that opens: text inside of the code may have fences, too."""

_FENCE = re.compile(r"([ \t]*)(```|~~~)([^\n`]*)$")
_AROUND = f"class {ALONE} {{{{\n{{}}\n}}}}", f"const {ALONE} = {{{{\n{{}}\n}}}}"
_CODE = re.compile(
    r"(?:async )?def \w|class \w|import |from [\w.]+ import|@\w|package \w|func[ (]|type \w+ |const |let |var |export "
    r"|function\b|interface \w|#!|//|/\*|[A-Za-z_]\w* = |if __name__"
)
_WITHIN = re.compile(r"\s|[)\]}]|#|//|else\b|\"\"\"|$")


def code_in(path: str, reply: str, wanted: Sequence[str]) -> str | None:
    """The code for this file; None if none parses. Methods without a class are in one that is called `ALONE`.

    Of several pieces those that define what is wanted, the last one of each: a model that corrects itself writes it
    again. A piece that only shows a usage defines none of it, and one with its head alone does not count if another
    has all of it.
    """
    reply = reply.replace("\r\n", "\n").replace("\r", "\n")
    pieces = list(_fenced(path, reply, wanted)) or list(filter(None, [_read(path, _without_prose(reply), wanted)]))
    full = {name for _, cut in pieces for name in _defined(cut, wanted, full=True)}
    best: dict[frozenset[str], str] = {}
    for piece, cut in pieces:
        found = _defined(cut, wanted, full=True) | (_defined(cut, wanted) - full)
        if found:
            best.pop(found, None)
            best[found] = piece
    widest = max(best, key=len, default=None)
    if widest is None:
        return None
    others = [piece for names, piece in best.items() if not names <= widest]
    return "\n\n\n".join(piece.strip("\n") for piece in (*others, best[widest]))


def _fenced(path: str, reply: str, wanted: Sequence[str]) -> Iterator[tuple[str, CodeText]]:
    """Each piece ends at the first fence that makes it code."""
    rows = reply.split("\n")
    fences = {at: found for at, row in enumerate(rows) if (found := _FENCE.match(row))}
    behind = 0
    for first, fence in fences.items():
        closings = [at for at, found in fences.items() if at > first and found[2] == fence[2] and not found[3].strip()]
        for last in [*closings[:MAX_CLOSINGS], len(rows)] if first >= behind else ():
            inside = "\n".join(row.removeprefix(fence[1]) for row in rows[first + 1 : last])
            if read := _read(path, inside, wanted):
                yield read
                behind = last + 1
                break


def _read(path: str, piece: str, wanted: Sequence[str]) -> tuple[str, CodeText] | None:
    """The piece as it is, or as methods; None if it does not parse, as a truncated reply, or defines nothing of it."""
    for text in _forms(path, piece, wanted) if piece.strip() else ():
        cut = cut_code(path, text.split("\n"))
        if cut and not cut.is_broken and _defined(cut, wanted):
            return text, cut
    return None


def _forms(path: str, piece: str, wanted: Sequence[str]) -> Iterator[str]:
    empty = cut_code(path, ())
    if empty and not empty.is_indented:
        yield from (piece, *(around.format(piece) for around in _AROUND if wanted))
        return
    # Methods keep their margin: without it, text of several lines would change.
    if piece.lstrip("\n").startswith((" ", "\t")) and any("." in name for name in wanted):
        yield f"class {ALONE}:\n{piece}"
    yield _dedented(piece)


def _defined(cut: CodeText, wanted: Sequence[str], *, full: bool = False) -> frozenset[str]:
    """Which of the wanted names it defines; all that it defines if none are named. `full`: more than their heads."""
    bare = {each.name for each in (*cut.definitions, *cut.nested) if not full or not _is_head(each)}
    if not wanted:
        return frozenset(bare)
    return frozenset(name for name in wanted if name.rpartition(".")[2] in bare)


def _is_head(each: Definition) -> bool:
    return each.is_stub or each.what == "prototype" or (each.is_function and each.body is None)


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


def _dedented(piece: str) -> str:
    """A fence in a list is indented with its content."""
    rows = piece.split("\n")
    indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return "\n".join(row[indent:] for row in rows)
