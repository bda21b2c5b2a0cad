"""Numbers: off by one, a different number, ends of ranges."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode
from mulligan.syntax.expressions import (
    arguments_of,
    callee,
    is_called,
    is_target_value,
    operands,
)
from mulligan.syntax.scopes import is_target

SMALL = 10
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
    sides = operands(node.parent) if value == 1 and node.parent and node.around == "arithmetic" else None
    if sides and node.parent and sides[2] is node:
        yield site.replaced(node.parent, site.of(sides[0]), "offset.dropped")


def _other_numbers(site: Site, node: CodeNode) -> Iterator[Edit]:
    """Numbers in failures and tests, numbers of units and calendars, and those that would give the expected result."""
    number = site.of(node)
    made: dict[str, str] = {}
    for other in site.scope.told_numbers:
        made.setdefault(other, "number.told")
    for other in (each for kin in site.book.values["numbers"] if number in kin.split() for each in kin.split()):
        made.setdefault(other, "number.kin")
    for name, other in _worked_out(number, site.facts.differences):
        made.setdefault(other, name)
    if site.unit.kind != "return":
        for other in _turned(number):
            made.setdefault(other, "number.turned")
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


def _pairs(differences: Sequence[tuple[str, str]]) -> Iterator[tuple[float, float]]:
    """Numbers at the same position in the actual and the expected value that differ."""
    for got, wanted in differences:
        if _NUMBER.split(got) == _NUMBER.split(wanted):
            pairs = zip(_NUMBER.findall(got), _NUMBER.findall(wanted), strict=True)
            yield from ((float(one), float(other)) for one, other in pairs if float(one) != float(other))


def _written(value: float, like: str) -> Iterator[str]:
    """A number with as few decimals as possible, if a person would write so few."""
    places = len(like.partition(".")[2])
    for more in range(places, max(places, 2) + 2):
        short = round(value, more)
        if short > 0 and abs(short - value) <= PRECISE * abs(value):
            yield f"{short:.{more}f}"
            return


def by_one(site: Site) -> Iterator[Edit]:
    """A value plus or minus one: an index, a length, the end of a range or of a loop, or any value that is used."""
    told = site.facts.tells_of_numbers and site.unit.kind not in {"raise", "each"}
    used = set(used_values(site)) if told else set[CodeNode]()
    for node in site.nodes:
        sides = operands(node) if node.kind == "arithmetic" else None
        ends = sides is not None and site.of(sides[2]) == "1" and sides[1] in {"+", "-"}
        if node.kind in VALUES and not ends and (what := _measures(site, node)):
            yield site.fitted(node, f"{site.of(node)} + 1", f"offset.{what}", "more")
            yield site.fitted(node, f"{site.of(node)} - 1", f"offset.{what}", "less")
        elif node in used and node.around not in {"subscript", "not", "boolean"}:
            where = "product" if node.around == "arithmetic" else "alone"
            yield site.fitted(node, f"{site.of(node)} - 1", "offset.value", where)
            yield site.fitted(node, f"{site.of(node)} + 1", "offset.value", where)


def _measures(site: Site, node: CodeNode) -> str:
    """What a value is, if one more or less is a likely slip."""
    up = node.parent
    if up is None:
        return ""
    if up.kind == "slice" or (up.kind == "subscript" and node is not up.part("object")):
        return "index"
    held = up.parent if up.kind == "arguments" else None
    if held and site.of(callee(held)) in site.book.values["bounded"] and node in arguments_of(held)[:2]:
        return "range"
    if up.kind == "comparison" and site.unit.kind == "loop" and up.named[-1] is node:
        return "loop"
    of_length = site.of(callee(node)) == "len" or site.of(node.part("member")) == "length"
    return "length" if of_length and up.kind != "arithmetic" else ""


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
