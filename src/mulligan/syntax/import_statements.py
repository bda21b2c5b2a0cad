"""Import statements by the names that they bring in: a name that is known already is taken out of them."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from mulligan.syntax.tree_query import Source, read_code

if TYPE_CHECKING:
    from tree_sitter import Node


def imported_names(path: str, statement: str) -> frozenset[str]:
    """The names that a statement brings in. In Python, where two imports of one name are no error, with the module."""
    source = read_code(path, statement)
    return frozenset(_names(source, source.root)) if source else frozenset()


def without_names(path: str, statement: str, names: AbstractSet[str]) -> str:
    """The statement with its other names, or nothing if it brings in no others."""
    source = read_code(path, statement)
    if source is None or names.isdisjoint(imported_names(path, statement)):
        return statement
    return _rest(source, source.root, names) or ""


def joined_names(path: str, statement: str, other: str) -> str:
    """The statement with the names of the other one; nothing if they don't import from the same in the same form."""
    sources = [source for text in (statement, other) if (source := read_code(path, text))]
    lists = [found for source in sources if (found := next(_lists(source.root), None))]
    if len(lists) < 2:
        return ""
    (one, first), (two, second) = zip(sources, lists, strict=True)
    if _around(one, first) != _around(two, second):
        return ""
    end, between = first[-1].end_byte, _between(first)
    added = between.join(two.of(each) for each in second)
    return f"{one.text[:end].decode()}{between}{added}{one.text[end:].decode()}"


def _lists(node: "Node") -> Iterator[list["Node"]]:
    """The parts of a statement that may list more."""
    if node.type in _LISTS:
        yield [each for each in node.named_children if node.type != "import_from_statement" or _is_imported(each)]
    for child in node.named_children:
        yield from _lists(child)


def _around(source: Source, listed: Sequence["Node"]) -> str:
    text = source.text[: listed[0].start_byte] + source.text[listed[-1].end_byte :]
    return re.sub(r"[\s;,()]+", " ", text.decode().replace("'", '"')).strip()


def _between(listed: Sequence["Node"]) -> str:
    return "\n\t" if listed[0].type == "import_spec" else ", "


def _names(source: Source, node: "Node") -> Iterator[str]:
    name = _name(source, node)
    if name is not None:
        yield name
        return
    for child in node.named_children:
        yield from _names(source, child)


def _name(source: Source, node: "Node") -> str | None:
    """The name that a node brings in; None for one that is no single import."""
    text, parent = source.of(node), node.parent
    if parent and _is_imported(node):  # Python
        module = source.of(parent.child_by_field_name("module_name"))
        return f"{module} {text}"
    if node.type == "import_spec":  # Go
        return source.of(node.child_by_field_name("name")) or text.strip('"`').rpartition("/")[2]
    is_variable = node.type == "variable_declarator" and not re.search(r"^\s*\{", text)
    if is_variable:
        return source.of(node.child_by_field_name("name"))
    is_default = node.type == "identifier" and parent is not None and parent.type == "import_clause"
    return re.split(r"\s|:", text)[-1] if is_default or node.type in _LISTED else None


def _is_imported(node: "Node") -> bool:
    """Whether it is a name in an import statement of Python."""
    parent = node.parent
    return parent is not None and parent.type.startswith("import_") and node in parent.children_by_field_name("name")


def _rest(source: Source, node: "Node", names: AbstractSet[str]) -> str | None:
    """A node without these names; None if nothing is left of it."""
    name = _name(source, node)
    if name is not None:
        return None if name in names else source.of(node)
    parts = [child for child in node.named_children if any(_names(source, child))]
    if not parts:
        return source.of(node)
    kept = [rest for rest in (_rest(source, part, names) for part in parts) if rest is not None]
    if not kept:
        return None
    before = source.text[node.start_byte : parts[0].start_byte].decode()
    after = source.text[parts[-1].end_byte : node.end_byte].decode()
    return f"{before}{_between(parts).join(kept)}{after}"


_LISTS = frozenset({"import_from_statement", "named_imports", "object_pattern", "import_spec_list"})
_LISTED = frozenset({
    "import_specifier", "namespace_import", "pair_pattern", "shorthand_property_identifier_pattern",
})  # fmt: skip
