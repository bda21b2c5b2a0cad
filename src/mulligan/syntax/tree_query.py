"""A file's text as parsed by its grammar: what it defines, what it imports, and which parts are not code.

The query of a grammar has these captures: `@name` is the name of what is defined; the other capture of the pattern is
the whole definition, and gives the kind of symbol. In addition to the kinds of `SymbolKind`, there are

- `@value`: a constant, a variable or a type, depending on its spelling,
- `@prototype`: a function or method without a body, such as one that is defined elsewhere; not inside of a function,
- `@local`: a function that is not a symbol of the file, such as one assigned to a variable in another function,
- `@namespace`: a module whose name may have several parts,
- `@inside`: not a symbol itself, but the parent of what it contains (`impl Name { … }`),
- `@import`, and `@parent` for a parent that does not enclose the definition (the receiver of a Go method),
- `@text`: comments and the contents of strings. Names in them are not references.

If several patterns match one name, the first counts. A grammar has one query: two would take half as long again.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple

from mulligan.syntax.grammars import TooSlow, load, parse
from mulligan.syntax.registry import grammars, grammars_for, language_with

if TYPE_CHECKING:
    from tree_sitter import Node, Query

SLOWEST = 5.0
"""Seconds for one text, if somebody waits for it."""
MAX_TEXT_BYTES = 20_000
"""Most bytes of an import, and of a docstring, of which only the first line counts."""
MAX_PUNCTUATION_RUN = 1_000
"""Most brackets and commas in a row. A query scans from each of them to the last."""
MAX_DEPTH = 1_000
"""Most nested nodes. A query descends all the way from many of them."""
HOLDERS = frozenset({"class", "interface", "struct", "enum", "trait", "inside"})
"""A function in one of these is a method."""


class Match(NamedTuple):
    pattern: int
    what: str
    """The capture that gives the kind."""
    node: "Node"
    name: "Node | None"
    parent: "Node | None"


class Source:
    """A parsed text. Raises `TooSlow` if the time is limited.

    Rows and columns are computed from bytes: `Node.start_point` and `end_point` of tree-sitter 0.26.0 free integers
    that are still in use, which crashes the process sooner or later.
    """

    def __init__(self, grammar: str, text: bytes, seconds: float | None = None) -> None:
        self.grammar = grammar
        self.language = language_with(grammar)
        self.text = text
        self.starts = [*accumulate((len(line) + 1 for line in text.split(b"\n")[:-1]), initial=0)]
        self._tree = parse(grammar, text, seconds)
        self.root = self._tree.root_node
        is_code = _can_be_queried(self.root)
        self.is_broken = self.root.has_error or not is_code
        self.matches: list[Match] = []
        """Definitions and imports."""
        self.no_code: list[Node] = []
        if is_code:
            self._query()

    def _query(self) -> None:
        from tree_sitter import QueryCursor

        for pattern, captures in QueryCursor(_query_of(self.grammar)).matches(self.root):
            if "text" in captures:
                self.no_code += captures["text"]
                continue
            names, parents = captures.pop("name", ()), captures.pop("parent", ())
            what = next(each for each in captures if not each.startswith("_"))
            node = captures[what][0]
            parent = parents[0] if parents else None
            self.matches.extend(Match(pattern, what, node, name, parent) for name in names or (None,))

    def row(self, offset: int) -> int:
        """From 0."""
        return bisect_right(self.starts, offset) - 1

    def last_row(self, node: "Node") -> int:
        return self.row(max(node.start_byte, node.end_byte - 1))

    def of(self, node: "Node | None") -> str:
        if node is None:
            return ""
        return self.text[node.start_byte : min(node.end_byte, node.start_byte + MAX_TEXT_BYTES)].decode(
            "utf-8", "replace"
        )

    def definitions(self) -> list[Match]:
        """One for each name, in the order of the file; outer definitions before inner ones."""
        best: dict[int, Match] = {}
        for match in self.matches:
            if match.name is not None and match.name.start_byte < match.name.end_byte:
                known = best.get(match.name.start_byte)
                if known is None or match.pattern < known.pattern:
                    best[match.name.start_byte] = match
        return [best[place] for place in sorted(best, key=lambda place: (*_outermost_first(best[place].node), place))]

    def name_of(self, match: Match) -> tuple[str, str]:
        """The name alone, and its parent, from the name's prefix or from `@parent`."""
        written, scope_mark = self.of(match.name), self.language.scope_mark
        if match.what == "namespace":
            return written.replace(scope_mark, "."), ""
        if scope_mark:
            # Template arguments may contain the mark, too.
            begin, end = written.find("<"), written.rfind(">")
            without_generics = written[:begin] + written[end + 1 :] if 0 <= begin < end else written
            scope, _, name = without_generics.rpartition(scope_mark)
            return name.strip(), scope.replace(scope_mark, ".")
        return written.strip("\"'"), self.of(match.parent)


def read_code(path: str, text: str) -> Source | None:
    """Parse the text of a file; None if there is no grammar for it, or it takes too long."""
    data = text.encode("utf-8", "replace")
    grammar = written_in(path, data)
    try:
        return Source(grammar, data, SLOWEST) if grammar else None
    except TooSlow:  # probably not code
        return None


def written_in(path: str, text: bytes) -> str | None:
    """The key of the grammar for a file, by its name; if that fits several, by its text."""
    found = [grammar for grammar in grammars_for(path) if grammar.query]
    matching = [grammar for grammar in found[1:] if re.search(grammar.recognized_by, text)]
    return (matching or found)[0].key if found else None


def body_of(node: "Node") -> "Node | None":
    """The body of a function or class, also of one that is assigned to a name."""
    body = node.child_by_field_name("body")
    if body is None and (value := node.child_by_field_name("value") or node.child_by_field_name("right")):
        body = value.child_by_field_name("body")
    return body


@cache
def _query_of(grammar: str) -> "Query":
    from tree_sitter import Query

    return Query(load(grammar), grammars()[grammar].query)


def _can_be_queried(root: "Node") -> bool:
    """Whether a query would not take hours: text that is not code may be one node with a million brackets in a row."""
    nodes = [(root, 0)]
    while nodes:
        node, depth = nodes.pop()
        if depth > MAX_DEPTH:
            return False
        children: Sequence[Node] = node.children
        if node.child_count - node.named_child_count > MAX_PUNCTUATION_RUN:
            runs = groupby(children, lambda child: child.is_named)
            if any(not is_named and sum(1 for _ in run) > MAX_PUNCTUATION_RUN for is_named, run in runs):
                return False
        nodes += [(child, depth + 1) for child in children if child.end_byte - child.start_byte > MAX_PUNCTUATION_RUN]
    return True


def _outermost_first(node: "Node") -> tuple[int, int]:
    return node.start_byte, -node.end_byte
