"""Pitfalls that a pattern can't tell: those that depend on what else stands in the function, the class or the file."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.operators.insertions import changed_in
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, block_of, bodies_of, is_unit
from mulligan.syntax.expressions import items_of, operands
from mulligan.syntax.scopes import is_target, loop_names, parameters, uses

_ONE_OF_MANY = re.compile(r"(\\[dw]|\])(?=[\\$).(,'\" -])")
_ANCHORED = re.compile(r"\^(?P<how>[^()^$]*\|[^()^$]*)\$")
_FLAGS = re.compile(r"/([a-z]*)$")


def defaults(site: Site) -> Iterator[Edit]:
    """A default that all calls share."""
    function = _function_of(site)
    body = function.part("body") if function else None
    first = next((child for child in body.children if is_unit(child)), None) if body else None
    for node in site.nodes if first is not None else ():
        value = node.part("value") if node.kind == "default" else None
        if value is None or site.of(value) not in site.book.values["mutable"] or first is None:
            continue
        name, empty = site.of(node.children[0]), site.of(value)
        shared = site.replaced(value, site.book.null, "default.shared").pieces
        made = f"{name} = {empty} if {name} is None else {name}"
        yield Edit("default.shared", (*shared, *site.above(first, made, "").pieces))


def _function_of(site: Site) -> CodeNode | None:
    return next((node for node in site.nodes if node.kind == "function"), None)


def bound_late(site: Site) -> Iterator[Edit]:
    """A function made in a loop sees the loop's last round when it is called."""
    loop = site.unit.within("each") if site.unit.kind != "each" else site.unit
    around = loop_names(site.tree, loop) if loop and site.tree.language.indented else []
    for node in site.nodes if around else ():
        body, given = (
            (node.part("body"), node.part("parameters")) if node.kind in {"lambda", "function"} else (None, None)
        )
        for name in around if body else ():
            if body is not None and uses(site.tree, body, name) and name not in parameters(site.tree, node):
                held = items_of(given) if given else []
                place = held[-1].end if held else (given.end - 1 if given else node.start + len("lambda"))
                yield Edit(
                    "default.bound_late",
                    ((place, place, f"{', ' if held else ' ' if not given else ''}{name}={name}"),),
                )


def inherited(site: Site) -> Iterator[Edit]:
    """A class that does not begin as the one it is made from does."""
    function = _function_of(site)
    holder = site.unit.within("class")
    body = function.part("body") if function else None
    if function is None or holder is None or body is None or "super()" in site.of(body):
        return
    begins = site.of(function.part("name"))
    bases = {site.of(node) for node in ((holder.part("name") and holder.walk()) or ()) if node.kind == "name"}
    first = next((child for child in body.children if is_unit(child)), None)
    for other in site.tree.root.walk():
        if other.kind == "class" and other is not holder and site.of(other.part("name")) in bases and first is not None:
            made = next(
                (each for each in other.walk() if each.kind == "function" and site.of(each.part("name")) == begins),
                None,
            )
            if made is not None and begins in {"__init__", "constructor"}:
                taken = [name for name in parameters(site.tree, made) if name not in {"self", "cls"}]
                own = set(parameters(site.tree, function))
                given = ", ".join(name for name in taken if name in own)
                call = f"super().__init__({given})" if begins == "__init__" else f"super({given});"
                yield site.above(first, call, "insert.super")


def errors_caught(site: Site) -> Iterator[Edit]:
    """An error that a failure tells of, beside the one that is caught."""
    if site.unit.kind != "catch" or not site.unit.named or site.unit.children[0].type != "except":
        return
    caught = next((node for node in site.nodes if node.kind == "name"), None)
    for error in site.facts.raised if caught else ():
        if caught and error != site.of(caught):
            yield site.replaced(caught, f"({error}, {site.of(caught)})", "catch.another")


def beginnings(site: Site) -> Iterator[Edit]:
    """A value that begins with another one than it should: zero, where a largest or smallest is looked for."""
    for node in site.nodes:
        left, right = (node.part("left"), node.part("right")) if node.kind in {"assign", "declare"} else (None, None)
        if left is None or right is None:
            continue
        value = right.named[0] if right.kind == "tuple" and len(right.named) == 1 else right
        name, begun = site.of(left), site.of(value)
        if begun in {"0", "0.0", "1", "-1"} and name.isidentifier():
            largest, smallest = _looked_for(site, name)
            for made in site.book.values["largest"] if largest else ():
                yield site.replaced(value, made, "begin.largest")
            for made in site.book.values["smallest"] if smallest else ():
                yield site.replaced(value, made, "begin.smallest")
            yield from (site.replaced(value, each, "begin.given") for each in site.scope.given)
        elif value.kind in {"list", "map", "null", "string"} and begun in site.book.values["usual"]:
            yield from (
                site.replaced(value, each, "begin.other") for each in site.book.values["usual"] if each != begun
            )
            yield from (
                site.replaced(value, f"[{each}]", "begin.with_item") for each in site.scope.given if begun == "[]"
            )


def _looked_for(site: Site, name: str) -> tuple[bool, bool]:
    largest = smallest = False
    for node in site.scope.nodes:
        sides = operands(node) if node.kind == "comparison" else None
        if sides and name in {site.of(sides[0]), site.of(sides[2])} and sides[1] in {"<", "<=", ">", ">="}:
            above = (site.of(sides[2]) == name) == (sides[1][0] == ">")
            largest, smallest = largest or above, smallest or not above
        called = site.of(node.part("called")) if node.kind == "call" else ""
        if called.endswith(("max", "min", "Max", "Min")) and any(site.of(each) == name for each in node.walk()):
            largest, smallest = largest or called[-2:] == "ax", smallest or called[-2:] == "in"
    return largest, smallest


def texts_of_patterns(site: Site) -> Iterator[Edit]:
    """Regular expressions: one sign where several are meant, an end that holds for one alternative alone."""
    for node in site.nodes:
        text = site.of(node)
        if node.kind == "regex":
            flags = _FLAGS.search(text)
            if flags:
                other = flags[1].replace("g", "") if "g" in flags[1] else f"g{flags[1]}"
                yield site.replaced(node, f"{text[: flags.start(1)]}{other}", "regex.every")
        elif node.kind == "string" and site.tree.language.name == "Go" and "Errorf" in site.of(site.unit):
            for found in re.finditer("%[vs]", text):
                yield site.replaced(node, f"{text[: found.start()]}%w{text[found.end() :]}", "text.wrapped_error")
        elif node.kind != "string" or not text.startswith(("r", "b")):
            continue
        for found in _ONE_OF_MANY.finditer(text):
            yield site.replaced(node, f"{text[: found.end()]}+{text[found.end() :]}", "regex.several")
        for found in _ANCHORED.finditer(text):
            yield site.replaced(
                node, f"{text[: found.start()]}^(?:{found['how']})${text[found.end() :]}", "regex.anchored"
            )


def loops_of_scripts(site: Site) -> Iterator[Edit]:
    """`in` for `of`; a case that runs on; items taken out of a list that is counted through."""
    unit = site.unit
    word = next((child for child in unit.children if child.field == "operator" and child.type == "in"), None)
    if unit.kind == "each" and word:
        yield site.replaced(word, "of", "loop.items")
    holder = unit.parent
    ends = holder is not None and holder.kind == "case" and site.book.end and block_of(unit)[-1] is unit
    if ends and unit.kind not in {"break", "return", "raise", "continue"}:
        yield site.below(unit, "break;", "insert.break_case")


def copies_of_go(site: Site) -> Iterator[Edit]:
    """Go: what is set in a loop's copy is set in the list, and a method that sets fields gets the thing itself."""
    if site.tree.language.name != "Go":
        return
    unit = site.unit
    loops = [up for up in (unit, *unit.above()) if up.kind == "each"]
    for loop in loops:
        yield from _in_list(site, loop)
    if site.scope.owner:
        receiver = site.scope.node.part("receiver")
        kind = next((node for node in receiver.walk() if node.type == "type_identifier"), None) if receiver else None
        pointed = receiver is not None and any(node.type == "pointer_type" for node in receiver.walk())
        changed = changed_in(site, site.scope.node)
        if kind and not pointed and any(each.startswith(f"{site.scope.owner}.") for each in changed):
            yield site.replaced(kind, f"*{site.of(kind)}", "copy.receiver")
    for node in site.nodes:
        if node.kind == "composite":
            yield from _without_map(site, node)
        if node.kind == "null" and node.within("return") and _is_error_branch(site):
            yield site.replaced(node, "err", "result.error")
    if unit.kind == "declare" and unit.part("right") and unit.part("left"):
        row = block_of(unit)
        below = row[row.index(unit) + 1 : row.index(unit) + 2] if unit in row else []
        if below and "ok" in site.of(below[0].part("condition")) and "ok" not in site.of(unit):
            left = unit.part("left")
            yield site.replaced(left, f"{site.of(left)}, ok", "assign.found") if left else Edit("", ())
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
    if len(names) != 2 or items is None or not body:
        return
    copy = site.of(names[1])
    index = "i" if site.of(names[0]) == "_" else site.of(names[0])
    uses_of = [node for node in body[0].walk() if node.kind == "name" and site.of(node) == copy]
    sets = [node for node in uses_of if _is_set_through(node)]
    if not sets:
        return
    pieces = [(node.start, node.end, f"{site.of(items)}[{index}]") for node in sets]
    head = index if len(sets) == len(uses_of) else f"{index}, {copy}"
    if left is not None:
        yield Edit("copy.in_range", ((left.start, left.end, head), *pieces))


def _is_set_through(node: CodeNode) -> bool:
    """Whether a field of it is given a value."""
    holder = node.parent
    if holder is None or holder.kind != "attribute":
        return False
    return any(is_target(each) or each.kind in {"augment", "step"} for each in (holder,)) or (
        holder.parent is not None
        and (holder.parent.kind == "step" or (holder.parent.kind == "tuple" and holder.parent.field == "left"))
    )


def _without_map(site: Site, node: CodeNode) -> Iterator[Edit]:
    """A map that is not made can be read, but not written to."""
    name = site.of(node.part("object") or node.children[0])
    given = [site.of(child.children[0]) for child in node.children if child.kind == "pair" and child.children]
    for other in (each for tree in site.facts.trees.values() for each in ((tree, n) for n in tree.root.walk())):
        tree, struct = other
        if struct.type != "type_spec" or tree.of(struct.part("name")) != name:
            continue
        missing = [
            f"{tree.of(each.children[0])}: make({tree.of(kind)})"
            for each in struct.walk()
            if each.type == "field_declaration"
            for kind in each.children
            if kind.type == "map_type" and tree.of(each.children[0]) not in given
        ]
        if missing:
            place = node.end - 1
            between = ", " if given else ""
            yield Edit("insert.map", ((place, place, f"{between}{', '.join(missing)}"),))
