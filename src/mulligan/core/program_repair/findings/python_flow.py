"""Python that runs but seldom does what was meant: statements without effect, paths without a result."""

import ast
import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.findings.finding import CodeFinding, Known
from mulligan.syntax.functions import parse_python

Function = ast.FunctionDef | ast.AsyncFunctionDef


def notice_flow(lines: Sequence[str], known: Known) -> list[CodeFinding]:
    tree = parse_python("\n".join(lines))
    if tree is None:
        return []
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    return [
        *(each for node in ast.walk(tree) for each in _of_node(node)),
        *(each for function in functions for each in _of_function(function, known)),
        *(each for number, line in enumerate(lines, 1) if _REVERSED.search(line) for each in _reversed(number, line)),
    ]


def _of_node(node: ast.AST) -> Iterator[CodeFinding]:
    match node:
        case ast.Expr(value=value) if _has_no_effect(value):
            yield CodeFinding(node.lineno, f"`{_short(value)}` has no effect, its result is not used", 2.5)
        case ast.For() | ast.While():
            yield from _of_loop(node)
        case ast.BoolOp() | ast.Compare():
            if word := _always(node):
                yield CodeFinding(node.lineno, f"`{_short(node)}` is always {word}", 2.5)
        case (
            ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute(), attr=name)))
            | ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute(), attr=name)))
        ) if name in _GIVE_NONE:
            yield CodeFinding(node.lineno, f"`.{name}()` gives None, not the list", 2.0)
        case _:
            pass


def _of_function(function: Function, known: Known) -> Iterator[CodeFinding]:
    for name, default in _defaults(function):
        if isinstance(default, ast.List | ast.Dict | ast.Set) or (
            isinstance(default, ast.Call) and ast.unparse(default.func) in {"list", "dict", "set"}
        ):
            words = f"the default `{name}={_short(default)}` is shared by all calls"
            yield CodeFinding(function.lineno, words, 2.0)
    yield from _results(function, known)
    yield from _missing_f(function)


def _defaults(function: Function) -> Iterator[tuple[str, ast.expr]]:
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    yield from (
        (arg.arg, value)
        for arg, value in zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
    )
    yield from (
        (arg.arg, value) for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    )


def _results(function: Function, known: Known) -> Iterator[CodeFinding]:
    own = list(_inside(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return
    returns = [node for node in own if isinstance(node, ast.Return)]
    with_value = [node for node in returns if node.value is not None and not _is_none(node.value)]
    name = function.name
    last = function.body[-1]
    if with_value and not _ends(function.body):
        yield CodeFinding(last.lineno, f"`{name}` returns a value on some paths only, else None", 1.5)
    elif not returns and name in known.results_used and not _ends(function.body):
        yield CodeFinding(last.lineno, f"`{name}` returns nothing, but its result is used", 2.5)


def _inside(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions in it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _ends(body: Sequence[ast.stmt]) -> bool:
    """No path goes on after these statements."""
    match body[-1]:
        case ast.Return() | ast.Raise() | ast.Continue():
            return True
        case ast.If(body=then, orelse=other):
            return bool(other) and _ends(then) and _ends(other)
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return _ends(inner)
        case ast.While(test=ast.Constant(value=True)) as loop:
            return not any(isinstance(node, ast.Break) for node in ast.walk(loop))
        case ast.Try(body=tried, handlers=handlers, orelse=other, finalbody=final):
            caught = all(_ends(each.body) for each in handlers)
            return bool(final and _ends(final)) or (caught and _ends(other or tried))
        case ast.Match(cases=cases):
            open_ended = isinstance(cases[-1].pattern, ast.MatchAs) and cases[-1].guard is None
            return open_ended and all(_ends(each.body) for each in cases)
        case _:
            return False


def _of_loop(loop: ast.For | ast.While) -> Iterator[CodeFinding]:
    inside = list(ast.walk(loop))
    last = loop.body[-1]
    if isinstance(last, ast.Return) and not any(isinstance(node, ast.Continue) for node in inside):
        yield CodeFinding(last.lineno, f"`{_short(last)}` stands in the loop and ends it in the first round", 2.5)
    if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name):
        for node in inside:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="remove" | "pop" | "insert")) if (
                    name == loop.iter.id
                ):
                    yield CodeFinding(node.lineno, f"`{name}` is changed while the loop goes over it", 2.0)
                case _:
                    pass


def _has_no_effect(value: ast.expr) -> bool:
    match value:
        case (
            ast.Compare() | ast.BinOp() | ast.BoolOp() | ast.UnaryOp() | ast.Subscript() | ast.Attribute() | ast.Name()
        ):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _PURE
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _PURE_METHODS
        case _:
            return False


def _always(node: ast.BoolOp | ast.Compare) -> str | None:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.LtE() | ast.GtE() | ast.Is()], comparators=[right]):
            return "true" if _same(left, right) else None
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.Lt() | ast.Gt() | ast.IsNot()], comparators=[right]):
            return "false" if _same(left, right) else None
        case ast.BoolOp(op=ast.Or(), values=[ast.Compare(), *rest]) if any(
            isinstance(each, ast.Constant) and each.value for each in rest
        ):
            return "true"
        case ast.BoolOp(op=ast.Or(), values=values) if _contradict(values, ast.NotEq):
            return "true"
        case ast.BoolOp(op=ast.And(), values=values) if _contradict(values, ast.Eq):
            return "false"
        case _:
            return None


def _contradict(values: Sequence[ast.expr], sign: type[ast.cmpop]) -> bool:
    """Two of them compare the same thing by this sign with different constants."""
    found: dict[str, str] = {}
    for each in values:
        match each:
            case ast.Compare(left=left, ops=[op], comparators=[ast.Constant() as right]) if isinstance(op, sign):
                if found.setdefault(ast.dump(left), ast.dump(right)) != ast.dump(right):
                    return True
            case _:
                pass
    return False


def _same(one: ast.expr, other: ast.expr) -> bool:
    return not isinstance(one, ast.Call) and ast.dump(one) == ast.dump(other)


def _missing_f(function: Function) -> Iterator[CodeFinding]:
    """A string with the function's own variables in braces that is not filled in by anything."""
    filled = {id(each) for node in _inside(function) for each in _filled_by(node)}
    names = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    names |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in _inside(function):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in filled:
            continue
        if names.intersection(re.findall(r"\{(\w+)[^{}]*\}", node.value)):
            yield CodeFinding(node.lineno, f"the string {_short(node)} has no `f` before it", 2.0)


def _filled_by(node: ast.AST) -> Iterator[ast.AST]:
    """The strings that a node fills in, or that are only documentation."""
    match node:
        case ast.JoinedStr():
            yield from ast.walk(node)
        case ast.Call(func=ast.Attribute(value=receiver)):
            yield from ast.walk(receiver)
        case ast.Expr(value=value):
            yield value
        case _:
            pass


def _reversed(number: int, line: str) -> Iterator[CodeFinding]:
    yield CodeFinding(number, f"`{line.strip()}` sets a value, it does not add to it", 2.5)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:59]}…"


_REVERSED = re.compile(r"^\s*[\w.\[\]'\"]+ =[+-] ?\w")
_GIVE_NONE = frozenset({"sort", "reverse", "append", "extend"})
_PURE = frozenset({
    "abs", "dict", "float", "int", "len", "list", "max", "min", "reversed", "round", "set", "sorted", "str", "sum",
    "tuple", "zip",
})  # fmt: skip
_PURE_METHODS = frozenset({
    "capitalize", "casefold", "format", "join", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip",
    "split", "strip", "title", "upper", "union", "intersection", "difference",
})  # fmt: skip
