"""What Mulligan knows about a programming language: the record that each file in `languages/` fills in."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from mulligan.syntax.node_kinds import Kind
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.types.frozen import frozen


class RawImport(NamedTuple):
    """An import as the file writes it."""

    module: str
    names: tuple[str, ...] = ()
    """What is imported from the module, by its name there."""


class Resolved(NamedTuple):
    """The files of the project that an import means."""

    files: tuple[str, ...] = ()
    """What is imported by name."""
    seen: tuple[str, ...] = ()
    """What becomes visible with it, such as other files of a package: only used if one of their names is."""
    behind: str | None = None
    """A folder whose files the imported file may re-export."""
    external: str | None = None
    """A module from outside of the project."""
    names_are_symbols: bool = True
    """The import lists symbols of the first file; otherwise it lists the files' names."""


class ResolutionContext(NamedTuple):
    """What import resolution needs to know besides the file itself."""

    paths: ProjectPaths
    go_modules: Mapping[str, str] = {}
    """Module paths in go.mod files, by folder."""
    node_packages: Mapping[str, str] = {}
    """Folders by the names in their package.json."""
    aliases: Sequence[tuple[str, str]] = ()
    """In TypeScript: the prefix of an import, and of the path that it means."""
    namespaces: Mapping[str, Sequence[str]] = {}
    """In C#: the files that declare each namespace."""
    may_guess: bool = False
    """No manifest was read: if only one file's path ends like the import, it may be meant."""


ImportReader = Callable[[str], Iterator[RawImport]]
"""Parses one import statement, given on one line and without comments. Paths begin with `./`."""
Resolver = Callable[[str, RawImport, ResolutionContext], Resolved]
"""Called with the path of the importing file."""


@frozen
class Grammar:
    """A tree-sitter grammar, and the files it is for."""

    key: str
    """Stored with every file in the index."""
    module: str
    """The package that contains it; imported when such a file is first parsed."""
    extensions: tuple[str, ...]
    query: str = ""
    """What the grammar calls a definition, an import, and text that is not code: see `syntax/tree_query.py`. Without
    it, files are only checked for syntax errors."""
    name: str = ""
    """As people write it, if it differs from the language's name."""
    file_names: tuple[str, ...] = ()
    """Whole names, in lower case."""
    function: str = "language"
    recognized_by: bytes = b""
    """A pattern. If another grammar has the same extension, files that match it are read with this grammar."""
    ascii_only: bool = False
    """Letters beyond ASCII make this grammar read outside of its tables, which crashes the process."""


@frozen
class Tracer:
    """A program that is loaded into a test run without anything being installed in the project: to learn which lines
    each test runs, to interrupt tests that don't end, or to run them for many texts of a file."""

    program: str
    """A file of `syntax/tracers/`."""
    name: str
    """The file's name in the temporary folder from which it runs."""
    variables: tuple[tuple[str, str, str], ...]
    """Environment variables that make a runner load it: a name, what to put before its value, and the separator.
    `{folder}` is the temporary folder."""
    runners: tuple[str, ...] = ()
    """Words of a command that name the runners which load it, if that must be known beforehand. A module, such as
    `-m unittest`, does not load it: the program is run instead, and then runs the module."""

    def fits(self, command: str) -> bool:
        return self._runner.search(command) is not None

    def run_instead(self, command: str) -> str:
        """The command, with this program instead of a module that does not load it."""
        own = f"-m {self.name.removesuffix('.py')}"
        return self._runner.sub(lambda found: own if found[0].startswith("-m ") else found[0], command, count=1)

    @property
    def _runner(self) -> re.Pattern[str]:
        runners = "|".join(map(re.escape, self.runners)) or "(?!)"
        return re.compile(rf"(?<![\w-])(?:{runners})(?![\w-])")


QUOTED = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_REGEX = r"[=(,:;!&|?\[{}]\s*|\breturn\s+)/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
SCRIPT_STRINGS = rf"(?P<before>{_REGEX}|{QUOTED}|(?P<template>`(?:\\.|[^`\\])*`)"


@frozen
class Language:
    """Looked up through `syntax/registry.py`; no other code needs to know the language."""

    name: str
    """As people write it."""
    grammars: tuple[Grammar, ...]
    """Their files use each other's names."""
    interpreters: tuple[str, ...] = ()
    """Programs that run a file whose first line names them."""

    read_import: ImportReader = lambda _: iter(())
    resolve: Resolver = lambda _path, _raw, _around: Resolved()
    import_settings: frozenset[str] = frozenset()
    """Names of configuration files that define what imports mean."""
    resolves_by_file: bool = False
    """The same import may mean different files in two files of a folder."""
    lists_names: bool = False
    """An import that lists names brings in no others."""
    shares_folder: bool = False
    """Files of one folder see each other without an import."""
    has_namespaces: bool = False
    """What an import means depends on what other files declare."""
    facades: tuple[str, ...] = ()
    """Stems of files that re-export their imports."""

    comment_marks: tuple[str, ...] = ("//",)
    """Marks that begin a line comment; the usual one first."""
    strings: str = SCRIPT_STRINGS
    """A pattern for strings and block comments. Group `before` is kept; group `template` may contain code in `${…}`."""
    quotes_alike: bool = False
    """A string means the same in single and in double quotes, if no quote or escape is in it."""
    docstrings: bool = False
    """A definition is described by a string below its head, not by a comment above it."""
    scope_mark: str = ""
    """Separates a name from what it belongs to, if a definition may name both."""
    indented: bool = False
    """Blocks are marked by indentation, so functions are found even in broken code."""

    node_kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind], hash=False)
    """Nodes that the grammar names differently than most do: see `syntax/node_kinds.py`."""

    test_stems: str = r"(?!)"
    """A pattern for the whole name of a test file, without its extension."""
    spec_folders: bool = True
    """Files in a folder `spec` are tests, not specifications."""
    titled_tests: bool = False
    """Tests are calls with a title, not functions."""
    test_readers: tuple[str, ...] = ()
    """Names of the readers in `core/failures/readers/` that know the output of its test runners."""
    tracer: Tracer | None = None
    """Records which lines each test runs, if its runners allow that."""
    interrupter: Tracer | None = None
    """Makes tests that don't end fail, if its runners allow that."""
    batch_runner: Tracer | None = None
    """Runs the same tests for many texts of a file after one start of its runner, if that allows it."""
    entry_files: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Names of files in which a program starts, and what to call them."""
    uses_all_imports: bool = False
    """An import that is not used is an error."""
    has_main: bool = False
    """A program starts in a function `main`."""


def first_words(listed: str) -> list[str]:
    """For `a as b, c`: `a` and `c`."""
    return [words[0] for part in listed.split(",") if (words := part.split())]
