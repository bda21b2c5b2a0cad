"""Which names a Python file binds, and which it reads without binding them."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.syntax.functions import parse_python

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class UnboundName:
    name: str
    line: int
    fields: frozenset[str]
    """Of the enclosing class."""


def unbound_names(lines: Sequence[str], builtins: frozenset[str]) -> list[UnboundName]:
    """Names that are used but not defined, imported or taken as an argument, each once per scope."""
    tree = parse_python("\n".join(lines))
    found = _unbound(tree, builtins) if tree else ()
    return [
        UnboundName(node.id, node.lineno, frozenset(_attributes_of(owner) if owner else ())) for node, owner in found
    ]


def undefined_names(lines: Sequence[str], builtins: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(each.name for each in unbound_names(lines, builtins)))


def bound_names(lines: Sequence[str]) -> set[str]:
    """Everything that a file binds somewhere."""
    tree = parse_python("\n".join(lines))
    if tree is None:
        return set()
    functions = (node for node in ast.walk(tree) if isinstance(node, Function))
    return _bound(tree.body).union(*(_parameters(each) | _bound(each.body) for each in functions))


def attributes_in(lines: Sequence[str]) -> set[str]:
    """Fields and methods that the classes of a file define."""
    tree = parse_python("\n".join(lines))
    found: set[str] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        elif isinstance(node, ast.ClassDef):
            found |= _bound(node.body)
    return found


def _unbound(tree: ast.Module, builtins: frozenset[str]) -> Iterator[tuple[ast.Name, ast.ClassDef | None]]:
    """Names that are read but not bound, each once per scope, with the enclosing class."""
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return
    yield from _unbound_in(tree.body, _bound(tree.body) | builtins, None)


def _unbound_in(
    body: Sequence[ast.AST], visible: frozenset[str] | set[str], owner: ast.ClassDef | None
) -> Iterator[tuple[ast.Name, ast.ClassDef | None]]:
    seen: set[str] = set()
    for node in _same_scope(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id not in visible and node.id not in seen and not node.id.startswith("__"):
                seen.add(node.id)
                yield node, owner
        elif isinstance(node, Function):
            yield from _unbound_in(node.body, visible | _parameters(node) | _bound(node.body), owner)
        elif isinstance(node, ast.ClassDef):
            # Names in a class's body are not visible in its methods, but in the rest of the body.
            methods = [each for each in node.body if isinstance(each, Function)]
            others = [each for each in node.body if not isinstance(each, Function)]
            yield from _unbound_in(others, visible | _bound(node.body), node)
            yield from _unbound_in(methods, visible, node)


def _same_scope(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of these statements; only the heads of functions and classes in them."""
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Function):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif isinstance(node, ast.ClassDef):
            waiting += [*node.decorator_list, *node.bases]
        else:
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _bound(body: Sequence[ast.AST]) -> set[str]:
    """Names that these statements bind, including those in lambdas and comprehensions."""
    found: set[str] = set()
    for node in _same_scope(body):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in names}
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.Global(names=given) | ast.Nonlocal(names=given):
                found |= set(given)
            case _:
                pass
    return found


def _parameters(function: Function) -> set[str]:
    return {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}


def _attributes_of(owner: ast.ClassDef) -> set[str]:
    stored = {
        node.attr for node in ast.walk(owner) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return stored | _bound(owner.body)
