"""Every regular expression of the source, and how it is applied."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mulligan.syntax.blanking import literals_of
from mulligan.syntax.registry import languages

SOURCE = Path(__file__).parents[2] / "src"
METHODS = {"search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4, "subn": 4}
"""Of the module `re`, with the place of their flags."""


class Applied(NamedTuple):
    module: str
    line: int
    pattern: re.Pattern[Any]
    method: str


def patterns(under: str = "mulligan") -> Iterator[Applied]:
    """Those that are written in one piece; what is put together from a text at run time is left out."""
    if under == "mulligan.syntax":
        yield from _of_languages()
    used = _methods_by_name()
    place = SOURCE / under.replace(".", "/")
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _method(node)]
        if not calls:
            continue
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        names = vars(importlib.import_module(module))
        assigned = _assigned(tree)
        here = _methods_in(tree)
        for call in calls:
            written = _pattern(call, names)
            if written is None:
                continue
            method = _method(call)
            name = assigned.get(call)
            methods = here.get(name, used.get(name, set())) if name else _of_variables(here)
            for each in sorted(methods) if method == "compile" else [method]:
                yield Applied(module, call.lineno, written, each)


def _of_languages() -> Iterator[Applied]:
    """Patterns that stand in a record are known by the module that applies them."""
    for language in languages():
        yield Applied("mulligan.syntax.blanking", 0, literals_of(language), "sub")
        yield Applied("mulligan.syntax.testfiles", 0, re.compile(language.test_stems), "fullmatch")
        for grammar in language.grammars:
            yield Applied("mulligan.syntax.tree_query", 0, re.compile(grammar.recognized_by), "search")


def _method(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Name) and function.id == "late_pattern":
        return "compile"
    is_of_re = (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"
    )
    name = function.attr if isinstance(function, ast.Attribute) and is_of_re else ""
    return name if name in METHODS or name == "compile" else ""


def _pattern(call: ast.Call, names: dict[str, Any]) -> re.Pattern[Any] | None:
    method = _method(call)
    place = METHODS.get(method, 1)
    if any(isinstance(each, ast.Starred) for each in call.args):
        return None
    flags = (
        [call.args[place]] if len(call.args) > place else [each.value for each in call.keywords if each.arg == "flags"]
    )
    try:
        text, *given = [eval(compile(ast.Expression(each), "", "eval"), names) for each in (call.args[0], *flags)]  # noqa: S307
    except NameError:
        return None
    return None if isinstance(text, re.Pattern) else re.compile(text, *given)


def _assigned(tree: ast.Module) -> dict[ast.expr, str]:
    return {
        node.value: target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _methods_in(tree: ast.Module) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, set()).add(node.attr)
    found.pop("re", None)
    return found


def _of_variables(used: dict[str, set[str]]) -> set[str]:
    """One of a table of patterns is used by way of a variable."""
    return set[str]().union(*(methods for name, methods in used.items() if not name.isupper()))


@cache
def _methods_by_name() -> dict[str, set[str]]:
    """In all modules: a pattern may be used elsewhere."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for name, methods in _methods_in(ast.parse(path.read_text(encoding="utf-8"))).items():
            found.setdefault(name, set()).update(methods)
    return found
