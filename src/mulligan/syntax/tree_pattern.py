"""Patterns over syntax trees, written as code with holes: `[$ITEM] * $COUNT` matches code in any layout.

`$NAME` matches one node, `$$NAME` any number of them in a row. A name that occurs twice must match the same code.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mulligan.syntax.code_tree import ATOMS, CodeNode, CodeTree, code_tree, unbracketed

Bound = Mapping[str, tuple[CodeNode, ...]]

_HOLE = re.compile(r"\$(\$?)([A-Z]+)")
_EMPTY = re.compile(r",\s*\0|\0\s*,\s*|\0")
"""An empty hole, with one of the commas next to it."""
_ONE, _MANY = "Qone_", "Qmany_"
_TIGHT = frozenset("+-*/%.<>=!&|")


@dataclass(frozen=True, eq=False)
class TreePattern:
    tree: CodeTree
    node: CodeNode

    def match(self, tree: CodeTree, node: CodeNode, known: Bound | None = None) -> Bound | None:
        return next(_matched(self, tree, self.node, node, dict(known or {})), None)

    def found_in(self, tree: CodeTree, node: CodeNode, known: Bound) -> bool:
        return any(self.match(tree, each, known) is not None for each in node.walk() if each.type == self.node.type)


@lru_cache(maxsize=512)
def tree_pattern(path: str, written: str) -> TreePattern:
    """The pattern, parsed with the grammar of a file of this name: an expression, or else a statement."""
    code = _HOLE.sub(lambda hole: f"{_MANY if hole[1] else _ONE}{hole[2]}", written)
    for text in (f"q = {code}", code):
        tree = code_tree(path, text)
        if tree is not None and not tree.is_broken:
            node = tree.root.named[0]
            while node.kind == "expression" and len(node.named) == 1:
                node = node.named[0]
            value = node.part("right") if text != code else node
            if value is not None:
                lone = value.kind == "tuple" and len(value.children) == 1
                return TreePattern(tree, value.children[0] if lone else value)
    raise ValueError(f"{written} is no code of {path}")


def filled(template: str, tree: CodeTree, bound: Bound) -> str:
    """The template with its holes filled, in brackets if the code around a hole binds more tightly."""

    def text_of(hole: re.Match[str]) -> str:
        nodes = bound[hole[2]]
        text = tree.of_bytes(nodes[0].start, nodes[-1].end)
        before, behind = template[: hole.start()].rstrip()[-1:], template[hole.end() :].lstrip()[:1]
        tight = (before in _TIGHT and before != "=") or behind in _TIGHT
        return f"({text})" if tight and len(nodes) == 1 and nodes[0].kind not in ATOMS else text

    # Only the template's own commas go with an empty hole: those of the user's code may be in a string or a tuple.
    template = _EMPTY.sub("", _HOLE.sub(lambda hole: hole[0] if bound[hole[2]] else "\0", template))
    return _HOLE.sub(text_of, template)


def _matched(
    pattern: TreePattern, tree: CodeTree, wanted: CodeNode, node: CodeNode, bound: dict[str, tuple[CodeNode, ...]]
) -> Iterator[dict[str, tuple[CodeNode, ...]]]:
    text = pattern.tree.of(wanted)
    if wanted.kind == "expression" and text.startswith(_ONE) and text.isidentifier():  # any statement
        wanted = wanted.children[0]
    if not wanted.children and text.startswith(_ONE):
        name = text.removeprefix(_ONE)
        if (node.kind or node.type[:1].isalpha()) and not node.is_word and _is_same(tree, bound.get(name), (node,)):
            yield {**bound, name: (node,)}
        return
    if wanted.kind != "group":
        node = unbracketed(node)
    if wanted.type != node.type:
        return
    if not wanted.children or wanted.kind == "string":
        if _plain(text) == _plain(tree.of(node)):
            yield bound
        return
    yield from _in_row(pattern, tree, _meaning(wanted), _meaning(node), bound)


def _in_row(
    pattern: TreePattern,
    tree: CodeTree,
    wanted: Sequence[CodeNode],
    nodes: Sequence[CodeNode],
    bound: dict[str, tuple[CodeNode, ...]],
) -> Iterator[dict[str, tuple[CodeNode, ...]]]:
    if not wanted:
        if not nodes:
            yield bound
        return
    text = pattern.tree.of(wanted[0])
    if text.startswith(_MANY) and text.isidentifier():
        name = text.removeprefix(_MANY)
        for end in range(len(nodes), -1, -1):
            taken = tuple(nodes[:end])
            rest = list(wanted[1:])
            if not taken and rest and rest[0].type == ",":
                rest = rest[1:]
            if _is_same(tree, bound.get(name), taken):
                yield from _in_row(pattern, tree, rest, nodes[end:], {**bound, name: taken})
        return
    if nodes:
        for more in _matched(pattern, tree, wanted[0], nodes[0], bound):
            yield from _in_row(pattern, tree, wanted[1:], nodes[1:], more)


def _meaning(node: CodeNode) -> list[CodeNode]:
    """The children that carry meaning: no comments, semicolons or trailing comma."""
    found = [child for child in node.children if child.kind != "comment" and child.type not in {";", "\n"}]
    if len(found) > 1 and found[-1].type in {")", "]", "}"} and found[-2].type == ",":
        del found[-2]
    return found


def _is_same(tree: CodeTree, one: tuple[CodeNode, ...] | None, other: tuple[CodeNode, ...]) -> bool:
    return one is None or [tree.plain(each) for each in one] == [tree.plain(each) for each in other]


def _plain(text: str) -> str:
    return text.replace("'", '"')
