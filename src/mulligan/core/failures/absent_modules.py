"""Modules that tests import and that don't exist: where their files would be."""

import re
from collections.abc import Collection, Iterator, Sequence

from mulligan.syntax.imports import file_imports
from mulligan.syntax.language import RawImport
from mulligan.syntax.project_paths import joined
from mulligan.syntax.tree_query import read_code

_PYTHON = re.compile(r"No module named '([\w.]+)'")
_SCRIPT = re.compile(r"Cannot find module '([^'\n]+?)'")
_SOURCES = ("src", "lib")


def absent_modules(test: str, lines: Sequence[str], output: str, paths: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each module by its first name, with the path of its file, from the failures of a test file that imports it.
    What the project's code imports is likelier a package that has to be installed."""
    source = read_code(test, "\n".join(lines))
    imported = file_imports(source) if source else ()
    folder = test.rpartition("/")[0]
    if test.endswith(".py"):
        own = {name for each in imported for name in _python_names(each)}
        for name in own.intersection(_PYTHON.findall(output)):
            parts = name.split(".")
            for path in _python_module(parts, folder, paths):
                yield parts[0], path
    own = {_stem(each.module) for each in imported}
    for name in _SCRIPT.findall(output):
        if "/" in name and _stem(name) in own:
            for path in _script_module(name, test, paths):
                yield name, path


def _python_names(raw: RawImport) -> Iterator[str]:
    """A module and those around it: Python names the first that it doesn't find."""
    parts = raw.module.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    yield from (f"{raw.module}.{name}" for name in raw.names)


def _stem(module: str) -> str:
    return module.rpartition("/")[2].partition(".")[0]


def _python_module(parts: list[str], folder: str, paths: Collection[str]) -> Iterator[str]:
    """In its package, if the project has that; a module without one next to the tests, if they are at the top."""
    folders = {path.rpartition("/")[0] for path in paths}
    roots = ["", *(each for each in _SOURCES if each in folders)]
    for root in roots:
        package = "/".join([*([root] if root else []), *parts[:-1]])
        if len(parts) > 1 and package in folders:
            yield f"{package}/{parts[-1]}.py"
            return
    if len(parts) == 1 and not any(path.startswith(f"{parts[0]}/") for path in paths):
        inside = folder if not folder.rpartition("/")[2].startswith("test") else ""
        yield f"{inside}/{parts[0]}.py" if inside else f"{parts[0]}.py"


def _script_module(name: str, test: str, paths: Collection[str]) -> Iterator[str]:
    """A module that a test imports by path. Node prints a module's whole path, and for one without an extension only
    what was asked for."""
    ending = test.rpartition(".")[2]
    stem = name.rpartition("/")[2]
    path = joined(test, name) if name.startswith(".") else next(_ends(name, paths), None)
    if path:
        yield path if "." in stem else f"{path}.{ending}"


def _ends(name: str, paths: Collection[str]) -> Iterator[str]:
    """The path in the project, if the named folder is in it."""
    parts = [part for part in name.split("/") if part]
    folders = {path.rpartition("/")[0] for path in paths}
    for start in range(len(parts)):
        if "/".join(parts[start:-1]) in folders:
            yield "/".join(parts[start:])
