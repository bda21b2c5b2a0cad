"""Parsing with a grammar. It is loaded when a file is first parsed with it."""

import re
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING

from mulligan.syntax.registry import grammars

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class TooSlow(Exception):
    """The parser did not finish in time."""


def parse(key: str, source: bytes, seconds: float | None = None) -> "Tree":
    """Raises `TooSlow`. Text that is not code can take quadratic time and memory, so parse without a limit only in a
    process that can be killed."""
    from tree_sitter import Parser

    text = BEYOND_ASCII.sub(b"x", source) if grammars()[key].ascii_only else source
    if seconds is None:
        return Parser(load(key)).parse(text)
    try:
        # The callback that replaces this deprecated time limit sometimes crashes the process.
        return Parser(load(key), timeout_micros=int(seconds * 1_000_000)).parse(text)  # pyright: ignore[reportDeprecated]
    except ValueError as error:
        raise TooSlow from error


@cache
def load(key: str) -> "Language":
    from tree_sitter import Language

    grammar = grammars()[key]
    capsule: object = getattr(_binding(grammar.module), grammar.function)()
    return Language(capsule)


def _binding(package: str) -> ModuleType:
    """The module of a grammar's package that contains the grammar: importing the whole package takes longer."""
    found = find_spec(package)
    folders = found.submodule_search_locations if found else None
    binding = PathFinder.find_spec(f"{package}._binding", folders) if folders else None
    if binding is None or binding.loader is None:
        return import_module(package)
    module = module_from_spec(binding)
    binding.loader.exec_module(module)
    return module
