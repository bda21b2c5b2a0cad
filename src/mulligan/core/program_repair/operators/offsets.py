"""Numbers: one too many or too few, another one that was meant, ends of stretches."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode
from mulligan.syntax.expressions import arguments_of, callee, is_target_value, items_of, operands
from mulligan.syntax.scopes import is_target

SMALL = 10
MOST_TOLD = 8
PRECISE = 5e-4
"""How far a number may be off that is worked out from results which were rounded to be shown."""
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
    where = _where(site, node)
    yield site.replaced(node, str(value + 1), "offset.literal", size, where)
    if value:
        yield site.replaced(node, str(value - 1), "offset.literal", size, where)
    elif node.parent and node.parent.kind in {"subscript", "assign", "return", "arguments"}:
        yield site.replaced(node, "-1", "offset.literal", "minus", where)


def _where(site: Site, node: CodeNode) -> str:
    parent = node.parent
    kind = parent.kind if parent else ""
    return "in_loop" if site.is_loop else f"in_{kind}" if kind in {"arithmetic", "comparison", "subscript"} else "in"


def _other_numbers(site: Site, node: CodeNode) -> Iterator[Edit]:
    """What is told of, what units and calendars have, what would give the result that was wanted."""
    number = site.of(node)
    made: dict[str, str] = {}
    for other in site.scope.told_numbers:
        made.setdefault(other, "number.told")
    for kin in site.book.values["numbers"]:
        if number in kin.split():
            for other in kin.split():
                made.setdefault(other, "number.kin")
    for name, other in _worked_out(number, site.facts.differences):
        made.setdefault(other, name)
    if site.unit.kind != "return":
        for other in _turned(number):
            made.setdefault(other, "number.turned")
        for other in site.facts.numbers[:MOST_TOLD]:
            made.setdefault(other, "number.of_test")
    for name in sorted(site.scope.unused) if node.parent and node.parent.kind != "default" else ():
        made.setdefault(name, "number.unused_name")
    made.pop(number, None)
    sets = "sets" if site.unit.kind in {"expression", "declare", "assign"} or not site.scope.is_function else "uses"
    yield from (site.replaced(node, other, name, sets) for other, name in made.items())


def _turned(number: str) -> Iterator[str]:
    """A zero too many or too few, half of it, twice as much, the next round number; written as it was."""
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
    """What it would have to be, if results grow with it, or by as much as it does, for them to be those wanted."""
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
        if short > 0 and abs(short - value) <= PRECISE * abs(value):
            yield f"{short:.{more}f}"
            return


def bounds(site: Site) -> Iterator[Edit]:
    """Indices, slices and what counts a loop, one more or one less."""
    for node in site.nodes:
        if node.kind == "subscript":
            yield from _index(site, node)
        elif node.kind == "call":
            yield from _call(site, node)
        elif node.kind == "comparison" and site.unit.kind == "loop":
            sides = operands(node)
            if sides and sides[2].kind in VALUES:
                yield from _more_or_less(site, sides[2], "offset.loop")
        elif node.kind == "attribute" and site.of(node.part("member")) == "length" and not _in_sum(node):
            yield site.fitted(node, f"{site.of(node)} - 1", "offset.length")


def _more_or_less(site: Site, node: CodeNode, name: str, *features: str) -> Iterator[Edit]:
    """A sum is added to at its end, so that `x + 1` never becomes `x + 1 - 1`."""
    sides = operands(node) if node.kind == "arithmetic" else None
    if sides and site.of(sides[2]) == "1" and sides[1] in {"+", "-"}:
        return
    yield site.fitted(node, f"{site.of(node)} + 1", name, "more", *features)
    yield site.fitted(node, f"{site.of(node)} - 1", name, "less", *features)


def _index(site: Site, node: CodeNode) -> Iterator[Edit]:
    parts = [part for part in items_of(node) if part is not node.part("object")]
    for part in parts:
        for bound in part.named if part.kind == "slice" else [part]:
            if bound.kind in VALUES:
                yield from _more_or_less(site, bound, "offset.index")
        if part.kind == "slice":
            for bound in part.named:
                yield site.replaced(bound, "", "slice.open")
        elif site.tree.language.indented and site.of(part) in {"0", "-1"}:
            yield site.replaced(part, "-1" if site.of(part) == "0" else "0", "index.other_end")


def _call(site: Site, node: CodeNode) -> Iterator[Edit]:
    name, given = site.of(callee(node)), arguments_of(node)
    if name == "len" and not _in_sum(node):
        yield from _more_or_less(site, node, "offset.length")
    if name not in site.book.values["bounded"] or not given:
        return
    for each in given[:2]:
        if each.kind in VALUES:
            yield from _more_or_less(site, each, "offset.range", "last" if each is given[-1] else "first")
    if name == "range" and len(given) == 1:
        last = site.of(given[0])
        yield site.replaced(given[0], f"1, {last}", "range.start")
        yield site.replaced(given[0], f"1, {last} + 1", "range.start")
    if name == "range" and len(given) == 2 and site.of(given[0]) in {"0", "1"}:
        yield Edit("range.start", ((given[0].start, given[1].start, ""),), ("dropped",))


def _in_sum(node: CodeNode) -> bool:
    return node.parent is not None and node.parent.kind == "arithmetic"


def values_by_one(site: Site) -> Iterator[Edit]:
    """Any value that is used, one more or one less."""
    if not site.facts.tells_of_numbers or site.unit.kind in {"raise", "each"}:
        return
    for node in used_values(site):
        parent = node.parent
        if parent is None or parent.kind in {"subscript", "not", "boolean"}:
            continue
        where = "product" if parent.kind == "arithmetic" else "alone"
        yield site.fitted(node, f"{site.of(node)} - 1", "offset.value", where)
        yield site.fitted(node, f"{site.of(node)} + 1", "offset.value", where)


def used_values(site: Site) -> Iterator[CodeNode]:
    """Every name, field, item and call of a unit that is used and not set."""
    for node in site.nodes:
        parent = node.parent
        if node.kind not in {"name", "attribute", "subscript", "call"} or parent is None:
            continue
        if parent.kind in {"attribute", "parameters", "import", "named", "pair", "default", "new"} and (
            parent.kind == "parameters" or parent.part("value") is not node or parent.kind == "attribute"
        ):
            continue
        if parent.kind == "call" and parent.part("called") is node:
            continue
        if node.within("type", "import") or is_target_value(node) or (node.kind == "name" and is_target(node)):
            continue
        if parent.kind in {"function", "class", "expression", "lambda"} and node.field != "body":
            continue
        yield node
