"""What Mulligan knows of one programming language: the record that each file of `languages/` fills in."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from mulligan.syntax.node_kinds import Kind
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.types.frozen import frozen


class RawImport(NamedTuple):
    """An import as the file has it."""

    module: str
    names: tuple[str, ...] = ()
    """What is taken from the module, by its name there."""


class Resolved(NamedTuple):
    """The files of the project that an import means."""

    files: tuple[str, ...] = ()
    """What is imported by name."""
    seen: tuple[str, ...] = ()
    """What comes in with it, such as the other files of a package: used only if one of their names is."""
    behind: str | None = None
    """A folder whose files the imported one may pass on under its own name."""
    external: str | None = None
    """A module from elsewhere."""
    names_are_symbols: bool = True
    """What the import lists is taken from the first file; otherwise it is the names of the files."""


class ResolutionContext(NamedTuple):
    """What import resolution needs to know besides the file itself."""

    paths: ProjectPaths
    go_modules: Mapping[str, str] = {}
    """Folder to the module path in its go.mod."""
    node_packages: Mapping[str, str] = {}
    """Name in a package.json to its folder."""
    aliases: Sequence[tuple[str, str]] = ()
    """Of TypeScript: the prefix of an import, and that of the path it stands for."""
    namespaces: Mapping[str, Sequence[str]] = {}
    """Of C#: a namespace to the files that declare it."""
    may_guess: bool = False
    """No manifest was read: the only file whose path ends like the import may be meant."""


ImportReader = Callable[[str], Iterator[RawImport]]
"""Reads one import statement, given on one line and without comments. Paths begin with `./`."""
Resolver = Callable[[str, RawImport, ResolutionContext], Resolved]
"""From the path of the file that imports."""


@frozen
class Grammar:
    """A tree-sitter grammar, and the files it is for."""

    key: str
    """Kept with every file in the index."""
    module: str
    """The package that holds it; imported when such a file is first parsed."""
    extensions: tuple[str, ...]
    query: str = ""
    """What the grammar calls a definition, an import, and text that is no code: see `syntax/tree_query.py`. Without it,
    files are checked for syntax errors and not read."""
    name: str = ""
    """As people write it, where the language's own name does not say it."""
    file_names: tuple[str, ...] = ()
    """Whole names, in lower case."""
    function: str = "language"
    told_by: bytes = b""
    """A pattern: files with an extension that another grammar has too are read with this one if it is found in them."""
    ascii_only: bool = False
    """Letters beyond ASCII make this grammar read outside its tables, which ends the process."""


@frozen
class Tracer:
    """A program that is loaded into a test run without anything being installed in the project: to learn which lines
    each test runs, to interrupt tests that don't end, or to run them for many texts of a file."""

    program: str
    """A file of `syntax/tracers/`."""
    name: str
    """That it has in the temporary folder from which it is run."""
    variables: tuple[tuple[str, str, str], ...]
    """Of the environment, which make a runner load it: a name, what is put before its value, and what stands between
    them. `{folder}` is the temporary folder."""
    runners: tuple[str, ...] = ()
    """Names of those that load it, where it has to be known beforehand."""

    def fits(self, command: str) -> bool:
        runners = "|".join(map(re.escape, self.runners))
        return bool(runners) and re.search(rf"(?<![\w-])(?:{runners})(?![\w-])", command) is not None


QUOTED = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_REGEX = r"[=(,:;!&|?\[{}]\s*|\breturn\s+)/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
SCRIPT_STRINGS = rf"(?P<before>{_REGEX}|{QUOTED}|(?P<template>`(?:\\.|[^`\\])*`)"


@frozen
class Language:
    """All of it is looked up through `syntax/registry.py`; nothing else needs to know the language."""

    name: str
    """As people write it."""
    grammars: tuple[Grammar, ...]
    """Their files use each other's names."""
    interpreters: tuple[str, ...] = ()
    """Programs that run a file whose first line names them."""

    read_import: ImportReader = lambda _: iter(())
    resolve: Resolver = lambda _path, _raw, _around: Resolved()
    import_settings: frozenset[str] = frozenset()
    """Names of the files that say what imports mean."""
    resolves_by_file: bool = False
    """The same import may mean another file in each file of a folder."""
    lists_names: bool = False
    """An import that lists names brings in no others."""
    shares_folder: bool = False
    """Files of one folder see each other without an import."""
    has_namespaces: bool = False
    """What an import means depends on what other files declare."""
    facades: tuple[str, ...] = ()
    """Stems of files whose own imports are what is imported from them."""

    comment_marks: tuple[str, ...] = ("//",)
    """What begins a comment that ends with its line; the usual one first."""
    strings: str = SCRIPT_STRINGS
    """A pattern for strings, and for comments that have an end of their own. Group `before` is kept; `template` may
    compute something in `${…}`."""
    docstrings: bool = False
    """A definition is described by a string below its head, not by a comment above it."""
    scope_mark: str = ""
    """Stands between a name and what it belongs to, where a definition may name both."""
    indented: bool = False
    """A block is what is indented: functions are told even where the code is broken."""

    node_kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind], hash=False)
    """What the grammar calls otherwise than most do: see `syntax/node_kinds.py`."""

    test_stems: str = r"(?!)"
    """A pattern for the whole name of a test file, without its extension."""
    spec_folders: bool = True
    """What stands in a folder `spec` is a test, not a specification."""
    titled_tests: bool = False
    """Tests are calls that are given a title, not functions."""
    test_readers: tuple[str, ...] = ()
    """Names of the readers in `core/failures/readers/` that know the output of its test runners."""
    tracer: Tracer | None = None
    """Where its runners tell what ran."""
    interrupter: Tracer | None = None
    """Makes tests fail that don't end, where its runners let it."""
    forks: Tracer | None = None
    """Runs the same tests for many texts of a file from one start of the runner."""
    entry_files: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Names of files where a program begins, and what that is called."""
    has_main: bool = False
    """A program begins in a function `main`."""


def first_words(listed: str) -> list[str]:
    """Of `a as b, c` these are `a` and `c`."""
    return [words[0] for part in listed.split(",") if (words := part.split())]
