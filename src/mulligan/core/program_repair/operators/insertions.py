"""Forgotten statements: a return, an exit from a branch, a guard, an update of a counter or a field."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree, bodies_of, is_text, is_unit, unbracketed, units_in
from mulligan.syntax.expressions import arguments_of, called_on, callee, is_target_value, operations, settings
from mulligan.syntax.scopes import is_target, loop_names, parameters, uses

MAX_AT_HAND, MAX_RETURNS, MAX_CHANGES = 4, 4, 40
LEAVING = frozenset({"return", "raise", "break", "continue", "pass"})
HEADS = frozenset({"function", "elif", "else", "case", "catch"})
EMPTIES = ("{of} = []", "{of} = {{}}")
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_LITERAL = re.compile(r"-?\d+(?:\.\d+)?|None|null|nil|true|false|True|False|\[\]|\{\}|''|\"\"|``|undefined")
_SENTINEL = re.compile(r"Err[A-Z]\w*")


def ways_out(site: Site) -> Iterator[Edit]:
    """Statements that may end a branch: a return used elsewhere, a named error, the next iteration of a loop."""
    unit, end = site.unit, site.book.end
    holder = next((up for up in unit.above() if is_unit(up)), None)
    if holder is None or holder.kind not in {"if", "elif", "else", "case", "catch"} or not site.is_last:
        return
    if unit.kind in LEAVING or bodies_of(unit) or not site.scope.is_function or not site.in_block:
        return
    returns = [node for node in site.scope.nodes if node.kind == "return"]
    for text in list(dict.fromkeys(site.of(node).rstrip(";") for node in returns))[:MAX_RETURNS]:
        yield site.below(unit, f"{text}{end}", "insert.return_as_elsewhere")
    for name in (name for name in site.facts.names if _SENTINEL.fullmatch(name)):
        for text in dict.fromkeys(_with_last(site, node, name) for node in returns if node.named):
            why = "documented" if name in site.scope.documented else "tested" if name in site.facts.tested else "other"
            yield site.below(unit, text, "insert.error", why)
    if holder.within("each", "loop"):
        yield site.below(unit, f"continue{end}", "insert.continue")
        yield site.below(unit, f"break{end}", "insert.break")
    if not returns:
        yield site.below(unit, f"return{end}", "insert.bare_return")


def _with_last(site: Site, node: CodeNode, value: str) -> str:
    """A return with another value as its last part."""
    given = node.named[0]
    last = given.named[-1] if given.kind == "tuple" and given.named else given
    return f"{site.tree.of_bytes(node.start, last.start)}{value}"


def returns(site: Site) -> Iterator[Edit]:
    """Adds a return of a local value after the last statement of a function that returns nothing."""
    unit, function = site.unit, site.unit.within("function", "lambda")
    body = function.part("body") if function else None
    if function is None or body is None or unit.parent is not body or not site.is_last or unit.kind in LEAVING:
        return
    own = [node for node in body.walk() if node.within("function", "lambda") is function]
    gives = any(node.kind == "yield" or (node.kind == "return" and node.named) for node in own)
    typed = site.tree.language.name == "Go" and function.part("result") is None
    if gives or typed or site.of(function.part("name")) in {"__init__", "constructor"}:
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
    """An early return before a statement that fails on an empty value, or at the other end of a range."""
    unit = site.unit
    if not site.scope.is_function or unit.parent is None or unit.kind in HEADS or is_text(unit):
        return
    wanted = [text for _, text in site.facts.differences if _LITERAL.fullmatch(text)]
    empty = "empty" in site.facts.symptoms or any(got in {"nil", "None", "null"} for got, _ in site.facts.differences)
    for name in (name for name in site.scope.given if empty and uses(site.tree, unit, name)):
        for value in dict.fromkeys([*wanted, *site.book.values["usual"][:3]]):
            text = site.book.guard.format(site.book.is_empty.format(name), value, site.tree.step)
            yield site.above(unit, text, "insert.guard", "wanted" if value in wanted else "usual")
    yield from _base_case(site, wanted)
    yield from _twin(site)


def _base_case(site: Site, wanted: list[str]) -> Iterator[Edit]:
    """A recursive function without a base case."""
    name = site.of(site.scope.node.part("name"))
    calls = [node for node in site.scope.nodes if node.kind == "call" and site.of(node.part("called")) == name]
    if first_unit(site.scope.node) is not site.unit or not calls or not site.scope.given:
        return
    given = site.scope.given[0]
    for condition in (f"{given} == 0", f"{given} <= 1", site.book.is_empty.format(given)):
        for value in dict.fromkeys([*wanted, "0", "1", given, *site.book.values["usual"][:3]]):
            yield site.above(site.unit, site.book.guard.format(condition, value, site.tree.step), "insert.base_case")


def first_unit(function: CodeNode | None) -> CodeNode | None:
    """The first statement of a function, after its docstring."""
    units = units_in(function.part("body")) if function else []
    return next((unit for unit in units if not is_text(unit)), None)


def _twin(site: Site) -> Iterator[Edit]:
    """One bound is checked, and the function ignores the other bound that it is given."""
    unit = site.unit
    asked = unit.part("condition") if unit.kind == "if" else None
    for _, left, sign, right in operations([unbracketed(asked)] if asked else [], "comparison"):
        for other in sorted(site.scope.unused.intersection(site.scope.given)) if sign in TURNED else ():
            old = site.tree.of_bytes(left.start, right.start)
            turned = site.text_of(unit).replace(old, old.replace(sign, TURNED[sign]), 1)
            made = re.sub(rf"\b{re.escape(site.of(right))}\b", other, turned)
            yield site.above(unit, made, "insert.twin_guard")


def updates(site: Site) -> Iterator[Edit]:
    """Updates that may be missing next to the last statement of a block, or before an exit or a loop."""
    unit, last = site.unit, site.is_last
    if not site.scope.is_function or not site.in_block or unit.kind in HEADS or unit.kind == "class":
        return
    before = unit.kind in LEAVING or site.is_loop or (bool(bodies_of(unit)) and not last)
    where = "gives_up" if unit.kind == "raise" else "end" if last or unit.kind in LEAVING else "middle"
    seen: set[str] = set()
    # Updates that rarely apply come first, so that the limit cuts those that always apply.
    rare = (*_left_behind(site), *_emptied(site), *_known_changes(site))
    for text, name, *why in (*rare, *_never_changed(site), *_moves_on(site), *_state_changes(site)):
        statement = f"{text}{site.book.end}"
        if text not in seen and len(seen) < MAX_CHANGES:
            seen.add(text)
            put = site.above if (before or name == "update.group") and not is_text(unit) else site.below
            yield put(unit, statement, name, where, *why)


Change = tuple[str, ...]
"""A statement, the operator that made it, and features."""


def at_hand(site: Site) -> list[str]:
    """Names for a change: loop variables, parameters, variables set before."""
    loops = [up for up in site.unit.above() if up.kind == "each"]
    names = [name for loop in loops for name in loop_names(site.tree, loop)]
    above = [site.of(node) for node in site.scope.variables if is_target(node) and node.start < site.unit.end]
    return list(dict.fromkeys([*names, *(() if names else site.scope.given), *reversed(above), *site.scope.given]))


@lru_cache(maxsize=4096)
def changed_in(tree: CodeTree, node: CodeNode) -> frozenset[str]:
    """Names changed within a node, by an assignment or a mutating method."""
    book = rule_book(tree.language.name)
    found: set[str] = set()
    for each in node.walk():
        if each.kind in {"assign", "augment", "step", "delete"} and each.named:
            target = each.named[0]
            while target.kind == "tuple" and target.named:
                target = target.named[0]
            holder = target.part("object") if target.kind == "subscript" else target
            found.add(tree.of(holder))
        owner, member = called_on(each), tree.of(callee(each))
        if owner and (member in book.values["changing"] or member in book.pairs):
            found.add(tree.of(owner))
    return frozenset(found)


def _never_changed(site: Site) -> Iterator[Change]:
    """A variable that starts empty or at zero in this function, and stays so."""
    changed = changed_in(site.tree, site.scope.node)
    times = Counter(site.of(each) for each in site.scope.variables if is_target(each))
    counted: dict[str, str] = {}
    for node in site.scope.nodes:
        left = node.part("left") if node.kind in {"declare", "assign"} else None
        if left is None or node.start > site.unit.start:
            continue
        name = site.of(left)
        kind = site.book.kind_of(site.of(node.part("right") or node.children[-1]))
        if (
            kind
            and left.kind in {"name", "tuple"}
            and name.isidentifier()
            and (name not in changed or times[name] == 1)
        ):
            counted.setdefault(name, kind)
    for name, kind in counted.items():
        for text in _forms(site, name, kind):
            yield text, "update.variable", "changed" if times[name] > 1 else "never", kind


def _forms(site: Site, of: str, kind: str) -> Iterator[str]:
    hand = [name for name in at_hand(site) if name != of][:MAX_AT_HAND]
    for form in site.book.changes.get(kind, ()):
        if "{one}" not in form:
            yield form.format(of=of)
        elif "{other}" in form:
            yield from (form.format(of=of, one=one, other=each) for one in hand for each in hand if each != one)
        else:
            yield from (form.format(of=of, one=one) for one in hand)


def _state_changes(site: Site) -> Iterator[Change]:
    """A field of the object that a method should change, and does not."""
    owner = site.scope.owner
    if not owner:
        return
    here, ever = changed_in(site.tree, site.scope.node), changed_in(site.tree, site.tree.root)
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
    """The fields of the file's classes with their kinds, as far as they can be determined."""
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
        if name and (kind := rule_book(tree.language.name).kind_of(value)):
            found.setdefault(name, kind)
    return found


def _known_changes(site: Site) -> Iterator[Change]:
    """Changes that other functions of the file make to the same object, their inverse, and actions that are checked for
    but missing: a capacity that is not filled, a position that does not move."""
    known = {*site.scope.names, *site.scope.written, "self", "this"}
    here = changed_in(site.tree, site.scope.node)
    for unit in site.tree.units:
        own = any(up is site.scope.node for up in unit.above())
        if own or unit.kind not in {"expression", "augment", "step", "assign"}:
            continue
        text, target = site.of(unit).rstrip(";"), min(changed_in(site.tree, unit), default="")
        if "." not in target or target in here or target.partition(".")[0] not in known or "\n" in text:
            continue
        if all(site.of(node) in known for node in unit.walk() if node.kind == "name"):
            yield text, "update.as_elsewhere"
            for one, other in (("+=", "-="), ("-=", "+="), ("++", "--"), ("--", "++")):
                if one in text:
                    yield text.replace(one, other), "update.as_elsewhere", "turned"
                    break
    for _, left, sign, right in operations(site.scope.nodes, "comparison"):
        for _, one, plus, other in operations([unbracketed(left)], "arithmetic"):
            if plus == "+" and sign in {">", ">="}:
                yield f"{site.of(one)} += {site.of(other)}", "update.capacity", "filled"
        for one, other in ((left, right), (right, left)) if sign in TURNED else ():
            if one.kind in {"attribute", "subscript"} and "." in site.of(one):
                yield f"{site.of(one)} -= {site.of(other)}", "update.capacity", "taken"


def _moves_on(site: Site) -> Iterator[Change]:
    """In a loop: the variable that holds the previous item, and the counter that is decremented."""
    tree, around = site.tree, [up for up in site.unit.above() if up.kind in {"loop", "each"}]
    if not around:
        return
    inside, hand = changed_in(tree, around[-1]), at_hand(site)
    outer = [name for name in site.scope.set_names if name not in changed_in(tree, around[0])]
    inner = [name for name in (*site.scope.set_names, *site.scope.given) if name in inside or name in hand]
    for name in (name for name in outer if uses(tree, around[0], name)):
        yield from ((f"{name} = {other}", "update.moves_on", "read") for other in inner if other != name)
    compared = {site.of(each) for node in site.scope.nodes if node.kind == "comparison" for each in node.named}
    for name in site.scope.given:
        for made in hand[:MAX_AT_HAND] if name in compared and name not in inside else ():
            if made not in site.scope.given:
                yield f"{name} -= {made}", "update.counted_down"


def _emptied(site: Site) -> Iterator[Change]:
    """A buffer that is passed on but not emptied for the next iteration."""
    filled = changed_in(site.tree, site.tree.root)
    forms = [form for kind in ("list", "map") for form in site.book.changes[kind] if form in EMPTIES]
    for each in (each for node in site.nodes if node.kind == "call" for each in arguments_of(node)):
        if each.kind in {"name", "attribute"} and site.of(each) in filled:
            yield from ((form.format(of=site.of(each)), "update.emptied") for form in forms)


def _left_behind(site: Site) -> Iterator[Change]:
    """An item that is added to another group without being removed from its own; a list position that is written to and
    does not advance; a key that starts at zero and is never counted."""
    sets = [(left, right) for left, right in settings(site.scope.nodes) if left.kind == "attribute"]
    for node in site.scope.nodes:
        group, undo = called_on(node), site.book.undo.get(site.of(callee(node)))
        if group and undo and group.kind in {"subscript", "call"}:
            for left, right in sets:
                same = [each for each in group.walk() if site.tree.plain(each) == site.tree.plain(right)]
                if same and not same[0].children:
                    old = site.edited(group, tuple((each.start, each.end, site.of(left)) for each in same))
                    yield f"{old}.{undo}{site.of(node.part('arguments'))}", "update.group"
        index = node.part("index") if node.kind == "subscript" and is_target_value(node) else None
        if index and index.kind == "attribute":
            length = site.book.length.format(site.of(node.part("object")))
            yield f"{site.of(index)} = ({site.of(index)} + 1) % {length}", "update.index"
            yield f"{site.of(index)} += 1", "update.index"
    for node in _uncounted(site.tree):
        if any(up is site.scope.node for up in node.above()):
            yield f"{site.of(node)} += 1", "update.key"


@lru_cache(maxsize=16)
def _uncounted(tree: CodeTree) -> list[CodeNode]:
    """Items by keys that start at zero and are never counted."""
    pairs = [node.children for node in tree.nodes if node.kind == "pair"]
    begun = {tree.of(parts[0]) for parts in pairs if tree.of(parts[-1]) == "0"}
    items = [node for node in tree.nodes if node.kind == "subscript" and tree.of(node.part("index")) in begun]
    counted = {tree.of(node.part("index")) for node in items if is_target_value(node)}
    return [node for node in items if tree.of(node.part("index")) not in counted]
