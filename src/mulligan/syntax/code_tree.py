"""A file's syntax tree as plain values: kinds that are the same for every grammar, units of code, and their text.

A unit is a statement, or the head of a branch, without the blocks inside: the smallest piece that people would call a
line, however it is formatted.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from mulligan.syntax.node_kinds import CHOOSING, COMPARING, KINDS, PARTS, Kind
from mulligan.syntax.tree_query import Source, read_code

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NODES = 60_000
BETWEEN = frozenset({"statement_list", "literal_element", "literal_value"})
"""Nodes that only group others; their children count as children of the parent."""
BRANCHES = frozenset({"elif", "else", "case", "catch"})
BODIES = frozenset({"consequence", "body", "alternative"})
HEADS = frozenset({"if", "else", "elif", "loop", "each"})
FUNCTIONS = frozenset({"function", "lambda"})
ATOMS = frozenset({
    "name", "field", "integer", "float", "string", "template", "true", "false", "null", "list", "map", "set", "call",
    "attribute", "subscript", "group", "comprehension", "new",
})  # fmt: skip
"""Kinds that never need brackets."""


class CodeNode:
    __slots__ = ("children", "end", "field", "index", "kind", "parent", "start", "type")

    def __init__(self, type_: str, kind: Kind, span: tuple[int, int], field: str, parent: "CodeNode | None") -> None:
        self.type = type_
        self.kind: Kind = kind
        self.start, self.end = span
        """Bytes."""
        self.field = field
        self.parent = parent
        self.children: list[CodeNode] = []
        self.index = 0
        """Its index among the children of its parent."""

    def part(self, name: str) -> "CodeNode | None":
        """A child by its name in `PARTS`."""
        for field in PARTS[name]:
            for child in self.children:
                if child.field == field:
                    return child
        return None

    @property
    def named(self) -> "list[CodeNode]":
        """The children that are not punctuation or keywords."""
        return [child for child in self.children if child.type[:1].isalpha() and not child.is_word]

    @property
    def around(self) -> Kind:
        """The kind of its parent."""
        return self.parent.kind if self.parent else ""

    @property
    def is_word(self) -> bool:
        """Whether it is a keyword. `not in` has two children, and is one."""
        plain = not self.children or self.field == "operators"
        return plain and self.kind in {"", "comment"} and self.type.replace(" ", "").isalpha()

    def walk(self) -> "Iterator[CodeNode]":
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> "Iterator[CodeNode]":
        for node in self.walk():
            if not node.children and node.kind != "comment":
                yield node

    def above(self) -> "Iterator[CodeNode]":
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self, *kinds: Kind) -> "CodeNode | None":
        """The innermost node of these kinds around this one."""
        return next((node for node in self.above() if node.kind in kinds), None)


class CodeTree:
    def __init__(self, path: str, source: Source) -> None:
        self.path = path
        self.text = source.text
        self.language = source.language
        self._starts = source.starts
        self._kinds: dict[str, Kind] = {**KINDS, **source.language.node_kinds}
        self.is_broken = source.is_broken
        self.root = self._made(source.root, "", None)

    def _made(self, node: "Node", field: str, parent: CodeNode | None) -> CodeNode:
        while node.type == "expression_list" and node.child_count == 1:  # in Go, even a single expression is a list
            node = node.children[0]
        made = CodeNode(node.type, self._kind(node), (node.start_byte, node.end_byte), field, parent)
        self._fill(made, node)
        for index, child in enumerate(made.children):
            child.index = index
        return made

    def _fill(self, made: CodeNode, node: "Node") -> None:
        for index, child in enumerate(node.children):
            if child.type in BETWEEN:
                self._fill(made, child)
            else:
                made.children.append(self._made(child, node.field_name_for_child(index) or "", made))

    def _kind(self, node: "Node") -> Kind:
        kind: Kind = self._kinds.get(node.type, "")
        if not node.is_named:
            return ""
        if kind == "arithmetic":
            sign = node.child_by_field_name("operator")
            text = self.of_bytes(sign.start_byte, sign.end_byte) if sign else ""
            return "comparison" if text in COMPARING else "boolean" if text in CHOOSING else kind
        if kind == "unary":
            sign = node.children[0].type
            return "not" if sign == "!" else "negative" if sign == "-" else kind
        if kind == "assign" and (sign := node.child_by_field_name("operator")):
            return "assign" if sign.type == "=" else "augment"
        if kind == "loop" and any(child.type == "range_clause" for child in node.children):
            return "each"
        if node.type == "for_statement" and node.child_by_field_name("right"):
            return "each"
        return "float" if kind == "integer" and b"." in self.text[node.start_byte : node.end_byte] else kind

    def of(self, node: CodeNode | None) -> str:
        return self.of_bytes(node.start, node.end) if node else ""

    def of_bytes(self, start: int, end: int) -> str:
        return self.text[start:end].decode("utf-8", "replace")

    def plain(self, node: CodeNode) -> str:
        """The node's text without white space, for comparisons."""
        return " ".join(self.of(leaf) for leaf in node.leaves())

    def row(self, offset: int) -> int:
        """From 0."""
        return bisect_right(self._starts, offset) - 1

    def line_start(self, offset: int) -> int:
        return self._starts[self.row(offset)]

    def indent(self, node: CodeNode) -> str:
        """The indentation of its line."""
        start = self.line_start(node.start)
        line = self.of_bytes(start, node.start)
        return line[: len(line) - len(line.lstrip())]

    def begins_line(self, node: CodeNode) -> bool:
        return not self.text[self.line_start(node.start) : node.start].strip()

    @cached_property
    def step(self) -> str:
        """One level of indentation in this file."""
        indents = {self.indent(unit) for unit in self.units if self.begins_line(unit)} - {""}
        return min(indents, key=len, default="    ")

    @cached_property
    def nodes(self) -> list[CodeNode]:
        return list(self.root.walk())

    @cached_property
    def units(self) -> list[CodeNode]:
        return [node for node in self.nodes if is_unit(node)]

    @cached_property
    def functions(self) -> list[CodeNode]:
        return [node for node in self.nodes if node.kind in FUNCTIONS]

    def units_at(self, row: int) -> list[CodeNode]:
        """Units with nodes of their own on a row, counted from 0."""
        start = self._starts[row] if row < len(self._starts) else len(self.text)
        end = self._starts[row + 1] if row + 1 < len(self._starts) else len(self.text)
        return [
            unit
            for unit in self.units
            if unit.start < end and unit.end > start and any(start <= node.start < end for node in own_nodes(unit))
        ]


def is_unit(node: CodeNode) -> bool:
    if node.kind in BRANCHES:
        return True
    parent = node.parent
    if parent is None or node.kind in {"comment", "block"} or not node.type[:1].isalpha() or node.is_word:
        return False
    if parent.kind in {"block", "root"} or (parent.kind == "case" and node.field != "value"):
        return True
    return parent.kind in HEADS and node.field in BODIES and node.kind not in BRANCHES


def own_nodes(unit: CodeNode) -> Iterator[CodeNode]:
    """All nodes of a unit that don't belong to a unit inside of it."""
    yield unit
    for child in unit.children:
        if not is_unit(child) and child.kind != "comment":
            yield from own_nodes(child)


def unit_of(node: CodeNode) -> CodeNode:
    found = node
    while not is_unit(found) and found.parent is not None:
        found = found.parent
    return found


def block_of(unit: CodeNode) -> list[CodeNode]:
    """The units of its block, including itself."""
    return units_in(unit.parent) if unit.parent else [unit]


def units_in(block: CodeNode | None) -> list[CodeNode]:
    return [child for child in block.children if is_unit(child)] if block else []


def is_text(unit: CodeNode) -> bool:
    """Whether a statement is only a string, as a docstring is."""
    return unit.kind == "expression" and bool(unit.named) and unit.named[0].kind == "string"


def bodies_of(unit: CodeNode) -> list[CodeNode]:
    return [child for child in unit.children if child.kind == "block"]


def unbracketed(node: CodeNode) -> CodeNode:
    """Without the brackets around it."""
    while node.kind == "group" and len(node.named) == 1:
        node = node.named[0]
    return node


@lru_cache(maxsize=48)
def code_tree(path: str, text: str) -> CodeTree | None:
    """None if there is no grammar for the file, or if it is too large to be written by hand."""
    source = read_code(path, text)
    if source is None or len(source.text) > MAX_NODES * 5:
        return None
    try:
        return CodeTree(path, source)
    except RecursionError:  # nested too deeply
        return None
