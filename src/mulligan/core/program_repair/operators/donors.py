"""Statements and values that the file has elsewhere, or their opposite: what was done there and forgotten here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mulligan.core.program_repair.operators.offsets import used_values
from mulligan.core.program_repair.predicates import terms
from mulligan.core.program_repair.rules.rule_book import RuleBook, rule_book
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree, block_of, bodies_of, is_text, units_in
from mulligan.syntax.expressions import called_on, callee, is_target_value
from mulligan.syntax.scopes import OWNERS, is_target, is_variable, parameters, scope_of

MAX_STATEMENTS, MAX_NAMES, MAX_CALLS, MAX_CHARS = 16, 3, 12, 160
LEAVING = frozenset({"return", "raise", "break", "continue"})
HEADS = frozenset({"function", "elif", "else", "case", "catch", "class"})
_KEPT = re.compile(r"^([\w.$]+)\[([^\[\]\n]+)\]\s*=(?![=>]).+$")
_COUNTED = re.compile(r"\s*([+-])=\s*")


@dataclass(frozen=True, slots=True)
class Donor:
    """A statement that changes something outside of its function, with what it needs to be known."""

    text: str
    """Without its indentation and its end."""
    names: frozenset[str]
    start: int
    kind: str
    """`call` of a method without arguments, `change`, or the `opposite` of one."""


def statements(site: Site) -> Iterator[Edit]:
    """A statement from elsewhere in the file, before or after this one."""
    unit = site.unit
    if not site.scope.is_function or not site.stands_alone or unit.kind in HEADS or is_text(unit):
        return
    visible = [name for name in terms(site) if "." not in name]
    own = site.of(site.scope.node)
    found: dict[str, tuple[int, str]] = {}
    for donor in _donors(site.tree):
        unknown = donor.names - {*visible, *OWNERS, site.scope.owner}
        if len(unknown) > 1 or (not unknown and donor.text in own):
            continue
        for text in _fitted(donor, next(iter(unknown), ""), visible):
            far = abs(donor.start - unit.start)
            found.setdefault(text, (10_000 * len(unknown) + far // 10, donor.kind))
    before = unit.kind in LEAVING or block_of(unit)[0] is unit
    for text in sorted(found, key=lambda text: found[text][0])[:MAX_STATEMENTS]:
        statement = text if bodies_of(unit) and "\n" in text else f"{text}{site.book.end}"
        why = found[text][1]
        if before:
            yield site.above(unit, statement, f"donor.{why}", "first" if unit.kind not in LEAVING else "last")
        if unit.kind not in LEAVING:
            yield site.below(unit, statement, f"donor.{why}", "behind")


def _fitted(donor: Donor, unknown: str, visible: list[str]) -> Iterator[str]:
    if not unknown:
        yield donor.text
    for name in [each for each in visible if each not in donor.names][:MAX_NAMES] if unknown else ():
        yield re.sub(rf"(?<![\w.]){re.escape(unknown)}(?!\w)", name, donor.text)


@lru_cache(maxsize=16)
def _donors(tree: CodeTree) -> tuple[Donor, ...]:
    book = rule_book(tree.language.name)
    found: dict[str, Donor] = {}
    for unit in tree.units:
        text = tree.of(unit).rstrip(";").replace(f"\n{tree.indent(unit)}", "\n")
        if len(text) > MAX_CHARS or not _changes(tree, unit, book):
            continue
        bound = {tree.of(node) for node in unit.walk() if node.kind == "name" and is_target(node)}
        names = frozenset(tree.of(node) for node in unit.walk() if is_variable(node)) - bound
        for made, kind in ((text, "change"), *((each, "opposite") for each in _opposites(text, book))):
            found.setdefault(made, Donor(made, names, unit.start, kind))
    for function in tree.functions:
        name, owner = tree.of(function.part("name")), scope_of(tree, function).owner
        if owner and name.isidentifier() and not name.startswith("__") and not set(parameters(tree, function)) - OWNERS:
            made = f"{owner}.{name}()"
            found[made] = Donor(made, frozenset({owner}) - OWNERS, function.start, "call")
    return tuple(found.values())


def _changes(tree: CodeTree, unit: CodeNode, book: RuleBook) -> bool:
    """Whether a statement, or all that a short loop or branch does, changes an object."""
    if bodies := bodies_of(unit):
        inner = [each for body in bodies for each in units_in(body)]
        return unit.kind in {"each", "if"} and len(inner) == 1 and _changes(tree, inner[0], book)
    targets = [node for node in unit.walk() if node.kind in {"attribute", "subscript"} and is_target_value(node)]
    call = unit.named[0] if unit.kind == "expression" and len(unit.named) == 1 else None
    if call is not None and call.kind == "call":
        return called_on(call) is not None and tree.of(callee(call)) not in book.values["pure"]
    return bool(targets) or unit.kind in {"delete", "step"}


def _opposites(text: str, book: RuleBook) -> Iterator[str]:
    """Statements that take back what this one does."""
    if kept := _KEPT.search(text.rpartition("\n")[2].strip()):
        yield from (text.replace(kept[0], form.format(kept[1], kept[2])) for form in book.values["removal"])
    if counted := _COUNTED.search(text):
        yield text.replace(counted[0], " -= " if counted[1] == "+" else " += ", 1)
    for did, undoes in book.undo.items():
        if f".{did}(" in text:
            yield text.replace(f".{did}(", f".{undoes}(", 1)
            if did in {"append", "push"} and "\n" not in text[text.index(f".{did}(") :]:
                yield f"{text[: text.index(f'.{did}(')]}.pop()"


def calls(site: Site) -> Iterator[Edit]:
    """Values of other methods without arguments, and values given to functions and classes that take one."""
    used = list(used_values(site))
    if not used:
        return
    taking = _one_argument(site.tree, site.facts, site.scope.owner)
    asking = _methods_asked(site, [name for name in terms(site) if "." not in name])
    for node in used:
        text = site.of(node)
        if node.kind == "call":
            for other in asking[:MAX_CALLS]:
                if other != text:
                    yield site.replaced(node, other, "donor.value")
        for name in taking[:MAX_CALLS]:
            if not text.startswith(f"{name}(") and node.around not in {"each", "expression"}:
                yield site.replaced(node, f"{name}({text})", "donor.wrap", node.around or "alone")


@lru_cache(maxsize=64)
def _one_argument(tree: CodeTree, facts: RepairFacts, owner: str) -> tuple[str, ...]:
    """What this file defines or imports, and what can be called with one value."""
    written = {tree.of(node) for node in tree.nodes if node.kind in {"name", "field"}}
    seen = [name for name, given in facts.parameters.items() if len(given) == 1 and name in written]
    classes = [tree.of(node.part("name")) for node in tree.nodes if node.kind == "class"]
    own = [f"{owner}.{name}" for name in seen if owner and name in _methods(tree)]
    free = _called_by_name(tree)
    return tuple(dict.fromkeys([*classes, *_imported_classes(tree), *own, *(name for name in seen if name in free)]))


@lru_cache(maxsize=16)
def _imported_classes(tree: CodeTree) -> tuple[str, ...]:
    names = [tree.of(node) for up in tree.nodes if up.kind == "import" for node in up.walk() if node.kind == "name"]
    return tuple(dict.fromkeys(name for name in names if name[:1].isupper() and not name.isupper()))


@lru_cache(maxsize=16)
def _methods(tree: CodeTree) -> frozenset[str]:
    return frozenset(tree.of(each.part("name")) for each in tree.functions if _is_method(each))


@lru_cache(maxsize=16)
def _called_by_name(tree: CodeTree) -> frozenset[str]:
    """What can be called by its name alone."""
    own = (tree.of(each.part("name")) for each in tree.functions if not _is_method(each))
    imported = (tree.of(node) for up in tree.nodes if up.kind == "import" for node in up.walk() if node.kind == "name")
    return frozenset([*own, *imported])


def _is_method(function: CodeNode) -> bool:
    return function.within("class") is not None or function.part("receiver") is not None


def _methods_asked(site: Site, known: list[str]) -> list[str]:
    """Methods that the project calls without arguments on names that are known here."""
    facts = site.facts
    owned = [(name, method) for name in known for method in facts.methods.get(name, ())]
    return [f"{name}.{method}()" for name, method in owned if not facts.parameters.get(method, ("",))]
