"""Which grammar a file is written in. A grammar is loaded when it is first asked for."""

import re
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


class Grammar(NamedTuple):
    """Where a grammar comes from, and the files it is for."""

    module: str
    extensions: tuple[str, ...]
    file_names: tuple[str, ...] = ()
    """Whole names, in lower case."""
    function: str = "language"


GRAMMARS: dict[str, Grammar] = {
    "python": Grammar("tree_sitter_python", ("py", "pyi", "pyw")),
    "javascript": Grammar("tree_sitter_javascript", ("js", "mjs", "cjs", "jsx")),
    "typescript": Grammar("tree_sitter_typescript", ("ts", "mts", "cts"), function="language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", ("tsx",), function="language_tsx"),
    "go": Grammar("tree_sitter_go", ("go",)),
    "rust": Grammar("tree_sitter_rust", ("rs",)),
    "java": Grammar("tree_sitter_java", ("java",)),
    "c": Grammar("tree_sitter_c", ("c", "h")),
    "cpp": Grammar("tree_sitter_cpp", ("cc", "cpp", "cxx", "hh", "hpp", "hxx")),
    "c_sharp": Grammar("tree_sitter_c_sharp", ("cs",)),
    "ruby": Grammar("tree_sitter_ruby", ("rb", "rake", "gemspec"), ("gemfile", "rakefile")),
    "php": Grammar("tree_sitter_php", ("php",), function="language_php"),
    "bash": Grammar("tree_sitter_bash", ("sh", "bash")),
    "json": Grammar("tree_sitter_json", ("json", "jsonc")),
}


def language_for(path: str) -> "Language | None":
    """The language of a file, by its name alone; None if no grammar is at hand."""
    name = grammar_name(path)
    return load(name) if name else None


def grammar_name(path: str) -> str | None:
    """The key in `GRAMMARS`."""
    file_name = path.replace("\\", "/").rpartition("/")[2].lower()
    _, dot, extension = file_name.rpartition(".")
    return _by_file_name().get(file_name) or (_by_extension().get(extension) if dot else None)


class TooSlow(Exception):
    """A text that its parser did not get through in time."""


def parse(name: str, source: bytes, seconds: float | None = None) -> "Tree":
    """Raises `TooSlow`. What is no code can take a parser the square of its length, in time and in memory: without a
    limit it is only parsed by a process that may be ended."""
    from tree_sitter import Parser

    # At letters beyond ASCII the shell grammar reads outside its tables, and ends the process.
    text = BEYOND_ASCII.sub(b"x", source) if name == "bash" else source
    if seconds is None:
        return Parser(load(name)).parse(text)
    try:
        # The callback that is to take the place of this time limit ends the process now and then.
        return Parser(load(name), timeout_micros=int(seconds * 1_000_000)).parse(text)  # pyright: ignore[reportDeprecated]
    except ValueError as error:
        raise TooSlow from error


@cache
def load(name: str) -> "Language":
    from tree_sitter import Language

    grammar = GRAMMARS[name]
    capsule: object = getattr(_binding(grammar.module), grammar.function)()
    return Language(capsule)


def _binding(package: str) -> ModuleType:
    """The part of a grammar's package that holds the grammar: the package itself loads what takes longer than that."""
    found = find_spec(package)
    folders = found.submodule_search_locations if found else None
    binding = PathFinder.find_spec(f"{package}._binding", folders) if folders else None
    if binding is None or binding.loader is None:
        return import_module(package)
    module = module_from_spec(binding)
    binding.loader.exec_module(module)
    return module


@cache
def _by_extension() -> dict[str, str]:
    return {extension: name for name, grammar in GRAMMARS.items() for extension in grammar.extensions}


@cache
def _by_file_name() -> dict[str, str]:
    return {file_name: name for name, grammar in GRAMMARS.items() for file_name in grammar.file_names}
