"""Operators within an expression: comparisons, sums, conditions, brackets."""

from collections.abc import Iterator
from itertools import pairwise

from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit, Piece
from mulligan.syntax.code_tree import ATOMS, CodeNode
from mulligan.syntax.expressions import arguments_of, callee, conditions, items_of, operands, operations, sign_of
from mulligan.syntax.scopes import parameters

BOUNDARY = frozenset({("<", "<="), ("<=", "<"), (">", ">="), (">=", ">")})
EQUALITY = frozenset({"==", "!=", "===", "!==", "in", "not in", "is", "is not"})
ORDERED = frozenset({"-", "/", "//", "%", "**", "in", "not in"})


def signs(site: Site) -> Iterator[Edit]:
    """Replaces one operator by another."""
    swaps = site.book.swaps
    for node in site.nodes:
        sign = sign_of(node) if node.kind in {"comparison", "arithmetic", "boolean", "augment", "step"} else None
        if sign is None or (site.is_loop and node.kind in {"augment", "step"}):
            continue
        for other in swaps.get(sign.type, ()):
            # A loop with an inverted condition may never end, and use up all the time.
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
    """The same comparison several times, as for both ends of a range, and each of them wrong."""
    found: dict[str, list[CodeNode]] = {}
    for node in site.nodes:
        sign = sign_of(node) if node.kind in {"comparison", "boolean"} else None
        if sign is not None:
            found.setdefault(sign.type, []).append(sign)
    for sign, nodes in found.items():
        for other in site.book.swaps.get(sign, ())[:2] if len(nodes) > 1 else ():
            pieces = tuple((each.start, each.end, other) for each in nodes)
            yield Edit("compare.every_sign", pieces)


def bound_and_sign(site: Site) -> Iterator[Edit]:
    """`== 0` for `<= 1`: a base case that misses its neighbour."""
    for node, left, sign, right in operations(site.nodes, "comparison"):
        if sign in {"==", "==="} and site.of(right) in {"0", "1"}:
            yield site.replaced(node, f"{site.of(left)} <= 1", "compare.last_case")
            yield site.replaced(node, f"{site.of(left)} < 2", "compare.last_case", "rare")


def turned_operands(site: Site) -> Iterator[Edit]:
    for _, left, sign, right in operations(site.nodes, "arithmetic", "comparison"):
        if left.kind == "string" or site.tree.plain(left) == site.tree.plain(right):
            continue
        if sign in ORDERED:
            yield site.exchanged(left, right, "arithmetic.turned")
        elif sign == "+" and site.facts.tells_of_text:
            yield site.exchanged(left, right, "arithmetic.turned", "sum")


def grouping(site: Site) -> Iterator[Edit]:
    """Missing brackets, or brackets that change the order of evaluation by mistake."""
    for node in site.nodes:
        inner = node.named[0] if node.kind == "group" and len(node.named) == 1 else None
        if inner and inner.kind in {"arithmetic", "boolean"} and node.around in {"arithmetic", "comparison", "boolean"}:
            early = inner.kind == "arithmetic" and "/" in (sides[1] if (sides := operands(inner)) else "")
            yield site.replaced(node, site.of(inner), "group.dropped", *(["division"] if early else []))
    # `a + b * c` as `(a + b) * c`, `a * b + c` as `a * (b + c)`, and division after multiplication.
    for node, left, sign, right in operations(site.nodes, "arithmetic", "boolean"):
        for _, one, inner, other in operations([right], node.kind):
            yield site.replaced(
                node, f"({site.of(left)} {sign} {site.of(one)}) {inner} {site.of(other)}", "group.added"
            )
        for _, one, inner, other in operations([left], node.kind):
            first, middle, last = site.of(one), site.of(other), site.of(right)
            if inner != sign:
                yield site.replaced(node, f"{first} {inner} ({middle} {sign} {last})", "group.added")
            if inner in {"/", "//"} and sign == "*":
                yield site.replaced(node, f"{first} * {last} {inner} {middle}", "group.division_last")


def negations(site: Site) -> Iterator[Edit]:
    """A condition that should be negated."""
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
        if node.kind not in {"name", "attribute", "call", "subscript"} or node.parent is None:
            continue
        asked = node.around == "boolean" or (node.around == "lambda" and node.field == "body")
        call = node.within("call") if node.around in {"comprehension", "arguments"} else None
        of_all = call and (node.around == "comprehension" or site.of(call.part("called")) in {"all", "any"})
        if asked or (node.kind == "call" and (node.around == "return" or of_all)):
            yield node


def choices(site: Site) -> Iterator[Edit]:
    """The two values of a conditional expression swapped, and one of two conditions removed."""
    for node in site.nodes:
        if node.kind == "conditional" and len(node.named) == 3:
            one = node.named[0] if node.part("condition") is None else node.named[1]
            yield site.exchanged(one, node.named[2], "choice.turned")
    for node, left, _, right in operations(site.nodes, "boolean"):
        yield site.replaced(node, site.of(left), "boolean.half")
        yield site.replaced(node, site.of(right), "boolean.half")


def parts_of_sums(site: Site) -> Iterator[Edit]:
    """One side of a sum or a product removed."""
    for node, left, _, right in operations(site.nodes, "arithmetic"):
        yield site.replaced(node, site.of(left), "offset.dropped" if site.of(right) == "1" else "arithmetic.half")
        yield site.replaced(node, site.of(right), "arithmetic.half")


def symmetric(site: Site) -> Iterator[Edit]:
    """A condition on one of two similar things that should hold for the other too."""
    given = site.scope.given
    if site.unit.kind != "return" or len(given) != 2 or not site.unit.named:
        return
    asked = site.unit.named[0]
    pieces = _turned(site, asked, given)
    if asked.kind in {"comparison", "call", "boolean"} and pieces:
        turned = site.edited(asked, pieces)
        yield site.replaced(asked, f"{site.of(asked)} {site.book.both} {turned}", "condition.both_ways")


def turned_parameters(site: Site) -> Iterator[Edit]:
    """A comparison function with its two parameters swapped."""
    for node in site.nodes:
        body = node.part("body") if node.kind == "lambda" else None
        given = tuple(parameters(site.tree, node)) if body else ()
        if body and len(given) == 2 and (pieces := _turned(site, body, given)):
            yield Edit("order.parameters", pieces)


def _turned(site: Site, node: CodeNode, given: tuple[str, ...]) -> tuple[Piece, ...]:
    """Swaps two names, if both occur."""
    pair = {given[0]: given[1], given[1]: given[0]}
    nodes = [each for each in node.walk() if each.kind == "name" and site.of(each) in pair]
    pieces = tuple((each.start, each.end, pair[site.of(each)]) for each in nodes)
    return pieces if len({text for _, _, text in pieces}) == 2 else ()


def neighbours(site: Site) -> Iterator[Edit]:
    """Two neighbouring arguments or items swapped."""
    for node in site.nodes:
        if node.kind not in {"arguments", "tuple", "list", "subscript"} or node.field in {"left", "name", "pattern"}:
            continue
        items = items_of(node)[1:] if node.kind == "subscript" else items_of(node)
        if len(items) > 4:
            continue
        for one, other in pairwise(items):
            if site.tree.plain(one) != site.tree.plain(other) and "named" not in {one.kind, other.kind}:
                alike = ["alike"] if one.kind == other.kind in {"name", "attribute", "integer"} else []
                yield site.exchanged(one, other, f"order.{node.kind}", *alike, *(["pair"] if len(items) == 2 else []))
    yield from _by_name(site)


def _by_name(site: Site) -> Iterator[Edit]:
    """Arguments with the parameters' names, but in another order."""
    for node in site.nodes:
        given, taken = arguments_of(node), site.facts.parameters.get(site.of(callee(node)), ())
        by_name = {site.of(each.part("member") if each.kind == "attribute" else each): each for each in given}
        nodes = [name for name in by_name if name in taken]
        order = sorted(nodes, key=taken.index)
        if len(order) > 1 and nodes != order and len(by_name) == len(given) <= len(taken):
            pairs = zip((by_name[name] for name in nodes), (by_name[name] for name in order), strict=True)
            yield Edit("order.by_name", tuple((one.start, one.end, site.of(other)) for one, other in pairs))
