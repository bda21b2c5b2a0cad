"""Statements that were forgotten: a return, a way out of a branch, a guard, an update of what is counted or kept."""

import re
from collections.abc import Iterator
from functools import lru_cache

from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree, bare, block_of, bodies_of, is_unit
from mulligan.syntax.expressions import is_target_value, operands
from mulligan.syntax.scopes import is_target, loop_names, parameters, uses

MOST_AT_HAND, MOST_RETURNS, MOST_CHANGES = 4, 4, 40
LEAVING = frozenset({"return", "raise", "break", "continue", "pass"})
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_LITERAL = re.compile(r"-?\d+(?:\.\d+)?|None|null|nil|true|false|True|False|\[\]|\{\}|''|\"\"|``|undefined")
_SENTINEL = re.compile(r"Err[A-Z]\w*")


def ways_out(site: Site) -> Iterator[Edit]:
    """What may end a branch: what is returned elsewhere, an error that has a name, the next round of a loop."""
    unit = site.unit
    row = block_of(unit)
    holder = next((up for up in unit.above() if is_unit(up)), None)
    if holder is None or holder.kind not in {"if", "elif", "else", "case", "catch"} or row[-1] is not unit:
        return
    if unit.kind in LEAVING or bodies_of(unit) or not site.scope.is_function:
        return
    end = site.book.end
    returns = [node for node in site.scope.nodes if node.kind == "return"]
    for text in list(dict.fromkeys(site.of(node).rstrip(";") for node in returns))[:MOST_RETURNS]:
        yield site.below(unit, f"{text}{end}", "insert.return_as_elsewhere")
    named = [name for name in site.facts.names if _SENTINEL.fullmatch(name)]
    for name in named:
        for text in dict.fromkeys(_with_last(site, node, name) for node in returns if node.named):
            why = "documented" if name in site.scope.documented else "tested" if name in site.facts.tested else "other"
            yield site.below(unit, text, "insert.error", why)
    if holder.within("each", "loop"):
        yield site.below(unit, f"continue{end}", "insert.continue")
        yield site.below(unit, f"break{end}", "insert.break")
    if not returns:
        yield site.below(unit, f"return{end}", "insert.bare_return")


def _with_last(site: Site, node: CodeNode, value: str) -> str:
    """A return with another value in its last place."""
    given = node.named[0]
    last = given.named[-1] if given.kind == "tuple" and given.named else given
    return f"{site.tree.of_bytes(node.start, last.start)}{value}"


def returns(site: Site) -> Iterator[Edit]:
    """A function that returns nothing, with a return of what it holds behind its last statement."""
    unit, function = site.unit, next((up for up in site.unit.above() if up.kind in {"function", "lambda"}), None)
    row = block_of(unit)
    body = function.part("body") if function else None
    if function is None or body is None or unit.parent is not body or row[-1] is not unit or unit.kind in LEAVING:
        return
    own = [node for node in body.walk() if node.within("function", "lambda") is function]
    typed = site.tree.language.name == "Go" and function.part("result") is None
    if typed or any(node.kind == "yield" or (node.kind == "return" and node.named) for node in own):
        return
    if site.of(function.part("name")) in {"__init__", "constructor"}:
        return
    held = [site.of(node) for node in own if node.kind == "name" and is_target(node) and node.within("block") is body]
    given = list(parameters(site.tree, function))
    folds = function.parent is not None and "reduce" in site.of(function.parent.parent)[:200]
    owner = ["self", "this"] if site.scope.owner else []
    names = [*reversed(held), *(given[:1] if folds else given[:2]), *(each for each in owner if each in site.of(body))]
    for rank, name in enumerate(dict.fromkeys(names)):
        if name not in {"self", "this", "cls"} or site.scope.owner == name:
            first = "folded" if folds and name == given[0] else "first" if rank == 0 else "later"
            kind = "callback" if function.kind == "lambda" else "function"
            yield site.below(unit, f"return {name}{site.book.end}", "insert.return", first, kind)


def guards(site: Site) -> Iterator[Edit]:
    """A way out before a statement that can't do with nothing, or with the other end of a bound."""
    unit = site.unit
    if not site.scope.is_function or unit.parent is None or unit.kind in {"function", "else", "elif", "case", "catch"}:
        return
    wanted = [text for _, text in site.facts.differences if _LITERAL.fullmatch(text)]
    empty = "empty" in site.facts.symptoms or any(got in {"nil", "None", "null"} for got, _ in site.facts.differences)
    for name in site.scope.given if empty else ():
        if any(
            uses(site.tree, node, name) for node in site.nodes if node is unit or node.kind in {"name", "attribute"}
        ):
            for value in dict.fromkeys([*wanted, *site.book.values["usual"][:3]]):
                condition = site.book.is_empty.format(name)
                text = site.book.guard.format(condition, value, site.tree.step)
                yield site.above(unit, text, "insert.guard", "wanted" if value in wanted else "usual")
    yield from _base_case(site, wanted)
    yield from _twin(site)


def _base_case(site: Site, wanted: list[str]) -> Iterator[Edit]:
    """A function that calls itself, and never says when it is done."""
    body = site.scope.node.part("body")
    name = site.of(site.scope.node.part("name"))
    calls = [node for node in site.scope.nodes if node.kind == "call" and site.of(node.part("called")) == name]
    first = next((child for child in body.children if is_unit(child)), None) if body else None
    if first is not site.unit or not calls or not site.scope.given:
        return
    given = site.scope.given[0]
    for condition in (f"{given} == 0", f"{given} <= 1", site.book.is_empty.format(given)):
        for value in dict.fromkeys([*wanted, "0", "1", given, *site.book.values["usual"][:3]]):
            yield site.above(site.unit, site.book.guard.format(condition, value, site.tree.step), "insert.base_case")


def _twin(site: Site) -> Iterator[Edit]:
    """One bound is looked after, and the function does nothing with the other that it is given."""
    unit = site.unit
    asked = unit.part("condition") if unit.kind == "if" else None
    sides = operands(bare(asked)) if asked else None
    limits = sorted(site.scope.unused.intersection(site.scope.given))
    if sides is None or sides[1] not in TURNED:
        return
    limit, text = site.of(sides[2]), site.text_of(unit)
    for other in limits:
        old = site.tree.of_bytes(sides[0].end, sides[2].start)
        turned = text.replace(
            f"{site.of(sides[0])}{old}", f"{site.of(sides[0])}{old.replace(sides[1], TURNED[sides[1]])}", 1
        )
        yield site.above(unit, re.sub(rf"\b{re.escape(limit)}\b", other, turned), "insert.twin_guard")


def updates(site: Site) -> Iterator[Edit]:
    """What may be missing beside a statement that ends its block, or before a way out or a loop."""
    unit = site.unit
    if (
        not site.scope.is_function
        or unit.parent is None
        or unit.kind in {"function", "class", "elif", "else", "case", "catch"}
    ):
        return
    row = block_of(unit)
    last = row[-1] is unit
    before = unit.kind in LEAVING or unit.kind in {"each", "loop"} or (bool(bodies_of(unit)) and not last)
    where = "gives_up" if unit.kind == "raise" else "end" if last or unit.kind in LEAVING else "middle"
    seen: set[str] = set()
    # Those that fit seldom come first, so that the bound is met by those that always do.
    rare = (*_left_behind(site), *_emptied(site), *_known_changes(site))
    for text, name, *why in (*rare, *_never_changed(site), *_moves_on(site), *_state_changes(site)):
        statement = f"{text}{site.book.end}"
        if text not in seen and len(seen) < MOST_CHANGES:
            seen.add(text)
            put = site.above if before or name == "update.group" else site.below
            yield put(unit, statement, name, where, *why)


Change = tuple[str, ...]
"""A statement, the operator that it comes of, and features."""


def at_hand(site: Site) -> list[str]:
    """What a change may be made with: variables of the loops around, what the function is given, what it sets."""
    loops = [up for up in site.unit.above() if up.kind == "each"]
    names = [name for loop in loops for name in loop_names(site.tree, loop)]
    above = [site.of(node) for node in site.scope.variables if is_target(node) and node.start < site.unit.end]
    return list(dict.fromkeys([*names, *(() if names else site.scope.given), *reversed(above), *site.scope.given]))


def changed_in(site: Site, node: CodeNode) -> frozenset[str]:
    """What is changed within a node, by an assignment or by a method that changes."""
    return _changed(site.tree, node)


def changed_in_file(tree: CodeTree) -> frozenset[str]:
    return _changed(tree, tree.root)


@lru_cache(maxsize=4096)
def _changed(tree: CodeTree, node: CodeNode) -> frozenset[str]:
    book = rule_book(tree.language.name)
    found: set[str] = set()
    for each in node.walk():
        if each.kind in {"assign", "augment", "step", "delete"} and each.named:
            target = each.named[0]
            while target.kind == "tuple" and target.named:
                target = target.named[0]
            holder = target.part("object") if target.kind == "subscript" else target
            found.add(tree.of(holder))
        called = each.part("called") if each.kind == "call" else None
        if called and called.kind == "attribute" and called.part("object"):
            member = tree.of(called.part("member"))
            if member in book.values["changing"] or member in book.pairs:
                found.add(tree.of(called.part("object")))
    return frozenset(found)


def _never_changed(site: Site) -> Iterator[Change]:
    """What begins with nothing in this function, and stays so."""
    changed = changed_in(site, site.scope.node)
    counted: dict[str, str] = {}
    for node in site.scope.nodes:
        left, right = (node.part("left"), node.part("right")) if node.kind in {"declare", "assign"} else (None, None)
        if left is None or node.start > site.unit.start:
            continue
        name, value = site.of(left), site.of(right) or site.of(node.children[-1])
        kind = next((kind for kind, looks in site.book.begins if looks.fullmatch(value)), "")
        begun = [each for each in site.scope.variables if site.of(each) == name and is_target(each)]
        if kind and left.kind in {"name", "tuple"} and name.isidentifier() and (name not in changed or len(begun) == 1):
            counted.setdefault(name, kind)
    for name, kind in counted.items():
        really = "never" if not _is_changed_later(site, name) else "changed"
        for text in _forms(site, name, kind):
            yield text, "update.variable", really, kind


def _is_changed_later(site: Site, name: str) -> bool:
    places = [node for node in site.scope.variables if site.of(node) == name]
    sets = [node for node in places if is_target(node)]
    return len(sets) > 1 or name in changed_in(site, site.scope.node) - {site.of(sets[0]) if sets else ""}


def _forms(site: Site, of: str, kind: str) -> Iterator[str]:
    hand = [name for name in at_hand(site) if name != of][:MOST_AT_HAND]
    for form in site.book.changes.get(kind, ()):
        if "{one}" not in form:
            yield form.format(of=of)
        elif "{other}" in form:
            yield from (form.format(of=of, one=one, other=each) for one in hand for each in hand if each != one)
        else:
            yield from (form.format(of=of, one=one) for one in hand)


def _state_changes(site: Site) -> Iterator[Change]:
    """A field of the object that a method was to change, and does not."""
    owner = site.scope.owner
    if not owner:
        return
    here = changed_in(site, site.scope.node)
    ever = changed_in_file(site.tree)
    for name, kind in _fields(site.tree).items():
        field = f"{owner}.{name}"
        if field in here:
            continue
        why = [*(["tested"] if name in site.facts.tested else []), *(["never"] if field not in ever else [])]
        why += ["read"] if field in site.of(site.scope.node) else []
        for text in _forms(site, field, kind):
            yield text, "update.field", *why
    for name in sorted(site.scope.unused.intersection(site.scope.given)):
        yield f"{owner}.{name} = {name}", "update.kept"


@lru_cache(maxsize=16)
def _fields(tree: CodeTree) -> dict[str, str]:
    """The fields of the file's classes with their kinds, as far as these can be told."""
    found: dict[str, str] = {}
    for node in tree.nodes:
        name, value = "", ""
        if node.kind == "attribute" and is_target_value(node) and node.parent:
            name, value = tree.of(node.part("member")), tree.of(node.parent.part("right"))
        elif node.type in {"field_declaration", "field_definition", "public_field_definition"} or (
            node.kind == "assign" and node.within("class") and not node.within("function")
        ):
            named = next((each for each in node.walk() if each.kind in {"field", "name"}), None)
            name, value = tree.of(named), tree.of(node.part("value") or node.children[-1])
        kind = (
            next((kind for kind, looks in rule_book(tree.language.name).begins if looks.fullmatch(value)), "")
            if name
            else ""
        )
        if kind:
            found.setdefault(name, kind)
    return found


def _known_changes(site: Site) -> Iterator[Change]:
    """What other functions of the file do to the same object, the same turned round, and what is asked for and not
    done: room that is not filled, a place that stays the same."""
    known = {*site.scope.names, *site.scope.written, "self", "this"}
    here = changed_in(site, site.scope.node)
    for unit in site.tree.units:
        if unit.kind not in {"expression", "augment", "step", "assign"} or any(
            up is site.scope.node for up in unit.above()
        ):
            continue
        text = site.of(unit).rstrip(";")
        target = next(iter(changed_in(site, unit)), "")
        if "." not in target or target in here or target.partition(".")[0] not in known or "\n" in text:
            continue
        if all(site.of(node) in known for node in unit.walk() if node.kind == "name"):
            yield text, "update.as_elsewhere"
            for one, other in (("+=", "-="), ("-=", "+="), ("++", "--"), ("--", "++")):
                if one in text:
                    yield text.replace(one, other), "update.as_elsewhere", "turned"
                    break
    for node in site.scope.nodes:
        sides = operands(node) if node.kind == "comparison" else None
        if sides is None:
            continue
        total = operands(bare(sides[0]))
        if total and total[1] == "+" and sides[1] in {">", ">="}:
            yield f"{site.of(total[0])} += {site.of(total[2])}", "update.room", "filled"
        if sides[1] in TURNED and sides[0].kind in {"attribute", "subscript"} and "." in site.of(sides[0]):
            yield f"{site.of(sides[0])} -= {site.of(sides[2])}", "update.room", "taken"
        if sides[1] in TURNED and sides[2].kind in {"attribute", "subscript"} and "." in site.of(sides[2]):
            yield f"{site.of(sides[2])} -= {site.of(sides[0])}", "update.room", "taken"


def _moves_on(site: Site) -> Iterator[Change]:
    """In a loop: the variable that holds the last one, and what is counted down."""
    tree, around = site.tree, [up for up in site.unit.above() if up.kind in {"loop", "each"}]
    if not around:
        return
    inside = changed_in(site, around[-1])
    hand = at_hand(site)
    outer = [name for name in site.scope.set_names if name not in changed_in(site, around[0])]
    inner = [name for name in (*site.scope.set_names, *site.scope.given) if name in inside or name in hand]
    for name in outer:
        for other in inner:
            if other != name and uses(tree, around[0], name):
                yield f"{name} = {other}", "update.moves_on", "read"
    compared = {site.of(each) for node in site.scope.nodes if node.kind == "comparison" for each in node.named}
    for name in site.scope.given:
        if name in compared and name not in inside:
            for made in hand[:MOST_AT_HAND]:
                if made not in site.scope.given:
                    yield f"{name} -= {made}", "update.counted_down"


def _emptied(site: Site) -> Iterator[Change]:
    """What was gathered is handed over, and the next round goes on gathering into the same."""
    filled = changed_in_file(site.tree)
    for node in site.nodes:
        held = node.part("arguments") if node.kind == "call" else None
        for each in held.named if held else ():
            if each.kind in {"name", "attribute"} and site.of(each) in filled:
                for kind, empty in (("list", "[]"), ("map", "{}")):
                    if f"{{of}} = {empty.replace('{', '{{').replace('}', '}}')}" in site.book.changes.get(kind, ()):
                        yield f"{site.of(each)} = {empty}", "update.emptied", kind


def _left_behind(site: Site) -> Iterator[Change]:
    """A thing that is put into another group, and is not taken out of the one it is in; a place of a list that is
    written to, and the same the next time; a key that begins with nothing, and that nothing counts."""
    sets = [(left, right) for node in site.scope.nodes if node.kind == "assign"
            and (left := node.part("left")) and (right := node.part("right")) and left.kind == "attribute"]  # fmt: skip
    for node in site.scope.nodes:
        called = node.part("called") if node.kind == "call" else None
        group = called.part("object") if called and called.kind == "attribute" else None
        undo = site.book.undo.get(site.of(called.part("member"))) if called and group else None
        if group is not None and undo and group.kind in {"subscript", "call"}:
            what = site.of(node.part("arguments"))
            for left, right in sets:
                places = [each for each in group.walk() if site.tree.plain(each) == site.tree.plain(right)]
                if places and not places[0].children:
                    pieces = tuple((each.start - group.start, each.end - group.start, site.of(left)) for each in places)
                    old = Edit("", pieces).applied(site.of(group).encode()).decode()
                    yield f"{old}.{undo}{what}", "update.group"
        if (
            node.kind == "subscript"
            and is_target_value(node)
            and (place := node.part("index"))
            and place.kind == "attribute"
        ):
            length = site.book.length.format(site.of(node.part("object")))
            yield f"{site.of(place)} = ({site.of(place)} + 1) % {length}", "update.place"
            yield f"{site.of(place)} += 1", "update.place"
    for node in _uncounted(site.tree):
        if any(up is site.scope.node for up in node.above()):
            yield f"{site.of(node)} += 1", "update.key"


@lru_cache(maxsize=16)
def _uncounted(tree: CodeTree) -> list[CodeNode]:
    """Items by keys that begin with nothing, and that nothing counts."""
    begun = {
        tree.of(node.children[0]) for node in tree.nodes if node.kind == "pair" and tree.of(node.children[-1]) == "0"
    }
    items = [node for node in tree.nodes if node.kind == "subscript" and tree.of(node.part("index")) in begun]
    counted = {tree.of(node.part("index")) for node in items if is_target_value(node)}
    return [node for node in items if tree.of(node.part("index")) not in counted]
