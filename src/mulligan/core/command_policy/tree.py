"""Parses a command line into a syntax tree, with the grammar of bash."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LETTERS = re.compile(rb"[\x80-\xff]")
"""Bytes of non-ASCII letters. To a shell they are ordinary letters; some of them make the grammar read outside its
tables and crash the process."""


def parse(source: bytes) -> "Node":
    return _parser().parse(_LETTERS.sub(b"x", source)).root_node


def walk(root: "Node") -> Iterator[tuple[bool, "Node"]]:
    """Visits every node twice: when it begins and when it ends. Without recursion, since nesting is unbounded."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is None:
            return
        yield True, node
        if cursor.goto_first_child():
            continue
        yield False, node
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent() or cursor.node is None:
                return
            yield False, cursor.node


@cache
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))
