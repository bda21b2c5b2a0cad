"""Replaces one name by another: a variable, a field, a key, a value of the function, a word of a pair."""

from collections.abc import Iterator
from functools import lru_cache

from mulligan.core.program_repair.operators.offsets import used_values
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.core.program_repair.sites.site import Site
from mulligan.core.program_repair.symptoms import swapped_texts
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree
from mulligan.syntax.expressions import callee, indices_of, is_called, is_key, items_of, operations, string_value
from mulligan.syntax.likeness import likeness
from mulligan.syntax.scopes import OWNERS, Scope, is_target, is_variable, scope_of

NEAR, MISSPELT, KEY_LIKE = 0.6, 0.75, 0.4
"""How alike names must be: two that may be confused, one that misspells the other, and two keys."""
MAX_VALUES, MAX_KEYS = 14, 12


def variables(site: Site) -> Iterator[Edit]:
    nodes = [node for node in site.nodes if is_variable(node) and not _is_declared(node)]
    for node in nodes:
        name = site.of(node)
        if name in OWNERS or name in site.book.values["types"]:
            continue
        yield from _other_names(site, node, name)
        owner = site.scope.owner
        if owner and node.around != "attribute":
            known = name in site.facts.members.get(owner, ())
            yield site.replaced(node, f"{owner}.{name}", "name.of_object", "known" if known else "unknown")
    yield from _every_time(site, nodes)


def _is_declared(node: CodeNode) -> bool:
    if is_target(node):
        # An assignment may have been meant for another variable, but not what a loop or a `const` declares.
        return node.within("declare", "each", "clause") is not None
    return node.index == 0 if node.around == "default" else node.within("parameters") is not None


def _other_names(site: Site, node: CodeNode, name: str) -> Iterator[Edit]:
    scope, facts = site.scope, site.facts
    asked = node.around in {"attribute", "subscript"}
    rare = facts.names[name] <= 1
    for other in _others(facts, scope, name):
        if other in site.book.values["types"] or other in OWNERS:
            continue
        alike = likeness(name, other)
        if alike >= MISSPELT and rare:
            yield site.replaced(node, other, "name.misspelt")
        elif name.isupper() != other.isupper() and other not in facts.unused:
            continue
        elif other in scope.names or name.isupper():
            fits = not asked or other in facts.members or other in facts.methods or other in _indexed(scope)
            if fits and not (name.isupper() and len(other) < 2):
                operator = "name.constant" if name.isupper() else "name.other"
                yield site.replaced(node, other, operator, *_why(site, name, other))
        elif alike >= NEAR and facts.names[other] > 1:
            yield site.replaced(node, other, "name.alike")


@lru_cache(maxsize=4096)
def _others(facts: RepairFacts, scope: Scope, name: str) -> list[str]:
    """Candidates to replace a name: those of the function, constants for a constant, and similarly spelt ones."""

    def may_be(other: str) -> bool:
        known = other in scope.names or other in facts.unused or (name.isupper() and other.isupper())
        return other != name and (known or likeness(name, other) >= NEAR)

    return [other for other in facts.names if may_be(other)]


@lru_cache(maxsize=64)
def _indexed(scope: Scope) -> frozenset[str]:
    return frozenset(scope.tree.of(node.part("object")) for node in scope.nodes if node.kind == "subscript")


def _why(site: Site, name: str, other: str) -> Iterator[str]:
    """Reasons for the other name: it is documented or given, and not used."""
    scope = site.scope
    if other in scope.documented:
        yield "documented"
    if other in scope.unused or other in site.facts.unused:
        yield "unused"
    if name in scope.given and other in scope.given:
        yield "both_given"
    if likeness(name, other) >= NEAR:
        yield "alike"
    if sum(site.of(node) == name for node in site.nodes) > 1:
        yield "twice"
    if any(site.of(node) == other for node in site.nodes):
        yield "in_line"
    if other in scope.rounds:
        yield "of_loop"


def _every_time(site: Site, nodes: list[CodeNode]) -> Iterator[Edit]:
    """A name that occurs several times in the unit, replaced each time."""
    names = [site.of(node) for node in nodes]
    for name in dict.fromkeys(each for each in names if names.count(each) > 1):
        for other in site.scope.names:
            if other != name and other not in names and other not in OWNERS:
                pieces = tuple((node.start, node.end, other) for node in nodes if site.of(node) == name)
                yield Edit("name.every_time", pieces, ("unused",) if other in site.scope.unused else ())


def members(site: Site) -> Iterator[Edit]:
    """Another property of the same object. One that nothing defines, unlike others, is probably wrong."""
    for node in site.nodes:
        owner, member = (node.part("object"), node.part("member")) if node.kind == "attribute" else (None, None)
        if owner is None or member is None:
            continue
        of, name = site.of(owner), site.of(member)
        called = is_called(node)
        known = (site.facts.methods if called else site.facts.members).get(of, ())
        if of in OWNERS:  # of another class in another file
            known = [each for each in known if each in _asked_here(site.tree, of)]
        others = [each for each in known if each != name]
        operator = "member.called" if called else "member.other"
        yield from (site.replaced(member, each, operator, *_member_why(site, node, each)) for each in others)
        if not called and of not in site.book.values["types"]:
            yield from _of_shape(site, node, member, frozenset(others))


@lru_cache(maxsize=32)
def _asked_here(tree: CodeTree, owner: str) -> frozenset[str]:
    nodes = (node for node in tree.nodes if node.kind == "attribute")
    return frozenset(tree.of(node.part("member")) for node in nodes if tree.of(node.part("object")) == owner)


def _member_why(site: Site, node: CodeNode, other: str) -> Iterator[str]:
    tree, facts = site.tree, site.facts
    name, whole = site.of(node.part("member")), tree.plain(node)
    same = [each for each in site.nodes if each.kind == "attribute" and tree.plain(each) == whole]
    if len(same) > 1:
        # When half of a line is copied, the copy is easily left unchanged.
        yield "copied" if same[-1] is node else "again"
    fields = [site.of(each.part("member")) for each in site.nodes if each.kind == "attribute" and each is not node]
    if other in fields:
        yield "in_line"
    if facts.names[name] <= 1 and name not in facts.defined:
        yield "rare"
    if facts.names[other] <= 1:
        yield "other_rare"
    if likeness(name, other) >= NEAR or name.startswith(other) or other.startswith(name):
        yield "alike"
    if not facts.is_read(other):
        yield "unread"


def _of_shape(site: Site, node: CodeNode, member: CodeNode, asked: frozenset[str]) -> Iterator[Edit]:
    """Fields of objects that have the properties asked of this one elsewhere; if nothing has them, any field."""
    facts, name = site.facts, site.of(member)
    fitting = facts.fitting_shapes(asked or frozenset({name}))
    unknown = not any(name in shape for shape in facts.shapes) and name not in facts.defined
    sure = "known" if any(name in shape for shape in fitting) else "unknown"
    shapes = fitting or (facts.shapes if unknown else ())
    for other in dict.fromkeys(each for shape in shapes for each in shape):
        if other != name and other not in asked and other.isidentifier():
            yield site.replaced(member, other, "member.of_shape", sure, *_member_why(site, node, other))


def fields_together(site: Site) -> Iterator[Edit]:
    """A field that is read from several objects in the unit, replaced in each."""
    found: dict[str, list[CodeNode]] = {}
    for node in site.nodes:
        member = node.part("member") if node.kind == "attribute" else None
        if member:
            found.setdefault(site.of(member), []).append(member)
    for name, nodes in found.items():
        shapes = site.facts.fitting_shapes(frozenset({name})) if len(nodes) > 1 else []
        for other in dict.fromkeys(each for shape in shapes for each in shape if each != name and each.isidentifier()):
            yield Edit("member.every_time", tuple((node.start, node.end, other) for node in nodes))


def texts(site: Site) -> Iterator[Edit]:
    """Another key, and the piece of text by which the actual and the expected value differ."""
    for node in site.nodes:
        if node.kind == "string":
            yield from _other_keys(site, node)
        if node.kind in {"string", "template"}:
            text = site.of(node)
            for got, wanted in swapped_texts(site.facts.differences):
                at = text.find(got, 1) if got else -1
                if 0 < at < len(text) - len(got):
                    yield site.replaced(node, f"{text[:at]}{wanted}{text[at + len(got) :]}", "text.piece")


def _other_keys(site: Site, node: CodeNode) -> Iterator[Edit]:
    key, keys = string_value(site.tree, node), site.facts.keys
    quote = site.of(node)[-1:]
    if not key or len(key) > 40 or site.of(node)[:1] not in "'\"`":
        return
    used_as_key, rare = is_key(node), keys[key] <= 1
    ranked = sorted((other for other in keys if other != key), key=lambda other: -likeness(key, other))
    for other in ranked[:MAX_KEYS]:
        alike = likeness(key, other)
        if alike >= MISSPELT and rare:
            yield site.replaced(node, f"{quote}{other}{quote}", "key.misspelt")
        elif used_as_key:
            how = "alike" if alike >= KEY_LIKE else "other"
            yield site.replaced(node, f"{quote}{other}{quote}", "key.other", how, *(["rare"] if rare else []))


def words(site: Site) -> Iterator[Edit]:
    """One word of a well-known pair for the other."""
    for node in site.nodes:
        word = callee(node)
        if node.kind in {"break", "continue"}:
            other = "continue" if node.kind == "break" else "break"
            yield site.replaced(node, f"{other}{site.book.end}", "word.leaves")
        if word is None and is_variable(node) and site.of(node)[:1].isupper():
            word = node  # an error that is raised, a class
        others = site.book.pairs.get(site.of(word), frozenset())
        for other in sorted(others) if word else ():
            why = ["known"] if other in site.facts.names else []
            yield site.replaced(word or node, other, "word.opposite" if len(others) == 1 else "word.pair", *why)
    pair = [each for node in site.nodes if node.kind == "call" and (each := node.part("called"))]
    ends = {end: [each for each in pair if site.of(each).endswith(end)] for end in ("min", "max")}
    if all(ends.values()):
        turned = {"min": "max", "max": "min"}
        pieces = tuple((each.end - 3, each.end, turned[end]) for end, found in ends.items() for each in found)
        yield Edit("word.both_bounds", pieces)


def values(site: Site) -> Iterator[Edit]:
    """Another value of the function: an attribute or item, and what is returned."""
    tree = site.tree
    inner = scope_of(tree, site.unit) if not site.scope.is_function else site.scope
    known: dict[str, str] = {}
    for node in inner.nodes:
        if node.kind == "attribute" and node.around not in {"call", "attribute"}:
            known.setdefault(tree.plain(node), site.of(node))
        elif node.kind == "return" and len(node.named) == 1 and node.named[0].kind in {"name", "attribute"}:
            known.setdefault(tree.plain(node.named[0]), site.of(node.named[0]))
    offered = list(known.items())[:MAX_VALUES]
    for node in used_values(site):
        if node.kind == "call" or site.of(node) in site.book.values["types"]:
            continue
        for plain, text in offered:
            if plain != tree.plain(node) and ("." in text or node.kind != "name"):
                where = "returned" if site.unit.kind == "return" else "counted" if _is_counted(node) else "used"
                yield site.replaced(node, text, "value.other", where)
    yield from _indices(site)


def _is_counted(node: CodeNode) -> bool:
    return (node.parent.around if node.parent and node.around == "arguments" else node.around) in {"call", "each"}


def _indices(site: Site) -> Iterator[Edit]:
    """Indices that other items of the function use."""
    seen: dict[str, None] = {}
    for node in site.scope.nodes:
        parts = indices_of(node) if node.kind == "subscript" else []
        seen.update(dict.fromkeys(site.of(each) for each in parts if each.kind != "slice"))
    names = [name for name in seen if name.isidentifier()]
    known = [*seen, *(f"{name} - 1" for name in names), *(name for name in site.scope.rounds if name not in seen)]
    for node in site.nodes:
        for part in indices_of(node) if node.kind == "subscript" else ():
            for other in known[:8] if part.kind not in {"slice", "string"} else ():
                if other != site.of(part) and other[:1] not in "'\"":
                    yield site.replaced(part, other, "index.other")


def forgotten_operands(site: Site) -> Iterator[Edit]:
    """A missing factor, summand or divisor: an unused name, or one that other products have."""
    if not site.facts.tells_of_numbers or site.unit.kind in {"raise", "each"}:
        return
    left_over = [*(name for name in site.scope.names if name in site.scope.unused), *sorted(site.facts.unused)][:4]
    factors = [site.of(right) for _, _, sign, right in operations(site.nodes, "arithmetic") if sign == "*"]
    for node in used_values(site):
        text, parent = site.of(node), node.parent
        for name in left_over if text not in left_over else ():
            for sign in ("*", "+", "/", "-"):
                yield site.fitted(node, f"{text} {sign} {name}", "operand.unused", sign)
        for name in _unread(site, node):
            yield from (site.fitted(node, f"{text} {sign} {name}", "operand.unread", sign) for sign in ("*", "+", "-"))
        if parent is not None and parent.kind == "arithmetic" and any(child.type == "*" for child in parent.children):
            for operator, others in (("other_factor", dict.fromkeys(factors)), ("given", site.scope.given)):
                new = (name for name in others if name not in site.of(parent))
                yield from (site.replaced(node, f"{text} * {name}", f"operand.{operator}") for name in new)


def _unread(site: Site, node: CodeNode) -> Iterator[str]:
    """Fields of the same object that tests set and no source reads."""
    owner = site.of(node.part("object")) if node.kind == "attribute" else ""
    asked = frozenset(site.facts.members.get(owner, ()))
    for shape in site.facts.fitting_shapes(asked) if owner.isidentifier() and asked else ():
        yield from (f"{owner}.{field}" for field in shape if field.isidentifier() and not site.facts.is_read(field))


def rests(site: Site) -> Iterator[Edit]:
    """The remainder of a value after division by a number that the function uses."""
    numbers = [site.of(node) for node in site.scope.nodes if node.kind == "integer" and len(site.of(node)) > 1]
    numbers += [name for name in site.scope.names if name.isupper() and len(name) > 1]
    if not site.facts.tells_of_numbers or not numbers:
        return
    for node in used_values(site):
        divided = node.around == "arithmetic" and node.index == 0
        if divided or node.kind == "call":
            for number in dict.fromkeys(numbers):
                yield site.fitted(node, f"{site.of(node)} % {number}", "operand.rest")


def arguments(site: Site) -> Iterator[Edit]:
    """An argument too many or too few, and the loop's names for the function's."""
    for node in site.nodes:
        held = node.part("arguments") if node.kind in {"call", "new"} else None
        if held is None or held.kind != "arguments":
            continue
        given = items_of(held)
        for index, each in enumerate(given) if len(given) > 1 else ():
            start, end = (each.start, given[1].start) if index == 0 else (given[index - 1].end, each.end)
            yield Edit("argument.dropped", ((start, end, ""),), ("named",) if each.kind == "named" else ())
        missing = site.facts.parameters.get(site.of(callee(node)), ())[len(given) :]
        for other in dict.fromkeys([missing[0], *sorted(site.scope.unused), *site.scope.names]) if missing else ():
            if other in site.scope.names and other not in OWNERS:
                offset, between = (given[-1].end, ", ") if given else (held.end - 1, "")
                same = "by_name" if other == missing[0] else "other"
                yield Edit("argument.added", ((offset, offset, f"{between}{other}"),), (same,))
        rounds = list(site.scope.rounds)
        named = 1 < len(given) == len(rounds) and all(each.kind == "name" for each in given)
        if named and [site.of(each) for each in given] != rounds:
            pieces = tuple((each.start, each.end, name) for each, name in zip(given, rounds, strict=True))
            yield Edit("argument.of_loops", pieces)
