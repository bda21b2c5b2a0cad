"""Bugs planted into real code: one small change to the syntax tree, chosen by a seed."""

import ast
import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//", ast.Div: "*"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planted:
    path: str
    line: int
    before: str
    after: str
    """The text of the whole file."""
    what: str
    """Such as `< became <=`."""


def plant(path: str, text: str, lines: Collection[int]) -> Iterator[Planted]:
    """All small changes of statements on these lines, within functions, that still parse."""
    for function in (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)):
        for node in (each for statement in function.body for each in ast.walk(statement)):
            if getattr(node, "lineno", 0) not in lines:
                continue
            for old, new, what in _changes(node, text):
                after = _spliced(text, node, old, new)
                if after is not None and after != text and _parses(after):
                    yield Planted(path, node.lineno, text, after, what)  # pyright: ignore[reportAttributeAccessIssue]


def drawn(found: Mapping[str, list[Planted]], seed: str) -> list[Planted]:
    """In an order that the seed gives; each function and kind of change is as likely as another."""
    by_place: dict[tuple[str, int, str], Planted] = {}
    for each in (each for planted in found.values() for each in planted):
        by_place.setdefault((each.path, each.line, each.what), each)
    places = sorted(by_place)
    random.Random(seed).shuffle(places)
    return [by_place[place] for place in places]


def _changes(node: ast.AST, text: str) -> Iterator[tuple[str, str, str]]:
    """Old and new text of the node, and what that is called."""
    old = ast.get_source_segment(text, node) if isinstance(node, ast.expr | ast.stmt) else None
    if old is None:
        return
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and (swapped := COMPARISONS.get(type(node.ops[0]))):
        yield old, _joined(node.left, swapped, node.comparators[0]), f"comparison became {swapped}"
    if isinstance(node, ast.BinOp) and (swapped := OPERATORS.get(type(node.op))):
        yield old, _joined(node.left, swapped, node.right), f"operator became {swapped}"
    if isinstance(node, ast.BoolOp):
        word = "or" if isinstance(node.op, ast.And) else "and"
        yield old, f" {word} ".join(f"({ast.unparse(each)})" for each in node.values), f"became {word}"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield old, str(node.value + 1), "a number is one more"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield old, str(not node.value), "True and False"
    if isinstance(node, ast.If | ast.While):
        yield ast.get_source_segment(text, node.test) or "", f"not ({ast.unparse(node.test)})", "a condition is negated"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield old, f"({ast.unparse(node.operand)})", "`not` is gone"
    if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        yield old, "return None", "nothing is returned"
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield old, "pass", "a statement is gone"
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        first, second = (ast.unparse(each) for each in node.args)
        yield old, f"{ast.unparse(node.func)}({second}, {first})", "arguments are swapped"


def _joined(left: ast.expr, operator: str, right: ast.expr) -> str:
    return f"({ast.unparse(left)}) {operator} ({ast.unparse(right)})"


def _spliced(text: str, node: ast.AST, old: str, new: str) -> str | None:
    """The text with `old`, which stands where the node begins or after it, replaced."""
    rows = text.splitlines(keepends=True)
    line, column = node.lineno, node.col_offset  # pyright: ignore[reportAttributeAccessIssue]
    start = sum(map(len, rows[: line - 1])) + len(rows[line - 1].encode()[:column].decode())
    at = text.find(old, start)
    return text[:at] + new + text[at + len(old) :] if old and at >= 0 else None


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
