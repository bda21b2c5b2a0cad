"""What is stored about one file, and in which format."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mulligan.syntax.language import RawImport
from mulligan.types.codecontext import SkipReason
from mulligan.types.symbols import SymbolKind

_ENTRY = re.compile(r"\n([^\t\n]++)\t(\d++)")


class FileSymbol(NamedTuple):
    """A `Symbol` without its file."""

    name: str
    kind: SymbolKind
    line: int
    end_line: int
    signature: str
    doc: str
    parent: str
    is_declaration: bool


class ParsedFile(NamedTuple):
    """What a file's text alone shows."""

    grammar: str | None = None
    """The grammar of its symbols; None if the file has none."""
    language: str | None = None
    lines: int = 0
    doc: str = ""
    skipped: SkipReason | None = None
    symbols: tuple[FileSymbol, ...] = ()
    imports: tuple[RawImport, ...] = ()
    names: str = ""
    """The identifiers in its code as `\\nname\\tcount\\tline`, each once, in the order they first appear, and `\\n`."""


def counts_of(names: str) -> dict[str, int]:
    """The names in this form, each with its count."""
    return {name: int(count) for name, count in _ENTRY.findall(names)}


def first_use(names: str, name: str) -> tuple[int, int] | None:
    """How often a name is used, and the line where it first is."""
    start = names.find(f"\n{name}\t")
    if start < 0:
        return None
    _, count, line = names[start + 1 : names.index("\n", start + 1)].split("\t")
    return int(count), int(line)


def without_lines(names: str) -> str:
    """The names and their counts alone."""
    return re.sub(r"\t\d+$", "", names, flags=re.MULTILINE)


def written_imports(imports: tuple[RawImport, ...]) -> str:
    return "\n".join(f"{each.module}\t{' '.join(each.names)}" for each in imports)


def read_imports(text: str) -> tuple[RawImport, ...]:
    pairs = (line.partition("\t") for line in text.split("\n") if line)
    return tuple(RawImport(module, tuple(names.split())) for module, _, names in pairs)


def from_json(fields: Sequence[Any]) -> ParsedFile:
    """From a `ParsedFile` that another process sent as JSON."""
    made = ParsedFile._make(fields)
    read = tuple(RawImport(module, tuple(listed)) for module, listed in made.imports)
    return made._replace(symbols=tuple(map(FileSymbol._make, made.symbols)), imports=read)
