"""The same code in another layout: compact as people type it in a hurry, and spread as formatters write it.

Tokens are leaves of the syntax tree, strings and templates whole, so that nothing but the space between them changes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.syntax.code_tree import CodeNode, CodeTree, code_tree

WHOLE = frozenset({"string", "template", "regex", "comment"})
SIGNED = frozenset("+-*/%<>=!&|^~?:@")
OPERATIONS = frozenset({"arithmetic", "comparison", "boolean", "assign", "augment", "declare"})
MIN_SPREAD = 2
"""Items that are put on lines of their own."""


@dataclass(frozen=True, slots=True)
class Reformatted:
    text: str
    rows: dict[int, int]
    """Where what stood on a line stands now; both from 1."""


def compact(path: str, text: str) -> Reformatted:
    """No space but between words, and where signs would run into each other."""
    return _laid_out(path, text, spread=False)


def spread(path: str, text: str) -> Reformatted:
    """Spaces around signs, and every item of a list, a call or a literal on a line of its own."""
    return _laid_out(path, text, spread=True)


def _laid_out(path: str, text: str, *, spread: bool) -> Reformatted:
    tree = code_tree(path, text)
    if tree is None or tree.is_broken:
        return Reformatted(text, {})
    opened = {id(node) for node in _spread_lists(tree)} if spread else set[int]()
    made, rows, place = "", dict[int, int](), 0
    before: CodeNode | None = None
    for leaf in _tokens(tree.root):
        gap = tree.of_bytes(place, leaf.start)
        written = tree.of(leaf)
        made += _gap(tree, gap, before, leaf, opened, spread=spread)
        rows.setdefault(tree.row(leaf.start) + 1, made.count("\n") + 1)
        made += written
        before, place = leaf, leaf.end
    return Reformatted(made + tree.of_bytes(place, len(tree.text)), rows)


def _gap(tree: CodeTree, gap: str, before: CodeNode | None, leaf: CodeNode, opened: set[int], *, spread: bool) -> str:
    if before is None or "\n" in gap or "comment" in {before.kind, leaf.kind}:
        return gap
    indent = tree.indent(before)
    deeper = f"\n{indent}{tree.step}"
    begins = before.parent is not None and (before is before.parent.children[0] or before.type == ",")
    if id(before.parent) in opened and begins:
        return deeper
    if id(leaf.parent) in opened and leaf.parent is not None and leaf is leaf.parent.children[-1]:
        return f",\n{indent}"
    left, right = tree.of(before)[-1:], tree.of(leaf)[:1]
    if spread:
        sign = _is_operation(before) or _is_operation(leaf)
        return " " if sign and (gap or left not in "([") else gap
    words = (left.isalnum() or left in "_$") and (right.isalnum() or right in "_$")
    quoted = (left.isalnum() or left == "_") and right in "'\"`"
    keyword = before.is_word and right not in ")]},;:."
    signs = left in SIGNED and right in SIGNED
    return " " if gap and (words or quoted or keyword or signs or leaf.is_word) else ""


def _is_operation(leaf: CodeNode) -> bool:
    parent = leaf.parent
    return parent is not None and parent.kind in OPERATIONS and not leaf.type[:1].isalpha() and leaf.kind == ""


def _spread_lists(tree: CodeTree) -> Iterator[CodeNode]:
    """Lists on one line, the outermost alone, that may end in a comma."""
    for node in tree.root.walk():
        if node.kind not in {"arguments", "list", "map"} or tree.row(node.start) != tree.row(node.end - 1):
            continue
        inner = [child for child in node.children if child.type == ","]
        ended = len(node.children) > 2 and node.children[-2].type == ","
        nested = any(up.kind in {"arguments", "list", "map", "hole", "template", "string"} for up in node.above())
        if len(inner) >= MIN_SPREAD - 1 and not ended and not nested:
            yield node


def _tokens(node: CodeNode) -> Iterator[CodeNode]:
    if not node.children or node.kind in WHOLE:
        if node.end > node.start:
            yield node
        return
    for child in node.children:
        yield from _tokens(child)
