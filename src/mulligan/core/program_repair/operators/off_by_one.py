"""Numbers, bounds and indices that are one too many or one too few."""

import re
from collections.abc import Iterator

from mulligan.syntax.line_tokens import KEYWORDS, CodeLine, Weighted

SMALL = 10
BOUNDED_CALLS = frozenset({"range", "slice", "substring", "substr", "len", "islice"})


def by_one(line: CodeLine, path: str) -> Iterator[Weighted]:
    """Numbers, bounds and indices that are one too many or one too few."""
    for index, token in enumerate(line.tokens):
        if token.kind == "number" and token.text.isdecimal():
            value = int(token.text)
            # A small number counts something, a larger one is mostly a fact.
            weight = 2.3 if value < 2 and line.at(0) == "for" else 3.5 if value < SMALL else 5.5
            yield weight, line.replaced(index, index + 1, str(value + 1))
            if value:
                yield weight, line.replaced(index, index + 1, str(value - 1))
            operator = line.before(index)
            if value == 1 and line.at(operator) in {"+", "-"} and line.left_operand(operator) is not None:
                yield 2.0, line.replaced(line.before(operator) + 1, index + 1, "")
        if token.text == "length" and line.at(line.before(index)) == "." and not _counts_on(line, index):
            yield 2.6, line.replaced(index, index + 1, "length - 1")
        if token.text == "[" and _subscripts(line, index):
            yield from _bounds(line, index, path)
        if token.text in BOUNDED_CALLS and line.at(index + 1) == "(":
            yield from _call_bounds(line, index)
        if token.text in {"<", "<=", ">", ">="} and line.at(0) in {"for", "while"}:
            yield from _loop_bound(line, index)
        if token.kind == "name" and _stands_in_sum(line, index):
            yield 4.5, line.replaced(index, index + 1, f"({token.text} - 1)")
            yield 4.6, line.replaced(index, index + 1, f"({token.text} + 1)")


def _bounds(line: CodeLine, opening: int, path: str) -> Iterator[Weighted]:
    closing = line.closing(opening)
    if closing is None:
        return
    inner = line.text(opening + 1, closing)
    if path.endswith(".py") and inner in {"0", "-1"}:
        yield 2.5, line.replaced(opening + 1, closing, "-1" if inner == "0" else "0")
    for first, last in line.split(opening + 1, closing, ":"):
        bound = line.text(first, last).strip()
        if bound and not re.fullmatch(r"""-?\d+|['"`].*""", bound):
            yield 3.0, line.replaced(first, last, f"{bound} + 1")
            yield 3.0, line.replaced(first, last, f"{bound} - 1")


def _call_bounds(line: CodeLine, name: int) -> Iterator[Weighted]:
    closing = line.closing(name + 1)
    if closing is None:
        return
    if line.at(name) == "len":
        if not _counts_on(line, closing):
            yield 3.0, line.replaced(closing, closing + 1, ") - 1")
            yield 3.2, line.replaced(closing, closing + 1, ") + 1")
        yield 5.0, line.replaced(closing, closing, "[0]")
        return
    parts = line.split(name + 2, closing, ",")
    last = line.text(*parts[-1]).strip()
    if last and len(parts) < 3:
        start = "" if len(parts) == 1 else " "
        if not last.endswith("- 1"):
            yield 2.5, line.replaced(*parts[-1], f"{start}{last} + 1")
        if not last.endswith("+ 1"):
            yield 2.6, line.replaced(*parts[-1], f"{start}{last} - 1")
    if line.at(name) == "range" and len(parts) == 1 and last:
        yield 3.0, line.replaced(*parts[0], f"1, {last}")
        yield 3.0, line.replaced(*parts[0], f"1, {last} + 1")
    if line.at(name) == "range" and len(parts) == 2 and line.text(*parts[0]).strip() in {"0", "1"}:
        yield 2.8, line.replaced(parts[0][0], parts[1][1], last)


def _loop_bound(line: CodeLine, operator: int) -> Iterator[Weighted]:
    end = line.right_operand(operator)
    if end is None or line.at(line.after(end - 1)) in {"+", "-"}:
        return
    bound = line.text(line.after(operator), end)
    if not bound.isdecimal():
        yield 3.2, line.replaced(line.after(operator), end, f"{bound} + 1")
        yield 3.2, line.replaced(line.after(operator), end, f"{bound} - 1")


def _subscripts(line: CodeLine, opening: int) -> bool:
    before = opening - 1
    return before >= 0 and (line.tokens[before].kind == "name" or line.at(before) in {")", "]"})


def _counts_on(line: CodeLine, index: int) -> bool:
    return line.at(line.after(index)) in {"-", "+"}


def _stands_in_sum(line: CodeLine, index: int) -> bool:
    around = {line.at(line.before(index)), line.at(line.after(index))}
    return line.at(index) not in KEYWORDS and bool(around & {"*", "%", "//"}) and line.at(index + 1) not in {"(", "."}
