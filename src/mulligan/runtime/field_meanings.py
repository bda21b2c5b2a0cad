"""The meaning of a field: the string below it in the source.

Python discards these strings, and pydantic would read the source for them at every start. Here it is read on demand.
"""

import ast
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from mulligan.types.base import Record


def meanings(kind: type[Record]) -> dict[str, str]:
    """By field. A field without such a string gets the one below its type, if that is a named type with one."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if each.__module__.startswith("mulligan."):
            found |= _of_class(each)
    return found


@dataclass(frozen=True, slots=True)
class _Source:
    """What one module says about its classes and types."""

    classes: dict[str, ast.ClassDef] = field(default_factory=dict[str, ast.ClassDef])
    named: dict[str, str] = field(default_factory=dict[str, str])
    """The string below a named type, such as `Agency = Literal[…]`."""
    imported: dict[str, str] = field(default_factory=dict[str, str])
    """The module that each name is imported from."""


def _of_class(kind: type) -> dict[str, str]:
    source = _read(kind.__module__)
    found: dict[str, str] = {}
    for node, words in _with_words(source.classes[kind.__name__].body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = words or _of_type(node.annotation, kind.__module__)
    return found


def _of_type(annotation: ast.expr, module: str) -> str:
    names = [node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)]
    return next((words for name in names if (words := _of_name(name, module))), "")


def _of_name(name: str, module: str) -> str:
    source = _read(module)
    origin = source.imported.get(name, "")
    return _of_name(name, origin) if origin.startswith("mulligan.") else source.named.get(name, "")


@cache
def _read(module: str) -> _Source:
    source = _Source()
    for node, words in _with_words(ast.parse(inspect.getsource(sys.modules[module])).body):
        if isinstance(node, ast.ClassDef):
            source.classes[node.name] = node
        elif isinstance(node, ast.ImportFrom) and node.module:
            source.imported.update(dict.fromkeys((alias.name for alias in node.names), node.module))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            source.named[node.targets[0].id] = words
    return source


def _with_words(body: Sequence[ast.stmt]) -> list[tuple[ast.stmt, str]]:
    """Each statement with the string right below it, if there is one."""
    return [(node, _words(below)) for node, below in zip(body, (*body[1:], None), strict=True)]


def _words(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
        case _:
            return ""
