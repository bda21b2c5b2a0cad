"""Modules that tests import and that don't exist: where their files would be."""

import re
from collections.abc import Collection, Iterator

from mulligan.syntax.project_paths import joined

_PYTHON = re.compile(r"No module named '([\w.]+)'")
_SCRIPT = re.compile(r"Cannot find module '([^'\n]+?)'")
_SOURCES = ("src", "lib")


def absent_modules(test: str, said: str, paths: Collection[str]) -> Iterator[str]:
    """From the failures of a test file. Only if the module's folder exists: a package that is not installed has none in
    the project."""
    folder = test.rpartition("/")[0]
    if test.endswith(".py"):
        for name in _PYTHON.findall(said):
            yield from _python_module(name.split("."), folder, paths)
    for name in _SCRIPT.findall(said):
        if "/" in name:
            yield from _script_module(name, test, paths)


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
    place = joined(test, name) if name.startswith(".") else next(_ends(name, paths), None)
    if place:
        yield place if "." in stem else f"{place}.{ending}"


def _ends(name: str, paths: Collection[str]) -> Iterator[str]:
    """The path in the project, if the named folder is in it."""
    parts = [part for part in name.split("/") if part]
    folders = {path.rpartition("/")[0] for path in paths}
    for start in range(len(parts)):
        if "/".join(parts[start:-1]) in folders:
            yield "/".join(parts[start:])
