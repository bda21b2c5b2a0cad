"""Statements: the one at a line where a test failed, and those outside of all functions."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.syntax.blanking import blank_literals, closing_bracket
from mulligan.syntax.blocks import CodeBlock, defined_names
from mulligan.syntax.functions import CodeFunction, names_in, parse_python

MAX_LINES = 8
"""Most lines of a statement to read."""


def statement_at(path: str, lines: Sequence[str], line: int) -> str:
    """The statement in one line; a `with` statement includes the lines of its body. Empty if there is no such line."""
    if not 0 < line <= len(lines):
        return ""
    if path.endswith((".py", ".pyi")):
        return _python_statement(lines, line)
    return joined_lines(_balanced(path, lines, line))


def _python_statement(lines: Sequence[str], line: int) -> str:
    tree = parse_python("\n".join(lines))
    around = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    inner = max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)
    if inner is None or isinstance(inner, ast.FunctionDef | ast.ClassDef | ast.For | ast.While | ast.If | ast.Try):
        return lines[line - 1].strip()
    return ast.unparse(inner) if _is_short(inner) else lines[line - 1].strip()


def _is_short(node: ast.stmt) -> bool:
    return (node.end_lineno or node.lineno) - node.lineno < MAX_LINES


def _balanced(path: str, lines: Sequence[str], line: int) -> str:
    """The text from this line on, until all open brackets are closed."""
    text = "\n".join(lines[line - 1 : line - 1 + MAX_LINES])
    code = blank_literals(path, text)
    end = code.find("\n")
    at = 0
    while end >= 0:
        opening = next((index for index in range(at, end) if code[index] in "([{"), None)
        if opening is None:
            return text[:end]
        at = closing_bracket(code, opening) + 1
        end = code.find("\n", max(at, end)) if at > end else end
    return text


def joined_lines(text: str) -> str:
    """Lines joined by a space. Spaces within a line stay as they are: they may be part of a string."""
    return _BREAK.sub(" ", text.strip())


_BREAK = re.compile(r"[ \t]*[\r\n]\s*")


MAX_STATEMENT_LINES = 12
"""A longer one is not shown with a function that uses it."""


@dataclass(frozen=True, slots=True)
class TopLevel:
    """A statement, and the names that it defines in the file."""

    block: CodeBlock
    names: frozenset[str]
    sets_a_value: bool


def top_level(path: str, lines: Sequence[str], functions: Sequence[CodeFunction]) -> Iterator[TopLevel]:
    """The short statements, in the order of the file, without classes: those are shown with their methods."""
    inside = {number for each in functions for number in range(each.first, each.last + 1)}
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        last = _end_of(lines, number)
        if line[:1].strip() and number not in inside and last - number < MAX_STATEMENT_LINES and not _CLASS.match(line):
            text = "\n".join(lines[number - 1 : last])
            assigned = _ASSIGNED.match(line)
            names = names_in(path, text) if _IMPORT.match(line) else {*defined_names([line])}
            names |= {assigned[1]} if assigned else set[str]()
            grouped = {*_GROUPED.findall(text)} if _GROUP.match(line) else set[str]()
            yield TopLevel(CodeBlock(number, last), frozenset(names | grouped), bool(assigned or grouped))
        number = last + 1


def _end_of(lines: Sequence[str], number: int) -> int:
    """The last line of the statement that begins here, which includes indented lines and a closing bracket after it."""
    last = number
    while last < len(lines):
        line = lines[last]
        if not line.strip() or (line[:1].strip() and not _CLOSER.match(line)):
            break
        last += 1
    return last


_IMPORT = re.compile(r"(?:import|from|use|using)\b|(?:const|let|var)\s.*\brequire\(")
_CLASS = re.compile(r"(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\b")
_ASSIGNED = re.compile(r"(?:(?:export\s+)?(?:const|let|var)\s+)?([A-Za-z_$][\w$]*)\s*(?::[^=\n]+)?=(?!=)")
_GROUP = re.compile(r"(?:const|var) \(")
_GROUPED = re.compile(r"^\s+(\w+)(?:\s+[\w.\[\]*]+)?\s*=", re.MULTILINE)
_CLOSER = re.compile(r"[)\]}]")
