"""Signs within an expression: comparisons, sums, conditions, brackets."""

from collections.abc import Iterator
from itertools import pairwise

from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import ATOMS, CodeNode
from mulligan.syntax.expressions import callee, conditions, items_of, operands, sign_of
from mulligan.syntax.scopes import parameters

BOUNDARY = frozenset({("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")})
EQUALITY = frozenset({"==", "!=", "===", "!==", "in", "not in", "is", "is not"})
ORDERED = frozenset({"-", "/", "//", "%", "**"})
_FREE = frozenset({"(", "[", ",", "=", "return", ":"})


def signs(site: Site) -> Iterator[Edit]:
    """Another sign for the one that stands there."""
    swaps = site.book.swaps
    for node in site.nodes:
        sign = sign_of(node) if node.kind in {"comparison", "arithmetic", "boolean", "augment", "step"} else None
        if sign is None or (site.is_loop and node.kind in {"augment", "step"}):
            continue
        for other in (each.replace("_", " ") for each in swaps.get(sign.type, ())):
            # A loop whose condition is turned round may never end, and so take all the time there is.
            if site.unit.kind == "loop" and node.kind == "comparison" and (sign.type, other) not in BOUNDARY:
                continue
            yield site.replaced(sign, other, _sign_name(node, sign.type, other))


def _sign_name(node: CodeNode, sign: str, other: str) -> str:
    if node.kind == "comparison":
        if (sign, other) in BOUNDARY:
            return "compare.boundary"
        if sign in EQUALITY:
            return "compare.equality" if other in EQUALITY else "compare.bound_for_equality"
        return "compare.turned"
    if node.kind == "boolean":
        return "boolean.default" if "??" in {sign, other} else "boolean.sign"
    if node.kind in {"augment", "step"}:
        return "augment.set" if other == "=" else "augment.sign"
    return f"arithmetic.{'sign' if {sign, other} <= {'+', '-'} else 'division' if '/' in sign + other else 'other'}"


def same_signs(site: Site) -> Iterator[Edit]:
    """The same comparison several times, as two ends of a stretch have it, and each of them wrong."""
    found: dict[str, list[CodeNode]] = {}
    for node in site.nodes:
        sign = sign_of(node) if node.kind in {"comparison", "boolean"} else None
        if sign is not None:
            found.setdefault(sign.type, []).append(sign)
    for sign, places in found.items():
        for other in site.book.swaps.get(sign, ())[:2] if len(places) > 1 else ():
            pieces = tuple((each.start, each.end, other.replace("_", " ")) for each in places)
            yield Edit("compare.every_sign", pieces)


def bound_and_sign(site: Site) -> Iterator[Edit]:
    """`== 0` for `<= 1`: a last case that leaves out its neighbour."""
    for node in site.nodes:
        sides = operands(node) if node.kind == "comparison" else None
        if sides and sides[1] in {"==", "==="} and sides[2].kind == "integer" and site.of(sides[2]) in {"0", "1"}:
            yield site.replaced(node, f"{site.of(sides[0])} <= 1", "compare.last_case")
            yield site.replaced(node, f"{site.of(sides[0])} < 2", "compare.last_case", "rare")


def turned_operands(site: Site) -> Iterator[Edit]:
    for node in site.nodes:
        sides = operands(node) if node.kind in {"arithmetic", "comparison"} else None
        if sides is None or sides[0].kind == "string" or site.tree.plain(sides[0]) == site.tree.plain(sides[2]):
            continue
        if sides[1] in ORDERED or sides[1] in {"in", "not in"}:
            yield site.exchanged(sides[0], sides[2], "arithmetic.turned")
        elif sides[1] == "+" and site.facts.tells_of_text:
            yield site.exchanged(sides[0], sides[2], "arithmetic.turned", "sum")


def grouping(site: Site) -> Iterator[Edit]:
    """Brackets that are missing, or that make something come first which was not meant to."""
    for node in site.nodes:
        parent = node.parent
        if node.kind == "group" and parent and parent.kind in {"arithmetic", "comparison", "boolean"}:
            inner = node.named[0] if len(node.named) == 1 else None
            if inner and inner.kind in {"arithmetic", "boolean"}:
                early = inner.kind == "arithmetic" and "/" in (sides[1] if (sides := operands(inner)) else "")
                yield site.replaced(node, site.of(inner), "group.dropped", *(["division"] if early else []))
        if node.kind not in {"arithmetic", "boolean"}:
            continue
        sides = operands(node)
        if sides is None:
            continue
        left, sign, right = sides
        yield from _regrouped(site, node, left, sign, right)


def _regrouped(site: Site, node: CodeNode, left: CodeNode, sign: str, right: CodeNode) -> Iterator[Edit]:
    """`a + b * c` as `(a + b) * c`, `a * b + c` as `a * (b + c)`, and division after multiplication."""
    inner_left, inner_right = operands(left), operands(right)
    same = {left.kind, right.kind} & {node.kind}
    if inner_right and right.kind == node.kind and same:
        one, other, last = site.of(left), site.of(inner_right[0]), site.of(inner_right[2])
        yield site.replaced(node, f"({one} {sign} {other}) {inner_right[1]} {last}", "group.added")
    if inner_left and left.kind == node.kind and inner_left[1] != sign:
        one, other, last = site.of(inner_left[0]), site.of(inner_left[2]), site.of(right)
        yield site.replaced(node, f"{one} {inner_left[1]} ({other} {sign} {last})", "group.added")
        if inner_left[1] in {"/", "//"} and sign == "*":
            yield site.replaced(node, f"{one} * {last} {inner_left[1]} {other}", "group.division_last")


def negations(site: Site) -> Iterator[Edit]:
    """A question that was meant the other way round."""
    for node in site.nodes:
        if node.kind == "not" and (asked := node.part("operand") or (node.named[-1] if node.named else None)):
            yield site.replaced(node, site.of(asked), "negation.dropped")
    for node in _questions(site):
        if node.kind != "not":
            yield site.replaced(node, site.negated(node), "negation.added", node.kind if node.kind in ATOMS else "rare")


def _questions(site: Site) -> Iterator[CodeNode]:
    for node in conditions(site.nodes):
        if node.kind not in {"comparison", "true", "false"}:
            yield node
    for node in site.nodes:
        parent = node.parent
        if parent is None or node.kind not in {"name", "attribute", "call", "subscript"}:
            continue
        asked = parent.kind == "boolean" or (parent.kind == "lambda" and node.field == "body")
        returned = parent.kind == "return" and node.kind == "call"
        argument = parent.kind in {"comprehension", "arguments"} and node.kind == "call" and _asks(site, parent)
        if asked or returned or argument:
            yield node


def _asks(site: Site, node: CodeNode) -> bool:
    called = node.parent.part("called") if node.parent and node.kind == "arguments" else None
    return site.of(called) in {"all", "any"} or (node.kind == "comprehension" and bool(node.within("call")))


def choices(site: Site) -> Iterator[Edit]:
    """The two values of a choice the wrong way round, and one of two conditions too many."""
    for node in site.nodes:
        if node.kind == "conditional" and len(node.named) == 3:
            python = node.part("condition") is None
            one, other = (node.named[0], node.named[2]) if python else (node.named[1], node.named[2])
            yield site.exchanged(one, other, "choice.turned")
        sides = operands(node) if node.kind == "boolean" else None
        for side in (sides[0], sides[2]) if sides else ():
            yield site.replaced(node, site.of(side), "boolean.half")


def parts_of_sums(site: Site) -> Iterator[Edit]:
    """One side of a sum or a product too many."""
    for node in site.nodes:
        sides = operands(node) if node.kind == "arithmetic" else None
        for side in (sides[0], sides[2]) if sides else ():
            other = sides[2] if sides and side is sides[0] else side
            if site.of(other) == "1" and side is not other:
                yield site.replaced(node, site.of(side), "offset.dropped")
            else:
                yield site.replaced(node, site.of(side), "arithmetic.half")


def symmetric(site: Site) -> Iterator[Edit]:
    """A question about two things alike that is asked of the one, and not of the other."""
    given = site.scope.given
    if site.unit.kind != "return" or len(given) != 2 or not site.unit.named:
        return
    asked = site.unit.named[0]
    places = [node for node in asked.walk() if node.kind == "name" and site.of(node) in given]
    if asked.kind in {"comparison", "call", "boolean"} and {site.of(node) for node in places} == set(given):
        pair = {given[0]: given[1], given[1]: given[0]}
        pieces = tuple((node.start - asked.start, node.end - asked.start, pair[site.of(node)]) for node in places)
        turned = Edit("", pieces).applied(site.of(asked).encode()).decode()
        yield site.replaced(asked, f"{site.of(asked)} {site.book.both} {turned}", "condition.both_ways")


def turned_parameters(site: Site) -> Iterator[Edit]:
    """What compares two things, with the two the other way round."""
    for node in site.nodes:
        body = node.part("body") if node.kind == "lambda" else None
        given = list(parameters(site.tree, node)) if body else []
        if body is None or len(given) != 2:
            continue
        pair = {given[0]: given[1], given[1]: given[0]}
        places = [each for each in body.walk() if each.kind == "name" and site.of(each) in pair]
        if len({site.of(each) for each in places}) == 2:
            yield Edit("order.parameters", tuple((each.start, each.end, pair[site.of(each)]) for each in places))


def neighbours(site: Site) -> Iterator[Edit]:
    """Two arguments or items of a row in the wrong order."""
    for node in site.nodes:
        if node.kind not in {"arguments", "tuple", "list", "subscript"} or node.field in {"left", "name", "pattern"}:
            continue
        items = items_of(node)[1:] if node.kind == "subscript" else items_of(node)
        if len(items) > 4:
            continue
        for one, other in pairwise(items):
            if site.tree.plain(one) != site.tree.plain(other) and "named" not in {one.kind, other.kind}:
                alike = one.kind == other.kind and one.kind in {"name", "attribute", "integer"}
                feature = ["alike"] if alike else []
                yield site.exchanged(one, other, f"order.{node.kind}", *feature, *(["pair"] if len(items) == 2 else []))
    yield from _by_name(site)


def _by_name(site: Site) -> Iterator[Edit]:
    """Arguments that are named as the parameters are, and stand in another order."""
    for node in site.nodes:
        held = node.part("arguments") if node.kind in {"call", "new"} else None
        if held is None:
            continue
        name = site.of(callee(node))
        given = items_of(held)
        last = [site.of(each.part("member") if each.kind == "attribute" else each) for each in given]
        taken = site.facts.parameters.get(name, ())
        order = [each for each in taken if each in last]
        if len(order) > 1 and [each for each in last if each in order] != order and len(given) <= len(taken):
            sources = iter([given[last.index(each)] for each in order])
            pieces = [
                (each.start, each.end, site.of(next(sources)))
                for each, own in zip(given, last, strict=True)
                if own in order
            ]
            yield Edit("order.by_name", tuple(pieces))
