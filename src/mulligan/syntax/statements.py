"""The statement that stands at a line, on one line: what a test did when it failed."""

import ast
from collections.abc import Sequence

from mulligan.syntax.blanking import blank_literals, closing_bracket
from mulligan.syntax.functions import parse_python

LONGEST = 8
"""Lines of a statement that are read."""


def statement_at(path: str, lines: Sequence[str], line: int) -> str:
    """In one line; of a `with` its body too, line by line. Empty where there is no such line."""
    if not 0 < line <= len(lines):
        return ""
    if path.endswith((".py", ".pyi")):
        return _python_statement(lines, line)
    return _on_one_line(_balanced(path, lines, line))


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
    return (node.end_lineno or node.lineno) - node.lineno < LONGEST


def _balanced(path: str, lines: Sequence[str], line: int) -> str:
    """From the line on, until all brackets that it opens are closed."""
    text = "\n".join(lines[line - 1 : line - 1 + LONGEST])
    code = blank_literals(path, text)
    end = code.find("\n")
    at = 0
    while end >= 0:
        opening = next((place for place in range(at, end) if code[place] in "([{"), None)
        if opening is None:
            return text[:end]
        at = closing_bracket(code, opening) + 1
        end = code.find("\n", max(at, end)) if at > end else end
    return text


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
