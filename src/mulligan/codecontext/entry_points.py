"""Where a program starts, by the names of files and of symbols."""

import re
from collections.abc import Iterable, Iterator

from mulligan.syntax.registry import language_of, languages
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.codecontext import EntryPoint, Symbol

NAMES = ("main", "Main", "app", "application", "api", "cli", "urlpatterns", "server")
"""Symbols that may be an entry point."""

_APPLICATIONS = re.compile(r"=\s*(?:\w+\.)?(FastAPI|Flask|Typer|Starlette|Celery|Sanic|Litestar|express|fastify)\(")


def entry_points(paths: Iterable[str], symbols: Iterable[Symbol], listed: Iterable[EntryPoint]) -> list[EntryPoint]:
    """Those that manifests list first, then those found by name; each file once."""
    found = [*listed, *_by_symbol(symbols), *_by_path(paths)]
    first: dict[str, EntryPoint] = {}
    for each in found:
        if not is_test_file(each.path):
            first.setdefault(each.path, each)
    return list(first.values())


def _by_symbol(symbols: Iterable[Symbol]) -> Iterator[EntryPoint]:
    for symbol in symbols:
        if made := _APPLICATIONS.search(symbol.signature):
            yield EntryPoint(symbol.path, f"{made[1]} application")
        elif symbol.name == "urlpatterns":
            yield EntryPoint(symbol.path, "Django URLs")
        elif symbol.name.lower() == "main" and _starts_a_program(symbol):
            yield EntryPoint(symbol.path, "main function")


def _starts_a_program(symbol: Symbol) -> bool:
    language = language_of(symbol.path)
    if language is None or not language.has_main:
        return False
    if symbol.kind == "function":
        return not symbol.parent
    return symbol.kind == "method" and "static" in symbol.signature


def _by_path(paths: Iterable[str]) -> Iterator[EntryPoint]:
    known = set(paths)
    begins = {name: what for language in languages() for name, what in language.entry_files.items()}
    found: list[tuple[str, str]] = []
    for path in known:
        folder, slash, name = path.rpartition("/")
        if what := begins.get(name):
            found.append((path, what))
        elif name == "settings.py" and f"{folder}{slash}urls.py" in known:
            found.append((path, "Django settings"))
        elif path.startswith("bin/") and "." not in path:
            found.append((path, "command"))
    for path, what in sorted(found, key=lambda each: (each[0].count("/"), each)):
        yield EntryPoint(path, what)
