"""Whole statements: one too many, in the wrong position, without its `return`, with the wrong kind of assignment."""

import re
from collections.abc import Collection, Iterator

from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import ATOMS, CodeNode, block_of, bodies_of, is_text, is_unit, unbracketed, units_in
from mulligan.syntax.expressions import called_on, callee, conditions, settings, sign_of
from mulligan.syntax.scopes import is_target, uses

SIMPLE = frozenset({"expression", "assign", "augment", "declare", "step", "delete", "return", "raise"})
FAULT = re.compile(r"(?:new )?\w*(?:Error|Exception)\(.*\)", re.DOTALL)
LOOPS = frozenset({"each", "loop"})
MAX_FACTS = 10


def results(site: Site) -> Iterator[Edit]:
    """A value that is computed and not returned, or returned in another way."""
    unit = site.unit
    value = unit.named[0] if unit.kind == "expression" and len(unit.named) == 1 else None
    if value is not None and value.kind in {*ATOMS, "comparison", "arithmetic", "boolean", "conditional", "await"}:
        yield from _handed_out(site, value)
    for node in site.nodes:
        given = site.of(node.named[-1]) if node.kind == "yield" and node.named else ""
        if given and "from" in {child.type for child in node.children}:
            yield site.replaced(node, f"yield {given}", "result.yield_one")
        elif given:
            yield site.replaced(node, f"yield from {given}", "result.yield_all")
            yield site.replaced(node, f"return {given}", "result.return_for_yield")
    if unit.kind == "return" and unit.named and any(node.kind == "yield" for node in site.scope.nodes):
        yield Edit("result.yield_for_return", ((unit.start, unit.start + len("return"), "yield"),))


def _handed_out(site: Site, value: CodeNode) -> Iterator[Edit]:
    text, start = site.of(value), value.start
    last = block_of(site.unit)[-1] is site.unit
    name, owner = site.of(callee(value)), called_on(value)
    own = name == site.of(site.scope.node.part("name"))
    pure = value.kind != "call" or name in site.book.values["pure"]
    why = "vain" if pure else "recursive" if own else "last" if last else "called"
    if value.kind != "string":
        yield Edit("result.return", ((start, start, "return "),), (why, *(["last"] if last else [])))
    if FAULT.fullmatch(text):
        word = "raise" if site.tree.language.indented else "throw"
        yield Edit("result.raise", ((start, start, f"{word} "),))
    sign = sign_of(value) if value.kind == "comparison" else None
    if sign and sign.type in {"==", "==="}:
        yield site.replaced(sign, "=", "result.set")
    if owner is not None and owner.kind in {"name", "attribute"} and pure:
        yield Edit("result.kept", ((start, start, f"{site.of(owner)} = "),))


def assignments(site: Site) -> Iterator[Edit]:
    """A value that is set where it should be added, or declared again where an existing variable is meant."""
    for node in site.nodes:
        if node.kind == "assign":
            yield from _added(site, node)
        elif node.kind == "declare":
            yield from _made_anew(site, node)


def _added(site: Site, node: CodeNode) -> Iterator[Edit]:
    left, right = node.part("left"), node.part("right")
    sign = next((child for child in node.children if child.type == "="), None)
    if left is None or right is None or sign is None:
        return
    loop = "in_loop" if node.within("each", "loop") else "once"
    if right.kind in {"negative", "unary"} and right.start == sign.end:
        yield Edit("assign.reversed", ((sign.start, right.start + 1, f"{site.of(right)[0]}= "),))
    own = site.tree.plain(left) in site.tree.plain(right)
    if not own and right.kind not in {"list", "map", "tuple", "null", "lambda", "string"}:
        yield site.replaced(sign, "+=", "assign.added", loop)
    if left.kind == "name" and right.kind not in {"list", "map"} and loop == "in_loop":
        for way in ("max({}, {})", "min({}, {})") if site.facts.tells_of_numbers else ():
            yield site.replaced(right, way.format(site.of(left), site.of(right)), "assign.best")


def _made_anew(site: Site, node: CodeNode) -> Iterator[Edit]:
    """A variable declared within a block, where the function has one of that name outside of it."""
    left = node.part("left")
    names = [each for each in left.walk() if each.kind == "name"] if left else []
    outer = [each for each in names if _is_outside(site, each)]
    meant = [each for each in outer if site.of(each) not in {"_", "ok", "err"}]
    sign = next((child for child in node.children if child.type == ":="), None)
    if not outer or site.unit.kind in {"if", "loop", "each"}:
        return
    if sign is not None and len(outer) == len(names):
        yield site.replaced(sign, "=", "assign.shadow", *([] if meant else ["usual"]))
    elif sign is not None and meant:
        pieces = [(each.start, each.end, f"{site.of(each)}Now") for each in meant]
        kept = "\n".join(f"{site.of(each)} = {site.of(each)}Now" for each in meant)
        yield Edit("assign.shadow", (*pieces, *site.below(site.unit, kept, "").pieces))
    elif meant and site.unit.kind == "expression" and site.unit.children[0].type in {"const", "let", "var"}:
        yield Edit("assign.shadow", ((site.unit.start, node.start, ""),))


def _is_outside(site: Site, name: CodeNode) -> bool:
    around = [node for node in site.unit.above() if node.kind == "block"][1:]
    above = [other for other in site.scope.variables if other.start < site.unit.start and is_target(other)]
    declared = [other for other in above if site.of(other) == site.of(name) and other.within("declare")]
    return site.of(name) in site.scope.given or any(other.within("block") in around for other in declared)


def positions(site: Site) -> Iterator[Edit]:
    """A statement too many, or one that should be earlier, later, inside or outside of a block."""
    unit, row = site.unit, block_of(site.unit)
    simple = unit.kind in {*SIMPLE, "break", "continue"} and not is_text(unit)
    if not site.scope.is_function or unit.parent is None or not simple:
        return
    at, sets = row.index(unit), unit.kind in {"assign", "expression", "declare"}
    above, below = row[at - 1 : at], row[at + 1 : at + 2]
    yield site.without(unit, "statement.dropped", unit.kind)
    for other in below if unit.kind not in {"return", "raise", "break", "continue"} else ():
        if other.kind in {*SIMPLE, "if", "each", "loop"}:
            yield site.moved(unit, other, "statement.later", *_depends(site, unit, other), behind=True)
    around = [up for up in unit.above() if is_unit(up)]
    holder = around[0].kind if around and around[0] is not site.scope.node else ""
    if holder in {*LOOPS, "if", "elif", "else", "try"} and not below and (above or site.book.empty):
        outer = next(up for up in around if up.kind not in {"elif", "else", "catch"})
        loop = "of_loop" if outer.kind in LOOPS else "of_branch"
        yield site.moved(unit, outer, "statement.outside", unit.kind, loop, behind=True)
    if holder in {*LOOPS, "if"} and below and not above and sets:
        yield site.moved(unit, around[0], "statement.before_block", unit.kind, behind=False)
    if last := _statement_in(above, {*LOOPS, "if"}, -1):
        yield site.moved(unit, last, "statement.inside", unit.kind, behind=True)
    if sets and (first := _statement_in(below, LOOPS, 0)):
        yield site.moved(unit, first, "statement.inside", "start", behind=False)


def _statement_in(units: list[CodeNode], kinds: Collection[str], index: int) -> CodeNode | None:
    """The first or the last statement in the blocks of a unit."""
    bodies = [body for unit in units if unit.kind in kinds for body in bodies_of(unit)]
    inner = units_in(bodies[index]) if bodies else []
    return inner[index] if inner else None


def _depends(site: Site, one: CodeNode, other: CodeNode) -> list[str]:
    """Whether the first of two statements sets what the second reads: it may have been meant to read the old value."""
    names = {site.of(node) for node in one.walk() if node.kind == "name" and is_target(node)}
    return ["read"] if any(uses(site.tree, other, name) for name in names) else []


def branches(site: Site) -> Iterator[Edit]:
    """The two branches swapped, and an `if` that belongs to the one above it."""
    unit = site.unit
    then, other = (unit.part("then"), unit.part("otherwise")) if unit.kind == "if" else (None, None)
    bodies = [other] if other and other.kind == "block" else bodies_of(other) if other and other.kind == "else" else []
    if then is not None and then.kind == "block" and bodies:
        yield site.exchanged(then, bodies[0], "branch.turned")
    row = block_of(unit)
    above = row[row.index(unit) - 1].kind if unit in row and row.index(unit) else ""
    if unit.kind == above == "if" and site.tree.language.indented:
        yield Edit("branch.joined", ((unit.start, unit.start, "el"),))
    if unit.kind == "elif":
        yield Edit("branch.parted", ((unit.start, unit.start + 2, ""),))


def facts_of_conditions(site: Site) -> Iterator[Edit]:
    """A condition that requires too much or too little, with other conditions of the function, or with its names."""
    book = site.book
    returned = site.unit.named[:1] if site.unit.kind == "return" else []
    asked = [node for node in returned if node.kind in {"comparison", "boolean", "true", "false"}]
    for node in (*conditions(site.nodes), *asked):
        text = site.of(node)
        if node.kind in {"true", "false"}:
            yield from (site.replaced(node, fact, "condition.for_literal", why) for fact, why in _state(site))
            continue
        inner = f"({text})" if node.kind == "boolean" else text
        for name in dict.fromkeys(_looked_into(site, node)):
            empty = book.is_null.format(name)
            yield site.replaced(node, f"{empty} {book.either} {text}", "condition.guarded", "either")
            there = name if not book.is_null.endswith("nil") else f"{name} != nil"
            yield site.replaced(node, f"{there} {book.both} {inner}", "condition.guarded", "both")
        for each in node.walk() if "empty" in site.facts.symptoms else ():
            index = each.part("index") if each.kind == "subscript" else None
            if index is not None and index.kind == "integer":
                long_enough = f"{book.length.format(site.of(each.part('object')))} > {site.of(index)}"
                yield site.replaced(node, f"{long_enough} {book.both} {inner}", "condition.guarded", "length")
        for fact in _facts(site, node):
            simple = "simple" if fact.replace(".", "").isidentifier() else "asked"
            yield site.replaced(node, f"{inner} {book.both} {fact}", "condition.narrower", simple)
            yield site.replaced(node, f"{text} {book.either} {fact}", "condition.wider", simple)


def _looked_into(site: Site, node: CodeNode) -> Iterator[str]:
    """Objects whose parts a condition reads, and that might be missing."""
    for each in node.walk():
        owner = each.part("object") if each.kind in {"attribute", "subscript"} else None
        if owner and owner.kind in {"name", "attribute"} and site.of(owner) not in {"self", "this", "math", "Math"}:
            yield site.of(owner)


def _facts(site: Site, node: CodeNode) -> list[str]:
    """Other conditions of the function, and possible conditions on its parameters."""
    found: dict[str, None] = {}
    others = (other.part("condition") for other in site.scope.nodes if other.kind in {"if", "elif", "loop", "filter"})
    for asked in (unbracketed(other) for other in others if other and other.start != node.start):
        if asked.kind in {"comparison", "not", "call", "name", "attribute"}:
            found[site.of(asked)] = None
            found[site.negated(asked)] = None
    for name in site.scope.given:
        if name in site.scope.unused:
            found[name] = None
            found[site.book.negation.format(name)] = None
    return [each for each in found if each not in site.of(node) and "\n" not in each][:MAX_FACTS]


def _state(site: Site) -> Iterator[tuple[str, str]]:
    """Possible conditions on the function's own variables: whether they are empty, zero, or set."""
    loop = site.unit.kind == "loop"
    begun: dict[str, str] = {}
    for left, right in settings(site.scope.nodes):
        kind = site.book.kind_of(site.of(right))
        if left.kind == "name" and (kind or not uses(site.tree, right, site.of(left))):
            begun.setdefault(site.of(left), kind)
    for name, kind in begun.items():
        if kind == "number":
            yield f"{name} {'===' if '===' in site.book.swaps else '=='} 0", "number"
        elif loop:
            yield name if site.book.length != "{}.length" else f"{name}.length", "collection"
        elif kind in {"list", "set", "map"}:
            yield site.book.is_empty.format(name), "collection"
    if loop:
        yield from ((name, "given") for name in site.scope.given)
