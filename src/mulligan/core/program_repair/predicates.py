"""Conditions that can be written at a place, from what the code there can see."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, permutations

from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_tree import CodeNode, CodeTree, unbracketed
from mulligan.syntax.expressions import arguments_of, callee, indices_of, is_called, is_target_value, operands
from mulligan.syntax.scopes import OWNERS, is_target, is_variable, parameters, scope_of

MAX_PREDICATES, MAX_KNOWN, MAX_TERMS, MAX_PAIRED, MAX_FIELDS, MAX_UNREAD = 240, 120, 36, 9, 8, 2
_PATH = re.compile(r"[\w.$]+")
GO_NUMBERS = ("int", "uint", "float", "byte", "rune", "time.Duration")


def predicates(site: Site) -> tuple[str, ...]:
    """The likeliest first; of each also its opposite."""
    return _predicates(site.tree, site.unit, site.facts)


@lru_cache(maxsize=64)
def _predicates(tree: CodeTree, unit: CodeNode, facts: RepairFacts) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_all(Site(tree, unit, scope_of(tree, unit), facts))))[:MAX_PREDICATES]


def _all(site: Site) -> Iterator[str]:
    known = terms(site)[:MAX_KNOWN]
    yield from _of_conditions(site, set(known))
    simple = [text for each in known[:MAX_TERMS] for text in _of_one(site, each)]
    pairs = list(_of_pairs(site, known))
    # In turns, so that a limit cuts both.
    for index in range(max(len(simple), len(pairs))):
        yield from (*simple[2 * index : 2 * index + 2], *pairs[index : index + 1])


def terms(site: Site) -> list[str]:
    """Names and fields that can be read before this unit: those of the unit first, then the nearest."""
    scope, facts = site.scope, site.facts
    here = [site.of(node) for node in site.nodes if is_variable(node) and not is_target(node)]
    around = [
        name for up in site.unit.above() if up.kind in {"each", "lambda", "function"} for name in _bound(site, up)
    ]
    before = [site.of(node) for node in scope.variables if is_target(node) and node.start < site.unit.start]
    visible = {*around, *scope.given, *before}
    names = [name for name in dict.fromkeys([*here, *around, *reversed(before), *scope.given]) if name in visible]
    own = [f"{scope.owner}.{field}" for field in _own_fields(site.tree, site.unit.within("class"), scope.owner)]
    paths = [each for each in _paths_in(site.tree) if each.partition(".")[0] in {*names, scope.owner}]
    fields = [f"{name}.{field}" for name in names for field in _fields_of(facts, name)]
    never = [f"{each}.{field}" for field in _never_read(facts) for each in (*names, *own)]
    in_unit = site.of(site.unit)
    found = dict.fromkeys(
        [*names, *(each for each in (*own, *paths) if each in in_unit), *never, *fields, *own, *paths]
    )
    return [each for each in found if each not in (scope.owner, "")]


def _bound(site: Site, node: CodeNode) -> Iterable[str]:
    if node.kind != "each":
        return (name for name in parameters(site.tree, node) if name not in OWNERS)
    item = node.part("item")
    return [site.of(each) for each in item.walk() if each.kind == "name"] if item else ()


def _fields_of(facts: RepairFacts, name: str) -> list[str]:
    """Fields that sources read from this name, and the others of objects that have these."""
    asked = facts.members.get(name, {})
    shapes = facts.fitting_shapes(frozenset(asked)) if asked else []
    called = {method for methods in facts.methods.values() for method in methods}
    found = dict.fromkeys([*asked, *(field for shape in shapes[:2] for field in shape if field.isidentifier())])
    return [field for field in found if field not in called][:MAX_FIELDS]


@lru_cache(maxsize=64)
def _own_fields(tree: CodeTree, holder: CodeNode | None, owner: str) -> tuple[str, ...]:
    """Fields of an object that the methods of its class use."""
    nodes = (node for node in (holder.walk() if holder else tree.nodes) if node.kind == "attribute")
    found = (tree.of(node.part("member")) for node in nodes if owner and tree.of(node.part("object")) == owner)
    methods = {tree.of(each.part("name")) for each in tree.functions}
    return tuple(dict.fromkeys(name for name in found if name not in methods))


@lru_cache(maxsize=8)
def _never_read(facts: RepairFacts) -> tuple[str, ...]:
    """What objects have, and no source asks for: somebody wrote it for a reason."""
    nodes = [(tree, node) for tree in facts.trees.values() for node in tree.nodes]
    members = [(tree.of(node.part("member")), node) for tree, node in nodes if node.kind == "attribute"]
    read = {name for name, node in members if not is_target_value(node)}
    found = dict.fromkeys(name for name, _ in members if name not in read)
    for tree, node in nodes:
        name = tree.of(node.part("name")) if node.kind == "function" and node.within("class") else ""
        if name and name not in read and not name.startswith("_") and not set(parameters(tree, node)) - OWNERS:
            found[name if _is_property(tree, node) else f"{name}()"] = None
    return tuple(each for each in found if each.strip("()") not in facts.tested)[:MAX_UNREAD]


def _is_property(tree: CodeTree, node: CodeNode) -> bool:
    decorated = node.around == "wrapper" and tree.of(node.parent).startswith("@property")
    return decorated or any(child.type == "get" for child in node.children)


@lru_cache(maxsize=16)
def _paths_in(tree: CodeTree) -> tuple[str, ...]:
    """Fields of fields that the file reads, such as `self.owner.name`."""
    found = (tree.of(node) for node in tree.nodes if node.kind == "attribute" and not is_called(node))
    return tuple(dict.fromkeys(text for text in found if text.count(".") > 1 and _PATH.fullmatch(text)))


def _of_conditions(site: Site, known: set[str]) -> Iterator[str]:
    """What else the file asks about values that are known here, the nearest first."""
    asking = [node for node in site.tree.nodes if node.kind in {"if", "elif", "loop", "filter", "conditional"}]
    asking.sort(key=lambda node: abs(node.start - site.unit.start))
    for node in asking:
        found = node.part("condition") or (node.named[-1] if node.kind == "filter" and node.named else None)
        asked = unbracketed(found) if found else None
        if asked is None or asked.kind not in {"comparison", "not", "call", "boolean", "attribute", "name"}:
            continue
        names = {site.of(each) for each in asked.walk() if is_variable(each)} - OWNERS
        if names and names <= known and "\n" not in site.of(asked):
            yield site.of(asked)
            yield site.negated(asked)


def _of_one(site: Site, term: str) -> Iterator[str]:
    if site.tree.language.name != "Go":
        yield term
        yield site.book.negation.format(term)
        return
    kind = _types(site.tree).get(term.rpartition(".")[2], "")
    if kind == "bool":
        yield from (term, f"!{term}")
    elif kind.startswith(GO_NUMBERS):
        yield from (f"{term} == 0", f"{term} != 0", f"{term} > 0", f"{term} < 0")
    elif kind == "string":
        yield from (f'{term} == ""', f'{term} != ""')
    elif kind.startswith(("[", "map")):
        yield from (f"len({term}) == 0", f"len({term}) > 0")
    elif kind.startswith(("*", "error", "func", "interface")):
        yield from (f"{term} == nil", f"{term} != nil")


@lru_cache(maxsize=16)
def _types(tree: CodeTree) -> dict[str, str]:
    """The types that Go declares for fields and parameters, by their names."""
    found: dict[str, str] = {}
    for node in tree.nodes:
        if node.type in {"field_declaration", "parameter_declaration", "var_spec"} and (kind := _type_of(node)):
            names = (each for each in node.children if each.field == "name")
            found.update((tree.of(each), tree.of(kind)) for each in names)
    return found


def _type_of(node: CodeNode) -> CodeNode | None:
    return next((each for each in node.children if each.field == "type"), None)


def _of_pairs(site: Site, known: list[str]) -> Iterator[str]:
    """Comparisons of two values: of the same name in two objects, then of those that are nearest."""
    book, typed = site.book, site.tree.language.name == "Go"
    equal = "===" if "===" in book.swaps else "=="
    signs = [equal, equal.replace("=", "!", 1)]
    both_ways = [] if typed else [book.both, book.either]
    for one, other in combinations(known, 2):
        if _last(one) == _last(other):
            yield from (f"{one} {sign} {other}" for sign in (*both_ways, *signs))
    near = [each for each in known if "." not in each][:MAX_PAIRED] + [each for each in known if "." in each][
        :MAX_FIELDS
    ]
    numbers, containers = _roles(site.facts)
    types = _types(site.tree) if typed else {}
    lengths = [book.length.format(each) for each in near if _last(each) in containers]
    for one, other in permutations(near, 2):
        if typed and types.get(_last(one), "") != types.get(_last(other), "?"):
            continue
        if one < other:
            yield from (f"{one} {sign} {other}" for sign in signs)
        if _last(one) in numbers and _last(other) in numbers:
            yield f"{one} < {other}"
        if site.tree.language.indented and _last(other) in containers:
            yield from (f"{one} in {other}", f"{one} not in {other}")
    for one in (each for each in near if _last(each) in numbers):
        yield from (f"{one} {sign} {length}" for length in lengths for sign in (*signs, "<"))


@lru_cache(maxsize=8)
def _roles(facts: RepairFacts) -> tuple[frozenset[str], frozenset[str]]:
    """The last names of values that are used as numbers, and of those that are looped over, indexed or measured."""
    numbers: set[str] = set()
    containers: set[str] = set()
    for tree in facts.trees.values():
        for node in tree.nodes:
            if node.kind == "subscript":
                containers.add(_last(tree.of(node.part("object"))))
                numbers |= {_last(tree.of(each)) for each in indices_of(node)}
            elif node.kind == "each":
                containers.add(_last(tree.of(node.part("items"))))
            elif node.kind == "call" and tree.of(callee(node)) == "len":
                containers |= {_last(tree.of(each)) for each in arguments_of(node)}
            elif node.kind == "attribute" and tree.of(node.part("member")) in {"length", "size"}:
                containers.add(_last(tree.of(node.part("object"))))
            elif sides := operands(node) if node.kind in {"arithmetic", "comparison"} else None:
                known = containers if sides[1] in {"in", "not in"} else numbers
                known.update(_last(tree.of(each)) for each in (sides[2],) if each.kind in {"name", "attribute"})
                if known is numbers:
                    numbers.add(_last(tree.of(sides[0])))
    return frozenset(numbers), frozenset(containers)


def _last(term: str) -> str:
    return term.rpartition(".")[2].lower().lstrip("_")
