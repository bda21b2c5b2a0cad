"""Names that are probably wrong: not imported, misspelt, never used."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from mulligan.core.program_repair.findings.finding import (
    Fault,
    Finding,
    Known,
    MissingImport,
    Misspelt,
    Odd,
    UndefinedName,
    nearest_to,
)
from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.syntax.code_tree import CodeNode, CodeTree, is_text, units_in
from mulligan.syntax.expressions import is_key, is_target_value, string_value
from mulligan.syntax.python_scopes import bound_names, unbound_names
from mulligan.syntax.scopes import Scope, is_target

Words = Sequence[tuple[str, CodeNode]]
_COMMON = frozenset({
    "length", "push", "slice", "splice", "concat", "filter", "reduce", "forEach", "indexOf", "includes", "toString",
    "constructor", "return", "undefined", "Object", "String", "Number", "Array", "Math",
})  # fmt: skip
_OF_PYTHON = frozenset(name for kind in (str, bytes, list, dict, set, tuple, int, float) for name in dir(kind))
_IN_FOLDER = re.compile(r"^(?:src|lib)/|\.pyi?$|/__init__\.pyi?$")


def notice_names(tree: CodeTree, lines: Sequence[str], known: Known) -> Iterator[Finding]:
    if tree.language.indented:
        yield from _undefined(lines, known)
        yield from _misspelt_keys(tree, known)
        yield from _misspelt_attributes(tree, known)
        for node in tree.functions:
            if node.kind == "function":
                yield from _unused(tree, node)
    else:
        yield from _misspelt_names(tree, known)


def _undefined(lines: Sequence[str], known: Known) -> Iterator[Finding]:
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


def _misspelt_keys(tree: CodeTree, known: Known) -> Iterator[Finding]:
    """A key that the tests don't use and that occurs once, next to one that is nearly the same."""
    keys = [(string_value(tree, node), node) for node in tree.nodes if node.kind == "string" and is_key(node)]
    words = [(key, node) for key, node in keys if key.isidentifier()]
    return _misspelt(tree, "key", words, known.keys | _repeated(words))


def _misspelt_attributes(tree: CodeTree, known: Known) -> Iterator[Finding]:
    imported = {tree.of(node) for each in tree.nodes if each.kind == "import" for node in each.walk()}
    used = [node for node in tree.nodes if node.kind == "attribute" and tree.of(node.part("object")) not in imported]
    words = [(tree.of(node.part("member")), node) for node in used]
    return _misspelt(tree, "attribute", [each for each in words if each[0] not in _OF_PYTHON], known.attributes)


def _misspelt_names(tree: CodeTree, known: Known) -> Iterator[Finding]:
    """A name that occurs once and is nearly one that occurs more often, or that a failing test uses."""
    nodes = [node for node in tree.nodes if node.kind in {"name", "field"} and not node.within("import")]
    words = [(tree.of(node), node) for node in nodes]
    meant = _COMMON | known.keys | known.defined.keys() | _repeated(words)
    used = [each for each in words if each[1].around not in {"function", "class"}]
    # Names that differ only in case are different: Go's exported names, class names.
    return (each for each in _misspelt(tree, "name", used, meant) if each.meant.lower() != each.name.lower())


def _repeated(words: Words) -> set[str]:
    return {word for word, times in Counter(word for word, _ in words).items() if times > 1}


def _misspelt(
    tree: CodeTree, what: Literal["key", "name", "attribute"], words: Words, meant: AbstractSet[str]
) -> Iterator[Misspelt]:
    for word, node in words:
        if word and word not in meant and (near := nearest_to(word, meant)):
            yield Misspelt(tree.row(node.start) + 1, what, word, near)


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
                yield Odd(line, Fault.UNUSED_PARAMETER, name)
    outer = [each for each in scope.nodes if each.type in {"global_statement", "nonlocal_statement"}]
    read |= {tree.of(node) for each in outer for node in each.walk()}
    members = (node for node in holder.walk() if node.kind == "attribute") if holder else ()
    fields = {tree.of(node.part("member")) for node in members}
    for node in scope.variables:
        name = tree.of(node)
        if node.around == "assign" and is_target_value(node) and name not in read and not name.startswith("_"):
            fault = Fault.UNUSED_FOR_FIELD if name in fields else Fault.UNUSED_VARIABLE
            yield Odd(tree.row(node.start) + 1, fault, name)
