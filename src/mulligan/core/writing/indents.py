"""The indentation of a piece of code, in its file and in another place."""

import re

from mulligan.syntax.definitions import CodeText, Span


def reindented(new: CodeText, span: Span, indent: str) -> str:
    """The piece at another depth; its first line is indented already."""
    given, first = indent_at(new, span[0]), new.text.count(b"\n", 0, span[0])
    rows = new.of(span).split("\n")
    if given == indent:
        return "\n".join(rows)
    for at, row in enumerate(rows[1:], 1):
        if first + at not in new.verbatim:
            rows[at] = f"{indent}{row.removeprefix(given)}" if row.strip() else ""
    return "\n".join(rows)


def indent_at(cut: CodeText, at: int) -> str:
    start = cut.text.rfind(b"\n", 0, at) + 1
    before = cut.text[start:at]
    return before[: len(before) - len(before.lstrip(b" \t"))].decode()


def begins_line(cut: CodeText, at: int) -> bool:
    return not cut.text[cut.text.rfind(b"\n", 0, at) + 1 : at].strip()


def indent_unit(cut: CodeText) -> str:
    """One level of indentation, as the file has it."""
    found = re.search(rb"^(\t|  +)[^\s*]", cut.text, re.MULTILINE)
    return found[1].decode() if found else " " * (4 if cut.is_indented else 2)
