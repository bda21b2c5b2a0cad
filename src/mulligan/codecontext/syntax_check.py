"""Whether an edit broke a file's syntax, and where."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from mulligan.core.line_diff import changed_blocks
from mulligan.ports.code import SyntaxProblem
from mulligan.syntax.grammars import TooSlow, parse
from mulligan.syntax.registry import grammars_for
from mulligan.syntax.tree_query import SLOWEST
from mulligan.types.frozen import frozen

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_FILE_BYTES = 1_000_000
"""Larger files are not parsed."""
MAX_COUNTED = 1_000
"""Most problems to count in one text: a file with more is broken, or not code at all."""
MAX_REPORTED = 5
MAX_LINE_CHARS = 200

COMMENTED_JSON = re.compile(
    r"(?:^|/)(?:[jt]sconfig[^/]*\.json|[^/]+\.jsonc|\.eslintrc\.json|devcontainer\.json|\.vscode/[^/]+\.json)$"
)
"""JSON files that may contain comments and trailing commas, by name."""


@frozen
class _Problem:
    first: int
    """Row, from 0."""
    last: int


class TreeSitterSyntax:
    """The `SyntaxCheck` for all languages that have a grammar.

    A grammar may not cover all of its language, so a problem alone means nothing: problems are only reported if the
    text has more of them than before.
    """

    def new_problems(self, path: str, before: str | None, after: str) -> tuple[SyntaxProblem, ...]:
        keys = [grammar.key for grammar in grammars_for(path)]
        if not keys or max(len(after), len(before or "")) > MAX_FILE_BYTES:
            return ()
        try:
            if len(keys) > 1:
                # A header may be C or C++: the language that it was written in gives fewer problems.
                written = after if before is None else before
                keys.sort(key=lambda grammar: len(_problems(path, grammar, written)))
            return _new_problems(path, keys[0], before, after)
        except TooSlow:  # probably not code
            return ()


def _new_problems(path: str, grammar: str, before: str | None, after: str) -> tuple[SyntaxProblem, ...]:
    now = _problems(path, grammar, after)
    if not now:
        return ()
    more = len(now) - (len(_problems(path, grammar, before)) if before is not None else 0)
    if more <= 0:
        return ()
    rows = after.split("\n")
    changed = _changed_rows((before or "").split("\n"), rows)
    found = {_with_text(_reported_row(problem, changed), rows) for problem in now}
    rows_found = sorted(found, key=lambda row: (_distance(row, changed), row))
    nearest = sorted(rows_found[: min(more, MAX_REPORTED)])
    return tuple(SyntaxProblem(row + 1, _shown(rows[row])) for row in nearest)


def _problems(path: str, grammar: str, text: str) -> list[_Problem]:
    source = text.encode("utf-8", "replace")
    root = parse(grammar, source, SLOWEST).root_node
    commented = bool(COMMENTED_JSON.search(path.replace("\\", "/").lower()))
    # Not `node.start_point`: in tree-sitter 0.26.0 it frees integers that are still in use.
    found = (
        _Problem(source.count(b"\n", 0, node.start_byte), source.count(b"\n", 0, node.end_byte))
        for node in _suspects(root, every=grammar == "json" and not commented)
        if _is_problem(node, grammar, source, commented=commented)
    )
    return list(islice(found, MAX_COUNTED))


def _is_problem(node: "Node", grammar: str, source: bytes, *, commented: bool) -> bool:
    if node.is_error:
        return not (commented and source[node.start_byte : node.end_byte] == b",")
    if node.is_missing:
        return not (commented and _follows_comma(node, source))
    # The JSON grammar accepts comments, which plain JSON does not allow.
    if grammar == "json" and node.type == "comment":
        return not commented
    # The missing token may be one that the tree does not show.
    return node.has_error and node.child_count == 0


def _follows_comma(node: "Node", source: bytes) -> bool:
    return source[max(0, node.start_byte - MAX_LINE_CHARS) : node.start_byte].rstrip().endswith(b",")


def _suspects(root: "Node", *, every: bool) -> Iterator["Node"]:
    """Nodes with an error, or that may contain one; or all nodes. No recursion, because nesting is unbounded."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is None:
            return
        yield node
        if (every or node.has_error) and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _changed_rows(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """First and last rows of changed blocks in the new text. For removed lines, the row that follows."""
    return [(block.b_start, max(block.b_start, block.b_end - 1)) for block in changed_blocks(before, after)]


def _reported_row(problem: _Problem, changed: list[tuple[int, int]]) -> int:
    """The row to report: in a problem of many lines, the first one that was changed."""
    for first, last in changed:
        if first <= problem.last and last >= problem.first:
            return max(first, problem.first)
    return problem.first


def _with_text(row: int, rows: list[str]) -> int:
    """The last line that is not blank: something missing is found at the end of the text, where lines may be blank."""
    while row and not rows[row].strip():
        row -= 1
    return row


def _distance(row: int, changed: list[tuple[int, int]]) -> int:
    return min((max(first - row, row - last, 0) for first, last in changed), default=0)


def _shown(line: str) -> str:
    text = line.rstrip("\r")
    return text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]}…"
