"""Numbers and order: one too many or too few, another number that was meant, sorted the wrong way round."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.line_context import LineContext
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
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


MOST_TOLD = 8
KIN: tuple[tuple[str, ...], ...] = (
    ("1000", "1024"), ("60", "3600", "24", "30"), ("10", "100", "1000"), ("60", "100"), ("12", "24"), ("7", "5"),
    ("28", "30", "31"), ("52", "53"), ("365", "366"), ("0.1", "0.01", "0.001"), ("16", "10", "2"), ("90", "180", "360"),
)  # fmt: skip
"""Numbers that are taken for each other: of units, of the calendar, of percent."""


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_PRECISE = 5e-4
"""How far a number may be off that is worked out from results which were rounded to be shown."""


def other_numbers(
    line: CodeLine, index: int, around: LineContext, vocabulary: ProjectWords
) -> Iterator[tuple[float, str]]:
    """The likeliest first, with their weights. By one more or less is another rule's."""
    number = line.at(index)
    sets = line.at(0) != "return" and "=" in {token.text for token in line.tokens} | {line.at(line.before(index))}
    weights: dict[str, float] = {}
    for other in around.told_numbers:
        weights.setdefault(other, 2.4)
    for kin in KIN:
        if number in kin:
            for other in kin:
                weights.setdefault(other, 3.4 if sets else 3.9)
    for other in vocabulary.numbers[:MOST_TOLD] if line.at(0) != "return" else ():
        weights.setdefault(other, 4.4 if sets else 5.3)
    for rank, other in enumerate(_turned(number)) if sets else ():
        weights.setdefault(other, 3.2 + 0.3 * rank)
    for weight, other in _reckoned(number, vocabulary.differences):
        told = weight if sets else weight + 0.6
        weights[other] = min(told, weights.get(other, told))
    weights.pop(number, None)
    yield from ((weight, other) for other, weight in weights.items())


def _turned(number: str) -> Iterator[str]:
    """A zero too many or too few, half of it, twice as much, the next round number; written as it was."""
    bare = number.replace("_", "")
    whole, _, rest = bare.partition(".")
    if not whole.isdecimal() or rest.strip("0") or int(whole) < 2:
        return
    value = int(whole)
    step = next(step for step in (100, 10, 5, 1) if value % step == 0)
    turned = [value * 10, *(value // by for by in (10, 2) if value % by == 0), value * 2]
    turned += [value + step, value - step] if step > 1 else []
    for other in turned:
        yield f"{other:_}" if "_" in number else f"{other}.{rest}" if rest else str(other)


def _reckoned(number: str, differences: Sequence[tuple[str, str]]) -> Iterator[tuple[float, str]]:
    """What it would have to be, if results grow with it, or by as much as it does, for them to be those wanted."""
    value = float(number.replace("_", "")) if _NUMBER.fullmatch(number.replace("_", "")) else 0.0
    for got, wanted in _pairs(differences) if value else ():
        if got and wanted / got > 0:
            yield from ((2.2, each) for each in _written(value * wanted / got, number))
        if got and wanted:
            yield from ((3.0, each) for each in _written(value * got / wanted, number))
        yield from ((3.4, each) for each in _written(value + wanted - got, number))
        yield from ((3.6, each) for each in _written(value - wanted + got, number))


def _pairs(differences: Sequence[tuple[str, str]]) -> Iterator[tuple[float, float]]:
    """Numbers that stand in the same place of what was got and what was wanted, and differ."""
    for got, wanted in differences:
        if _NUMBER.split(got) == _NUMBER.split(wanted):
            pairs = zip(_NUMBER.findall(got), _NUMBER.findall(wanted), strict=True)
            yield from ((float(one), float(other)) for one, other in pairs if float(one) != float(other))


def _written(value: float, like: str) -> Iterator[str]:
    """A number with as few places as do, where a person would write so few."""
    places = len(like.partition(".")[2])
    for more in range(places, max(places, 2) + 2):
        short = round(value, more)
        if short > 0 and abs(short - value) <= _PRECISE * abs(value):
            yield f"{short:.{more}f}"
            return


_COMPARES = re.compile(r"\(\(?(?P<one>\w+), (?P<other>\w+)\)? => (?P<how>[^{}]+)\)(?P<end>[;.)]|$)")

_LESS = re.compile(r"func\((?P<one>\w+), (?P<other>\w+) int\) bool \{ return (?P<how>[^{}]+) \}")


def sorting(line: CodeLine, path: str) -> Iterator[Weighted]:
    for index in range(len(line.tokens)):
        if line.at(index + 1) == "(":
            yield from _of_python(line, index) if path.endswith(".py") else _of_scripts(line, index, path)
    text = line.text(0, len(line.tokens))
    for found in _LESS.finditer(text) if path.endswith(".go") else ():
        start, end = found.span("how")
        yield 2.8, f"{text[:start]}{_exchanged(found['how'], found['one'], found['other'])}{text[end:]}{line.trail}"
    for found in _COMPARES.finditer(text) if not path.endswith((".py", ".go")) else ():
        one, other = found["one"], found["other"]
        turned = _exchanged(found["how"], one, other)
        if turned != found["how"]:
            start, end = found.span("how")
            yield (2.8 if "sort" in text else 4.6), f"{text[:start]}{turned}{text[end:]}{line.trail}"


def _exchanged(code: str, one: str, other: str) -> str:
    pair = {one: other, other: one}
    return re.sub(rf"\b(?:{one}|{other})\b", lambda name: pair[name[0]], code)


def _of_python(line: CodeLine, name: int) -> Iterator[Weighted]:
    closing = line.closing(name + 1)
    method = line.at(name - 1) == "."
    if line.at(name) not in {"sorted", "sort"} or closing is None:
        return
    inner = line.text(name + 2, closing)
    if "reverse" not in inner and (line.at(name) == "sorted" or method):
        yield 3.2, line.replaced(closing, closing, f"{', ' if inner else ''}reverse=True")
    elif ", reverse=True" in inner:
        yield 2.8, line.replaced(name + 2, closing, inner.replace(", reverse=True", ""))
    start = line.left_operand(name - 1) if method else None
    if line.at(name) == "sort" and start and closing == name + 2:
        yield 1.5, line.replaced(start, closing + 1, f"sorted({line.text(start, name - 1)})")


def _of_scripts(line: CodeLine, name: int, path: str) -> Iterator[Weighted]:
    if path.endswith(".go") or line.at(name - 1) != ".":
        return
    if line.at(name) == "sort" and line.at(name + 2) == ")":
        yield 2.4, line.replaced(name + 1, name + 3, "((a, b) => a - b)")
        yield 3.0, line.replaced(name + 1, name + 3, "((a, b) => b - a)")
        yield 4.0, line.replaced(name + 1, name + 3, "().reverse()")
    if line.at(name) == "reverse" and line.at(name + 2) == ")":
        yield 3.2, line.replaced(name - 1, name + 3, "")
