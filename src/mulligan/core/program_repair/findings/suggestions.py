"""Changes that findings call for directly: an import, a name instead of one that is nearly the same."""

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname, relpath

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.findings.finding import MissingImport, Misspelt, UndefinedName
from mulligan.core.program_repair.rules.rule_book import rule_book
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree, is_text, unit_of
from mulligan.syntax.expressions import items_of, string_value

Suggestion = tuple[CodeTree, CodeNode, Edit]
"""A change, and the unit it belongs to."""

_UNKNOWN = re.compile(r"\b([A-Za-z_$][\w$]*) is not defined|\bundefined: ([A-Za-z_]\w*)")
_NOT_EXPORTED = re.compile(r"does not provide an export named '([\w$]+)'")
_OF_NODE = frozenset({"assert", "crypto", "fs", "os", "path", "url", "util"})


def suggestions(brief: Brief, facts: RepairFacts) -> Iterator[Suggestion]:
    for hint in brief.hints:
        tree = facts.trees.get(hint.location.path)
        if tree is None:
            continue
        match hint.finding:
            case MissingImport() as missing:
                yield _imported(tree, missing)
            case UndefinedName(name=name, meant=meant) | Misspelt(name=name, meant=meant) if meant:
                yield from _renamed(tree, name, meant, hint.location.line)
            case _:
                pass
    failures = "\n".join(brief.failures)
    unknown = dict.fromkeys(one or other for one, other in _UNKNOWN.findall(failures))
    for tree in facts.trees.values():
        used = {tree.of(node) for node in tree.nodes if node.kind == "name"}
        for name in unknown:
            yield from _unknown(tree, name, facts) if name in used else ()
        for name in dict.fromkeys(_NOT_EXPORTED.findall(failures)):
            yield from (_put(tree, node.start, "export ", "finding.export") for node in _defining(tree, name))


def _put(tree: CodeTree, offset: int, text: str, operator: str = "finding.import", *features: str) -> Suggestion:
    return tree, tree.units[0] if tree.units else tree.root, Edit(operator, ((offset, offset, text),), features)


def _imported(tree: CodeTree, missing: MissingImport) -> Suggestion:
    """The name added to an import of the same module if there is one, else a new line."""
    imports = [node for node in tree.root.children if node.kind == "import"]
    for node in imports:
        names = [child for child in node.children if child.field == "name"]
        if missing.module and names and tree.of(node.children[1]) == missing.module:
            return _inserted(tree, names, missing.name)
    own = [node for node in imports if "__future__" not in tree.of(node)]
    if own:
        return _put(tree, own[0].start, f"{missing.statement}\n")
    units = [unit for unit in tree.root.named if unit.kind not in {"import", "comment"} and not is_text(unit)]
    return _put(tree, units[0].start if units else len(tree.text), f"{missing.statement}\n\n\n")


def _inserted(tree: CodeTree, names: Sequence[CodeNode], name: str) -> Suggestion:
    """At its position if the names are sorted, else after them."""
    written = [tree.of(each) for each in names]
    later = next((each for each in names if tree.of(each) > name), None) if written == sorted(written) else None
    if later is not None:
        return _put(tree, later.start, f"{name}, ")
    return _put(tree, names[-1].end, f", {name}")


def _renamed(tree: CodeTree, wrong: str, right: str, line: int) -> Iterator[Suggestion]:
    """At the line where it was noticed, then everywhere in the file."""
    words = (node for node in tree.nodes if node.kind in {"name", "field", "string"})
    found = [node for node in words if (string_value(tree, node) if node.kind == "string" else tree.of(node)) == wrong]
    here = [node for node in found if tree.row(node.start) == line - 1]
    for nodes, name in ((here, "finding.name"), (found, "finding.name_everywhere")):
        pieces = tuple((each.start, each.end, tree.of(each).replace(wrong, right)) for each in nodes)
        if pieces:
            yield tree, unit_of(nodes[0]), Edit(name, pieces)


def _unknown(tree: CodeTree, name: str, facts: RepairFacts) -> Iterator[Suggestion]:
    """JavaScript, TypeScript and Go, whose runners name undefined names."""
    imports = [node for node in tree.root.children if node.kind == "import"]
    if tree.language.name == "Go":
        package = rule_book("Go").modules.get(name)
        group = next((each for node in imports for each in node.walk() if each.type == "import_spec_list"), None)
        if package and group:
            yield _put(tree, group.start + 1, f'\n\t"{package}"')
        elif package and imports:
            yield _put(tree, imports[0].end, f'\n\nimport "{package}"')
        return
    if tree.language.name != "JavaScript" or any(_defining(tree, name)):
        return
    plain = b"require(" in tree.text or b"module.exports" in tree.text
    statement = 'const {} = require("{}");\n' if plain else 'import {} from "{}";\n'
    for other in facts.trees.values():
        if other is tree or not any(_defining(other, name)):
            continue
        module = relpath(other.path, dirname(tree.path) or ".")
        module = module if module.startswith(".") else f"./{module}"
        for node in imports:
            held = next((each for each in node.walk() if each.type == "named_imports"), None)
            source = next((string_value(tree, each) for each in node.children if each.kind == "string"), "")
            if held and items_of(held) and source.removesuffix(".js") == module.removesuffix(".js"):
                yield _inserted(tree, items_of(held), name)
        yield _put(tree, 0, statement.format(f"{{ {name} }}", module), "finding.import", "new")
    if name in _OF_NODE:
        yield _put(tree, 0, statement.format(name, f"node:{name}"), "finding.import", "new")


def _defining(tree: CodeTree, name: str) -> Iterator[CodeNode]:
    """Statements of the file that define a name."""
    for unit in tree.root.named:
        inner = unit.named[-1] if unit.kind == "wrapper" and unit.named else unit
        held = [inner, *(child for child in inner.named if child.kind == "declare")]
        if any(tree.of(each.part("name")) == name for each in held):
            yield unit
