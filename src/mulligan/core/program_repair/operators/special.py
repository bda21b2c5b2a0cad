"""Pitfalls that a pattern can't express, because they depend on the rest of the function, the class or the file."""

import re
from collections.abc import Iterable, Iterator

from mulligan.core.program_repair.operators.insertions import changed_in, first_unit
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import FUNCTIONS, CodeNode, block_of, bodies_of
from mulligan.syntax.expressions import is_set, items_of, operations, settings
from mulligan.syntax.scopes import OWNERS, loop_names, parameters, uses

_ONE_OF_MANY = re.compile(r"(\\[dw]|\])(?=[\\$).(,'\" -])")
_ANCHORED = re.compile(r"\^([^()^$]*\|[^()^$]*)\$")
BEGINNINGS = {"__init__": "super().__init__({})", "constructor": "super({});"}


def defaults(site: Site) -> Iterator[Edit]:
    """A mutable default that all calls share."""
    function = _function_of(site)
    first = first_unit(function)
    for node in site.nodes if first else ():
        value = node.part("value") if node.kind == "default" else None
        if first and value and site.of(value) in site.book.values["mutable"]:
            name, empty = site.of(node.children[0]), site.of(value)
            shared = site.replaced(value, site.book.null, "").pieces
            made = f"{name} = {empty} if {name} is None else {name}"
            yield Edit("default.shared", (*shared, *site.above(first, made, "").pieces))


def _function_of(site: Site) -> CodeNode | None:
    return next((node for node in site.nodes if node.kind == "function"), None)


def bound_late(site: Site) -> Iterator[Edit]:
    """A function made in a loop sees the loop's last value when it is called."""
    loop = site.unit.within("each") if site.unit.kind != "each" else site.unit
    around = loop_names(site.tree, loop) if loop and site.tree.language.indented else []
    for node in site.nodes if around else ():
        body, given = node.part("body") if node.kind in FUNCTIONS else None, node.part("parameters")
        held = items_of(given) if given else []
        offset = held[-1].end if held else given.end - 1 if given else node.start + len("lambda")
        between = ", " if held else "" if given else " "
        for name in around if body else ():
            if body and uses(site.tree, body, name) and name not in parameters(site.tree, node):
                yield Edit("default.bound_late", ((offset, offset, f"{between}{name}={name}"),))


def inherited(site: Site) -> Iterator[Edit]:
    """A constructor that does not call its base class's."""
    function, holder = _function_of(site), site.unit.within("class")
    begins = site.of(function.part("name")) if function else ""
    first = first_unit(function)
    if not function or not first or not holder or begins not in BEGINNINGS or "super()" in site.of(function):
        return
    bases = {site.of(node) for node in holder.walk() if node.kind == "name"}
    others = [node for node in site.tree.nodes if node.kind == "class" and site.of(node.part("name")) in bases]
    for made in (each for other in others if other is not holder for each in other.walk() if each.kind == "function"):
        if site.of(made.part("name")) == begins:
            own = set(parameters(site.tree, function)) - OWNERS
            given = ", ".join(name for name in parameters(site.tree, made) if name in own)
            yield site.above(first, BEGINNINGS[begins].format(given), "insert.super")


def errors_caught(site: Site) -> Iterator[Edit]:
    """An error named in a failure, next to the one that is caught."""
    if site.unit.kind != "catch" or not site.unit.named or site.unit.children[0].type != "except":
        return
    for caught in [node for node in site.nodes if node.kind == "name"][:1]:
        others = (error for error in site.facts.raised if error != site.of(caught))
        yield from (site.replaced(caught, f"({each}, {site.of(caught)})", "catch.another") for each in others)


def beginnings(site: Site) -> Iterator[Edit]:
    """A wrong initial value: zero, when a maximum or minimum is searched."""
    given = site.scope.given
    for left, right in settings(site.nodes):
        value = right.named[0] if right.kind == "tuple" and len(right.named) == 1 else right
        name, begun, others = site.of(left), site.of(value), dict[str, Iterable[str]]()
        if begun in {"0", "0.0", "1", "-1"} and name.isidentifier():
            others = {each: site.book.values[each] for each in sorted(_looked_for(site, name))} | {"given": given}
        elif value.kind in {"list", "map", "null", "string"} and begun in site.book.values["usual"]:
            items = [f"[{each}]" for each in given] if begun == "[]" else []
            others = {"other": site.book.values["usual"], "with_item": items}
        for why, made in others.items():
            yield from (site.replaced(value, each, f"begin.{why}") for each in made if each != begun)


def _looked_for(site: Site, name: str) -> Iterator[str]:
    """Whether a variable holds the largest or the smallest so far."""
    for _, left, sign, right in operations(site.scope.nodes, "comparison"):
        if name in {site.of(left), site.of(right)} and sign in {"<", "<=", ">", ">="}:
            yield "largest" if (site.of(right) == name) == (sign[0] == ">") else "smallest"
    for node in site.scope.nodes:
        called = site.of(node.part("called"))[-3:].lower() if node.kind == "call" else ""
        if called in {"max", "min"} and any(site.of(each) == name for each in node.walk()):
            yield "largest" if called == "max" else "smallest"


def texts_of_patterns(site: Site) -> Iterator[Edit]:
    """Regular expressions: one character where several are meant, an anchor that applies to only one alternative."""
    for node in site.nodes:
        text = site.of(node)
        if node.kind == "regex":
            start, _, flags = text.rpartition("/")
            other = flags.replace("g", "") if "g" in flags else f"g{flags}"
            yield site.replaced(node, f"{start}/{other}", "regex.every")
        elif node.kind == "string" and site.tree.language.name == "Go" and "Errorf" in site.of(site.unit):
            for found in re.finditer("%[vs]", text):
                yield site.replaced(node, f"{text[: found.start()]}%w{text[found.end() :]}", "text.wrapped_error")
        elif node.kind != "string" or not text.startswith(("r", "b")):
            continue
        for found in _ONE_OF_MANY.finditer(text):
            yield site.replaced(node, f"{text[: found.end()]}+{text[found.end() :]}", "regex.several")
        if _ANCHORED.search(text):
            yield site.replaced(node, _ANCHORED.sub(r"^(?:\1)$", text), "regex.anchored")


def loops_of_scripts(site: Site) -> Iterator[Edit]:
    """`in` for `of`; a case that falls through; items removed from a list during iteration by index."""
    unit = site.unit
    for word in unit.children if unit.kind == "each" else ():
        if word.field == "operator" and word.type == "in":
            yield site.replaced(word, "of", "loop.items")
    ends = unit.around == "case" and site.book.end and site.is_last
    if ends and unit.kind not in {"break", "return", "raise", "continue"}:
        yield site.below(unit, "break;", "insert.break_case")


def copies_of_go(site: Site) -> Iterator[Edit]:
    """Go: a loop's copy is changed instead of the list, and a method that sets fields has a value receiver."""
    if site.tree.language.name != "Go":
        return
    unit, receiver = site.unit, site.scope.node.part("receiver")
    for loop in (up for up in (unit, *unit.above()) if up.kind == "each"):
        yield from _in_list(site, loop)
    parts = {node.type: node for node in receiver.walk()} if receiver else {}
    kind, changed = parts.get("type_identifier"), changed_in(site.tree, site.scope.node)
    own = any(each.startswith(f"{site.scope.owner}.") for each in changed)
    if kind and own and "pointer_type" not in parts:
        yield site.replaced(kind, f"*{site.of(kind)}", "copy.receiver")
    for node in site.nodes:
        if node.kind == "composite":
            yield from _without_map(site, node)
        if node.kind == "null" and node.within("return") and _is_error_branch(site):
            yield site.replaced(node, "err", "result.error")
    row = block_of(unit)
    below = row[row.index(unit) + 1 :] if unit.kind == "declare" and unit in row else []
    for left, _ in settings([unit] if below else []):
        if "ok" in site.of(below[0].part("condition")) and "ok" not in site.of(unit):
            yield site.replaced(left, f"{site.of(left)}, ok", "assign.found")
    if unit.kind == "break":
        for text in dict.fromkeys(site.of(node) for node in site.scope.nodes if node.kind == "return"):
            yield site.replaced(unit, text, "word.leaves_all")


def _is_error_branch(site: Site) -> bool:
    holder = site.unit.within("if")
    return holder is not None and "err != nil" in site.tree.plain(holder.part("condition") or holder)[:40]


def _in_list(site: Site, loop: CodeNode) -> Iterator[Edit]:
    clause = next((child for child in loop.children if child.type == "range_clause"), None)
    left, items = (clause.part("item"), clause.part("items")) if clause else (None, None)
    names = [node for node in left.walk() if node.kind == "name"] if left else []
    body = bodies_of(loop)
    if len(names) != 2 or left is None or items is None or not body:
        return
    copy = site.of(names[1])
    index = "i" if site.of(names[0]) == "_" else site.of(names[0])
    uses_of = [node for node in body[0].walk() if node.kind == "name" and site.of(node) == copy]
    sets = [node for node in uses_of if node.parent and node.around == "attribute" and is_set(node.parent)]
    if sets:
        pieces = [(node.start, node.end, f"{site.of(items)}[{index}]") for node in sets]
        head = index if len(sets) == len(uses_of) else f"{index}, {copy}"
        yield Edit("copy.in_range", ((left.start, left.end, head), *pieces))


def _without_map(site: Site, node: CodeNode) -> Iterator[Edit]:
    """A nil map can be read, but not written to."""
    name, offset = site.of(node.part("object") or node.children[0]), node.end - 1
    given = [site.of(child.children[0]) for child in node.children if child.kind == "pair" and child.children]
    for tree, struct in ((source, each) for source in site.facts.trees.values() for each in source.nodes):
        if struct.type == "type_spec" and tree.of(struct.part("name")) == name:
            maps = [each for each in struct.walk() if each.type == "map_type" and each.parent]
            fields = {tree.of(each.parent.children[0]): tree.of(each) for each in maps if each.parent}
            missing = ", ".join(f"{field}: make({kind})" for field, kind in fields.items() if field not in given)
            if missing:
                yield Edit("insert.map", ((offset, offset, f"{', ' if given else ''}{missing}"),))
