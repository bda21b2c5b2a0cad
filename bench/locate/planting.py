"""Bugs planted into real code: one small change to the syntax tree, chosen by a seed."""

import ast
import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//", ast.Div: "*"
}  # fmt: skip


Change = tuple[ast.expr | ast.stmt, str, str]
"""The node that is replaced, its new text, and what that is called."""


@dataclass(frozen=True, slots=True)
class Planted:
    path: str
    line: int
    before: str
    after: str
    """The text of the whole file."""
    what: str
    """Such as `comparison became <=`."""


def planted(texts: Mapping[str, str], lines: Mapping[str, Collection[int]], seed: str) -> Iterator[Planted]:
    """Small changes of statements on these lines, within functions, in an order that the seed gives. Each line and kind
    of change is as likely as another."""
    places: dict[tuple[str, int, str], Change] = {}
    for path, text in texts.items():
        for node in _in_functions(ast.parse(text)):
            if isinstance(node, ast.expr | ast.stmt) and node.lineno in lines[path]:
                for change in _changes(node):
                    places.setdefault((path, node.lineno, change[2]), change)
    order = sorted(places)
    random.Random(seed).shuffle(order)
    for path, line, what in order:
        node, new, _ = places[path, line, what]
        after = _spliced(texts[path], node, new)
        if after != texts[path] and _parses(after):
            yield Planted(path, line, texts[path], after, what)


def _in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from (node for statement in function.body for node in ast.walk(statement))


def _changes(node: ast.expr | ast.stmt) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and (swapped := COMPARISONS.get(type(node.ops[0]))):
        yield node, _joined(node.left, swapped, node.comparators[0]), f"comparison became {swapped}"
    if isinstance(node, ast.BinOp) and (swapped := OPERATORS.get(type(node.op))):
        yield node, _joined(node.left, swapped, node.right), f"operator became {swapped}"
    if isinstance(node, ast.BoolOp):
        word = "or" if isinstance(node.op, ast.And) else "and"
        yield node, f" {word} ".join(f"({ast.unparse(each)})" for each in node.values), f"became {word}"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield node, str(node.value + 1), "a number is one more"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, str(not node.value), "True and False"
    if isinstance(node, ast.If | ast.While):
        yield node.test, f"not ({ast.unparse(node.test)})", "a condition is negated"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"({ast.unparse(node.operand)})", "`not` is gone"
    if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        yield node, "return None", "nothing is returned"
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield node, "pass", "a statement is gone"
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        first, second = (ast.unparse(each) for each in node.args)
        yield node, f"{ast.unparse(node.func)}({second}, {first})", "arguments are swapped"


def _joined(left: ast.expr, operator: str, right: ast.expr) -> str:
    return f"({ast.unparse(left)}) {operator} ({ast.unparse(right)})"


def _spliced(text: str, node: ast.expr | ast.stmt, new: str) -> str:
    """The text with the node replaced. Columns of a syntax tree count bytes."""
    rows = text.encode().splitlines(keepends=True)
    starts = [0, *accumulate(map(len, rows))]
    first = starts[node.lineno - 1] + node.col_offset
    last = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    whole = b"".join(rows)
    return (whole[:first] + new.encode() + whole[last:]).decode()


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
