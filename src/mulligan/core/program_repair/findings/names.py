"""Names that are probably wrong: not imported, misspelt, never used."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.findings.finding import (
    FileContext,
    Finding,
    FindingKind,
    MissingImport,
    Misspelt,
    Odd,
    UndefinedName,
)
from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.syntax.code_tree import CodeNode, CodeTree, is_text, units_in
from mulligan.syntax.expressions import is_key, is_target_value, string_value
from mulligan.syntax.likeness import nearest_to, nearly_equal
from mulligan.syntax.python_scopes import bound_names, unbound_names
from mulligan.syntax.scopes import Scope, is_target

_COMMON = frozenset({
    "length", "push", "slice", "splice", "concat", "filter", "reduce", "forEach", "indexOf", "includes", "toString",
    "constructor", "return", "undefined", "Object", "String", "Number", "Array", "Math",
})  # fmt: skip
_OF_PYTHON = frozenset(name for kind in (str, bytes, list, dict, set, tuple, int, float) for name in dir(kind))
_IN_FOLDER = re.compile(r"^(?:src|lib)/|\.pyi?$|/__init__\.pyi?$")


def notice_names(tree: CodeTree, lines: Sequence[str], known: FileContext) -> Iterator[Finding]:
    if tree.language.indented:
        yield from _undefined(lines, known)
        yield from _misspelt_keys(tree, known)
        yield from _misspelt_attributes(tree, known)
        for node in tree.functions:
            if node.kind == "function":
                yield from _unused(tree, node)
    else:
        yield from _misspelt_names(tree, known)


def _undefined(lines: Sequence[str], known: FileContext) -> Iterator[Finding]:
    modules = rule_book("Python").modules
    for each in unbound_names(lines, known.builtins):
        name = each.name
        if name in each.fields:
            yield UndefinedName(each.line, name, f"self.{name}")
        elif name in known.defined:
            yield MissingImport(each.line, name, _IN_FOLDER.sub("", known.defined[name]).replace("/", "."))
        elif name in modules or name in known.modules:
            yield MissingImport(each.line, name, modules.get(name, ""))
        else:
            near = nearest_to(name, bound_names(lines) | known.defined.keys() | known.builtins)
            yield UndefinedName(each.line, name, near or "")


def _misspelt_keys(tree: CodeTree, known: FileContext) -> Iterator[Finding]:
    """A key that the tests don't use, or that occurs only once, next to one that is nearly the same."""
    used = [(string_value(tree, node), node) for node in tree.root.walk() if node.kind == "string" and is_key(node)]
    count = Counter(key for key, _ in used)
    for key, node in used:
        if key in known.keys or not key.isidentifier():
            continue
        near = nearest_to(key, known.keys) or next(
            (each for each in count if count[each] > count[key] and nearly_equal(key, each)), None
        )
        if near:
            yield Misspelt(tree.row(node.start) + 1, "key", key, near)


def _misspelt_attributes(tree: CodeTree, known: FileContext) -> Iterator[Finding]:
    imported = {tree.of(node) for each in tree.root.walk() if each.kind == "import" for node in each.walk()}
    for node in tree.root.walk():
        name = tree.of(node.part("member")) if node.kind == "attribute" else ""
        if not name or name in known.attributes or name in _OF_PYTHON or tree.of(node.part("object")) in imported:
            continue
        near = nearest_to(name, known.attributes)
        if near:
            yield Misspelt(tree.row(node.start) + 1, "attribute", name, near)


def _misspelt_names(tree: CodeTree, known: FileContext) -> Iterator[Finding]:
    """A name that occurs once and is nearly one that occurs more often, or that a failing test uses."""
    words = [node for node in tree.root.walk() if node.kind in {"name", "field"} and not node.within("import")]
    count = Counter(tree.of(node) for node in words)
    meant = _COMMON | known.keys | known.defined.keys() | {name for name, times in count.items() if times > 1}
    for node in words:
        name = tree.of(node)
        if name in meant or (node.parent and node.parent.kind in {"function", "class"}):
            continue
        near = nearest_to(name, meant)
        # Names that differ only in case are different: Go's exported names, class names.
        if near and near.lower() != name.lower():
            yield Misspelt(tree.row(node.start) + 1, "name", name, near)


def _unused(tree: CodeTree, function: CodeNode) -> Iterator[Finding]:
    scope = Scope(tree, function)
    units = units_in(function.part("body"))
    if all(is_text(unit) or unit.kind in {"pass", "raise"} for unit in units) or "locals" in scope.written:
        return
    holder = function.within("class")
    base = next((child for child in holder.children if child.kind == "arguments"), None) if holder else None
    line = tree.row(function.start) + 1
    read = {tree.of(node) for node in scope.variables if not is_target(node) and not node.within("parameters")}
    read |= {name for node in scope.nodes if node.kind == "call" for name in [tree.of(node.part("called"))]}
    # An inherited or registered function has to accept the arguments it gets.
    if base is None and not (function.parent and function.parent.kind == "wrapper"):
        for name in scope.given:
            if name not in read and not name.startswith("_"):
                yield Odd(line, FindingKind.UNUSED_PARAMETER, name)
    outer = [each for each in scope.nodes if each.type in {"global_statement", "nonlocal_statement"}]
    read |= {tree.of(node) for each in outer for node in each.walk()}
    members = (node for node in holder.walk() if node.kind == "attribute") if holder else ()
    fields = {tree.of(node.part("member")) for node in members}
    for node in scope.variables:
        name = tree.of(node)
        if node.around == "assign" and is_target_value(node) and name not in read and not name.startswith("_"):
            fault = FindingKind.UNUSED_FOR_FIELD if name in fields else FindingKind.UNUSED_VARIABLE
            yield Odd(tree.row(node.start) + 1, fault, name)
