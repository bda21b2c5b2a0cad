"""Numbers: off by one, a different number, ends of ranges."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode
from mulligan.syntax.expressions import (
    arguments_of,
    callee,
    indices_of,
    is_called,
    is_target_value,
    operands,
    operations,
)
from mulligan.syntax.scopes import is_target

SMALL = 10
MAX_MENTIONED = 8
PRECISE = 5e-4
"""Tolerance for a number computed from results that were rounded for display."""
VALUES = frozenset({"name", "attribute", "call", "subscript", "arithmetic", "group"})
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def literals(site: Site) -> Iterator[Edit]:
    for node in site.nodes:
        if node.kind in {"integer", "float"}:
            yield from _by_one(site, node)
            yield from _other_numbers(site, node)
        elif node.kind in {"true", "false"}:
            other = {"true": "false", "false": "true", "True": "False", "False": "True"}.get(site.of(node))
            if other:
                yield site.replaced(node, other, "literal.truth")


def _by_one(site: Site, node: CodeNode) -> Iterator[Edit]:
    text = site.of(node)
    if not text.isdecimal():
        return
    value = int(text)
    # A small number counts something, a larger one is mostly a fact.
    size = "bit" if value < 2 else "small" if value < SMALL else "large"
    known = node.around in {"arithmetic", "comparison", "subscript"}
    where = "in_loop" if site.is_loop else f"in_{node.around}" if known else "in"
    yield site.replaced(node, str(value + 1), "offset.literal", size, where)
    if value:
        yield site.replaced(node, str(value - 1), "offset.literal", size, where)
    elif node.around in {"subscript", "assign", "return", "arguments"}:
        yield site.replaced(node, "-1", "offset.literal", "minus", where)


def _other_numbers(site: Site, node: CodeNode) -> Iterator[Edit]:
    """Numbers in failures and tests, numbers of units and calendars, and those that would give the expected result."""
    number = site.of(node)
    made: dict[str, str] = {}
    for other in site.scope.documented_numbers:
        made.setdefault(other, "number.mentioned")
    for related in map(str.split, site.book.values["numbers"]):
        for other in related if number in related else ():
            made.setdefault(other, "number.related")
    for name, other in _worked_out(number, site.facts.differences):
        made.setdefault(other, name)
    if site.unit.kind != "return":
        for other in _turned(number):
            made.setdefault(other, "number.turned")
        for other in site.facts.numbers[:MAX_MENTIONED]:
            made.setdefault(other, "number.of_test")
    for name in sorted(site.scope.unused) if node.around != "default" else ():
        made.setdefault(name, "number.unused_name")
    made.pop(number, None)
    sets = "sets" if site.unit.kind in {"expression", "declare", "assign"} or not site.scope.is_function else "uses"
    yield from (site.replaced(node, other, name, sets) for other, name in made.items())


def _turned(number: str) -> Iterator[str]:
    """A zero too many or too few, half, double, the next round number; in the same notation."""
    plain = number.replace("_", "")
    whole, _, rest = plain.partition(".")
    if not whole.isdecimal() or rest.strip("0") or int(whole) < 2:
        return
    value = int(whole)
    step = next(step for step in (100, 10, 5, 1) if value % step == 0)
    turned = [value * 10, *(value // by for by in (10, 2) if value % by == 0), value * 2]
    turned += [value + step, value - step] if step > 1 else []
    for other in turned:
        yield f"{other:_}" if "_" in number else f"{other}.{rest}" if rest else str(other)


def _worked_out(number: str, differences: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The value for which results would be as expected, if they are proportional to it, or shift with it."""
    plain = number.replace("_", "")
    value = float(plain) if _NUMBER.fullmatch(plain) else 0.0
    for got, wanted in _pairs(differences):
        if got and value and wanted / got > 0:
            yield from (("number.in_ratio", each) for each in _written(value * wanted / got, number))
        if got and wanted and value:
            yield from (("number.in_ratio_turned", each) for each in _written(value * got / wanted, number))
        yield from (("number.by_difference", each) for each in _written(value + wanted - got, number))
        yield from (("number.by_difference_turned", each) for each in _written(value - wanted + got, number))


def _pairs(differences: Sequence[tuple[str, str]]) -> Iterator[tuple[float, float]]:
    """Numbers at the same position in the actual and the expected value that differ."""
    for got, wanted in differences:
        if _NUMBER.split(got) == _NUMBER.split(wanted):
            pairs = zip(_NUMBER.findall(got), _NUMBER.findall(wanted), strict=True)
            yield from ((float(one), float(other)) for one, other in pairs if float(one) != float(other))


def _written(value: float, like: str) -> Iterator[str]:
    """A number with as few decimals as possible, if a programmer would write so few."""
    decimals = len(like.partition(".")[2])
    for more in range(decimals, max(decimals, 2) + 2):
        short = round(value, more)
        if short > 0 and abs(short - value) <= PRECISE * abs(value):
            yield f"{short:.{more}f}"
            return


def bounds(site: Site) -> Iterator[Edit]:
    """Indices, slices and loop counters, plus or minus one."""
    for node in site.nodes:
        if node.kind == "subscript":
            yield from _index(site, node)
        elif node.kind == "call":
            yield from _call(site, node)
        elif node.kind == "attribute" and site.of(node.part("member")) == "length" and node.around != "arithmetic":
            yield site.fitted(node, f"{site.of(node)} - 1", "offset.length")
    for _, _, _, last in operations(site.nodes, "comparison") if site.unit.kind == "loop" else ():
        if last.kind in VALUES:
            yield from _more_or_less(site, last, "offset.loop")


def _more_or_less(site: Site, node: CodeNode, name: str, *features: str) -> Iterator[Edit]:
    """Changes a sum at its end, so that `x + 1` never becomes `x + 1 - 1`."""
    sides = operands(node) if node.kind == "arithmetic" else None
    if sides and site.of(sides[2]) == "1" and sides[1] in {"+", "-"}:
        return
    yield site.fitted(node, f"{site.of(node)} + 1", name, "more", *features)
    yield site.fitted(node, f"{site.of(node)} - 1", name, "less", *features)


def _index(site: Site, node: CodeNode) -> Iterator[Edit]:
    for part in indices_of(node):
        is_slice = part.kind == "slice"
        for bound in part.named if is_slice else [part]:
            if bound.kind in VALUES:
                yield from _more_or_less(site, bound, "offset.index")
            if is_slice:
                yield site.replaced(bound, "", "slice.open")
        if site.tree.language.indented and site.of(part) in {"0", "-1"}:
            yield site.replaced(part, "-1" if site.of(part) == "0" else "0", "index.other_end")


def _call(site: Site, node: CodeNode) -> Iterator[Edit]:
    name, given = site.of(callee(node)), arguments_of(node)
    if name == "len" and node.around != "arithmetic":
        yield from _more_or_less(site, node, "offset.length")
    if name not in site.book.values["bounded"] or not given:
        return
    for each in given[:2]:
        if each.kind in VALUES:
            yield from _more_or_less(site, each, "offset.range", "last" if each is given[-1] else "first")
    for last in given if name == "range" and len(given) == 1 else ():
        yield site.replaced(last, f"1, {site.of(last)}", "range.start")
        yield site.replaced(last, f"1, {site.of(last)} + 1", "range.start")
    if name == "range" and len(given) == 2 and site.of(given[0]) in {"0", "1"}:
        yield Edit("range.start", ((given[0].start, given[1].start, ""),), ("dropped",))


def values_by_one(site: Site) -> Iterator[Edit]:
    """Any used value, plus or minus one."""
    if not site.facts.tells_of_numbers or site.unit.kind in {"raise", "each"}:
        return
    for node in used_values(site):
        where = "product" if node.around == "arithmetic" else "alone"
        if node.around not in {"subscript", "not", "boolean"}:
            yield site.fitted(node, f"{site.of(node)} - 1", "offset.value", where)
            yield site.fitted(node, f"{site.of(node)} + 1", "offset.value", where)


def used_values(site: Site) -> Iterator[CodeNode]:
    """Every name, field, item and call of a unit that is read, not set."""
    for node in site.nodes:
        if node.kind not in {"name", "attribute", "subscript", "call"} or node.parent is None:
            continue
        named = node.around in {"named", "pair", "default", "new"} and node.parent.part("value") is not node
        headed = node.around in {"function", "class", "expression", "lambda"} and node.field != "body"
        is_set = is_target_value(node) or (node.kind == "name" and is_target(node))
        is_part = node.around in {"attribute", "parameters"} or is_called(node) or node.within("type", "import")
        if not (named or headed or is_set or is_part):
            yield node
