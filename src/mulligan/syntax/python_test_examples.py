"""What Python tests expect, a line each: `leap_year(1996) == True`, `Queen(8, 4) raises ValueError('not on board')`.

In this form, ten tests take the space of two that are shown unchanged.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy

from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.functions import parse_python

MAX_CHARS = 400
"""Most characters of a line. A longer test is clearer unchanged."""
MAX_INLINED_CHARS = 60
"""Most characters of a value that replaces each use of its variable."""
MAX_INLINED_VARIABLES = 30
"""Variables to inline that are set to more than a constant."""


def example_of(path: str, lines: Sequence[str], body: CodeBlock) -> str:
    """Empty for a test in another language, and for one that does not fit this form: with loops, or with fixtures."""
    examples = "; ".join(_examples(lines[body.first - 1 : body.last])) if path.endswith(".py") else ""
    return examples if len(examples) <= MAX_CHARS else ""


def error_expected(body: str) -> tuple[str, str]:
    """The first code that a test expects to raise an error, and that error: `Queen(8, 4)`, `ValueError('far')`. Both
    are empty if it expects none."""
    for each in _examples(body.split("\n")):
        done, raises, error = each.partition(" raises ")
        if raises:
            return done, error
    return "", ""


def _examples(lines: Sequence[str]) -> list[str]:
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    tree = parse_python("\n".join(line[indent:] for line in lines))
    function = next((each for each in tree.body if isinstance(each, ast.FunctionDef)), None) if tree else None
    # The test alone does not show the value of a fixture.
    if function is None or {each.arg for each in function.args.args} - {"self"}:
        return []
    written_out = _written_out(function)
    caught = frozenset(_caught_as(each) for each in function.body if isinstance(each, ast.With)) - {""}
    messages = dict(_messages(function.body, caught))
    examples: list[str] = []
    for each in function.body:
        if isinstance(each, ast.Assign) and _name(each) in written_out:
            continue
        text = _statement(_Inlined(written_out).visit(deepcopy(each)), caught, messages)
        if text is None:
            return []
        examples += [text] if text else []
    return examples if not any(_SET_UP.search(each) for each in examples) else []


def _statement(node: ast.stmt, caught: Collection[str], messages: Mapping[str, str]) -> str | None:
    """Empty for a statement without meaning here; None for one that does not fit this form."""
    if isinstance(node, ast.With):
        return _raising(node, messages)
    if isinstance(node, ast.Assert):
        return "" if _error_in(node.test, caught) else ast.unparse(node.test)
    if isinstance(node, ast.Expr):
        value = node.value
        if isinstance(value, ast.Constant):
            return ""
        return _assertion(value, caught) if isinstance(value, ast.Call) else ast.unparse(value)
    return ast.unparse(node) if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) else None


def _assertion(call: ast.Call, caught: Collection[str]) -> str:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    first, second = (*map(ast.unparse, call.args[:2]), "", "")[:2]
    if not name.startswith("assert") or not first:
        return ast.unparse(call)
    if any(_error_in(each, caught) for each in call.args):
        return ""  # shown with the code that raises it
    if name in _ALONE:
        return f"{first} {_ALONE[name]}"
    if name in {"assertRaises", "assertRaisesRegex"}:
        at = 1 if name == "assertRaises" else 2
        given = ", ".join(map(ast.unparse, call.args[at + 1 :]))
        return f"{ast.unparse(call.args[at])}({given}) raises {first}" if len(call.args) > at else ""
    return f"{first} {_BETWEEN[name].format(second)}" if name in _BETWEEN and second else ast.unparse(call)


def _raising(node: ast.With, messages: Mapping[str, str]) -> str | None:
    context = node.items[0].context_expr
    expects = isinstance(context, ast.Call) and ast.unparse(context.func).rpartition(".")[2] in _RAISES
    if not expects or not isinstance(context, ast.Call) or not context.args:
        return None
    inner = [_statement(each, (), {}) for each in node.body]
    if None in inner:
        return None
    matched = [each.value for each in context.keywords if each.arg == "match"] + context.args[1:2]
    said = messages.get(_caught_as(node)) or (f" with a message like {ast.unparse(matched[0])}" if matched else "")
    return f"{'; '.join(filter(None, inner))} raises {ast.unparse(context.args[0])}{said}"


def _messages(body: Sequence[ast.stmt], caught: Collection[str]) -> Iterator[tuple[str, str]]:
    """The expected messages of the errors that are caught under these names."""
    for each in body:
        if isinstance(each, ast.Assert) and isinstance(each.test, ast.Compare):
            sides = [each.test.left, *each.test.comparators]
        elif isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            sides = each.value.args
        else:
            continue
        name = next((name for side in sides if (name := _error_in(side, caught))), "")
        said = next((side for side in sides if isinstance(side, ast.Constant) and isinstance(side.value, str)), None)
        if name and said:
            yield name, f"({said.value!r})"


def _error_in(node: ast.expr, caught: Collection[str]) -> str:
    """The name of the error in `err.exception.args[0]`, `str(err.value)` or `type(err.exception)`."""
    return next((each.id for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in caught), "")


def _caught_as(node: ast.With) -> str:
    name = node.items[0].optional_vars
    return name.id if isinstance(name, ast.Name) else ""


def _written_out(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Variables to inline: constants, and values that are used once, if everything still happens in the same order."""
    names = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
    used = Counter(each.id for each in names if isinstance(each.ctx, ast.Load))
    was_set = Counter(each.id for each in names if isinstance(each.ctx, ast.Store))
    was_set.update(each.arg for each in ast.walk(function) if isinstance(each, ast.arg))
    changing = {name for name, count in was_set.items() if count > 1}
    # Code in these may run many times, or later.
    inner = [each for each in ast.walk(function) if isinstance(each, _DEFERRED)]
    repeated = {each.id for outer in inner for each in ast.walk(outer) if isinstance(each, ast.Name)}
    found: dict[str, ast.expr] = {}
    others: list[tuple[str, ast.expr]] = []
    for each in function.body:
        name = _name(each) if isinstance(each, ast.Assign) else ""
        if not isinstance(each, ast.Assign) or was_set[name] != 1 or not used[name]:
            continue
        if _is_constant(each.value):
            if used[name] == 1 or len(ast.unparse(each.value)) <= MAX_INLINED_CHARS:
                found[name] = each.value
        elif used[name] == 1 and name not in repeated:
            others.append((name, each.value))
    order = list(_happens(function.body, found, changing))
    later: set[str] = set()
    for name, value in reversed(others[-MAX_INLINED_VARIABLES:]):
        more = {**found, name: value}
        later.add(name)
        # A value that uses what is set later can't run, and may use itself.
        can_run = later.isdisjoint(each.id for each in ast.walk(value) if isinstance(each, ast.Name))
        if can_run and list(_happens(function.body, more, changing)) == order:
            found = more
    return found


def _happens(nodes: Iterable[ast.AST], inlined: Mapping[str, ast.expr], changing: Collection[str]) -> Iterator[ast.AST]:
    """What has an effect or depends on one, in the order in which it is evaluated with these variables inlined."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in inlined:
            yield from _happens([inlined[node.id]], inlined, changing)
        elif isinstance(node, ast.Assign) and _name(node) in inlined:
            continue
        elif not (isinstance(node, ast.expr) and _is_constant(node)):
            # An assigned value is evaluated before its target; a method that is called is found without an effect.
            inner = sorted(ast.iter_child_nodes(node), key=lambda each: each is not getattr(node, "value", None))
            called = node.func if isinstance(node, ast.Call) else None
            method = called.value if isinstance(called, ast.Attribute) else called
            yield from _happens([method if each is called and method else each for each in inner], inlined, changing)
            plain = node.id not in changing if isinstance(node, ast.Name) else isinstance(node, _WITHOUT_EFFECT)
            if isinstance(node, ast.expr) and not plain:
                yield node


def _is_constant(value: ast.expr) -> bool:
    return all(isinstance(each, _CONSTANT) for each in ast.walk(value))


def _name(node: ast.Assign) -> str:
    target = node.targets[0]
    return target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else ""


class _Inlined(ast.NodeTransformer):
    """Replaces variables by their values."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._values.get(node.id)
        return self.visit(deepcopy(value)) if value and isinstance(node.ctx, ast.Load) else node


_CONSTANT = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context)
_DEFERRED = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_WITHOUT_EFFECT = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.Lambda)
_SET_UP = re.compile(r"(?<![\w.])self\.")
_RAISES = frozenset({"assertRaises", "assertRaisesRegex", "raises"})
_ALONE = {
    "assertTrue": "is True",
    "assertFalse": "is False",
    "assertIsNone": "is None",
    "assertIsNotNone": "is not None",
}
_BETWEEN = {
    "assertEqual": "== {}",
    "assertEquals": "== {}",
    "assertListEqual": "== {}",
    "assertDictEqual": "== {}",
    "assertSetEqual": "== {}",
    "assertTupleEqual": "== {}",
    "assertSequenceEqual": "== {}",
    "assertMultiLineEqual": "== {}",
    "assertIs": "is {}",
    "assertIsNot": "is not {}",
    "assertNotEqual": "!= {}",
    "assertIn": "in {}",
    "assertNotIn": "not in {}",
    "assertCountEqual": "== {} in any order",
    "assertAlmostEqual": "is about {}",
    "assertGreater": "> {}",
    "assertLess": "< {}",
    "assertGreaterEqual": ">= {}",
    "assertLessEqual": "<= {}",
    "assertIsInstance": "is of type {}",
}
