"""Which language a file is written in, by its name or its first line, and whether it has symbols."""

import re
from functools import cache
from typing import NamedTuple

from mulligan.syntax.language import Grammar
from mulligan.syntax.registry import grammars_for, language_with, languages


class FileType(NamedTuple):
    name: str
    """As people write it."""
    grammar: str | None = None
    """The key of the grammar that its symbols are read with."""
    is_code: bool = False
    """False for data and prose, which have no symbols."""


OTHER_CODE: dict[str, str] = {
    "Clojure": "clj cljs cljc", "Dart": "dart", "Elixir": "ex exs", "Erlang": "erl hrl", "Fortran": "f f90 f95 for",
    "F#": "fs fsx", "Groovy": "groovy gradle", "Haskell": "hs lhs", "Julia": "jl", "Kotlin": "kt kts",
    "Nim": "nim", "Objective-C": "m mm", "OCaml": "ml mli", "Perl": "pl pm", "PowerShell": "ps1 psm1", "R": "r",
    "Scala": "scala sc", "Svelte": "svelte", "Swift": "swift", "Vue": "vue", "Zig": "zig",
}  # fmt: skip
"""Names with their extensions. Counted, but without symbols: there is no grammar."""

NO_CODE: dict[str, str] = {
    "AsciiDoc": "adoc asciidoc", "CSS": "css scss sass less", "CSV": "csv tsv", "GraphQL": "graphql gql",
    "HCL": "tf tfvars hcl", "HTML": "html htm xhtml jinja jinja2 j2", "INI": "ini cfg conf properties editorconfig",
    "JSON": "json jsonc json5 jsonl ndjson ipynb", "Markdown": "md markdown mdx", "Protocol Buffers": "proto",
    "reStructuredText": "rst", "SQL": "sql", "SVG": "svg", "TOML": "toml", "Text": "txt text log",
    "XML": "xml xsd xsl plist csproj props targets resx", "YAML": "yaml yml",
}  # fmt: skip

FILE_NAMES: dict[str, str] = {
    "CMake": "cmakelists.txt", "Dockerfile": "dockerfile containerfile", "Makefile": "makefile gnumakefile",
    "Just": "justfile", "Go module": "go.mod go.sum", "TOML": "pipfile cargo.lock",
    "Text": "license licence copying notice authors readme changelog",
    "Ignore rules": ".gitignore .dockerignore .gitattributes", "INI": ".editorconfig",
}  # fmt: skip

DOCUMENTS = frozenset({"AsciiDoc", "Markdown", "reStructuredText"})


def file_type(path: str, head: bytes = b"") -> FileType | None:
    """By the file's name; without an extension, by its first line."""
    grammars = [grammar for grammar in grammars_for(path) if grammar.query]
    if grammars:
        return type_with(grammars[0])
    file_name = path.rpartition("/")[2].lower()
    if known := _by_file_name().get(file_name):
        return known
    stem, dot, extension = file_name.rpartition(".")
    if dot and stem:
        return _by_extension().get(extension)
    found = _shebang().match(head)
    return _by_interpreter().get(found[1].decode()) if found else None


def type_with(grammar: Grammar) -> FileType:
    """The type of files with this grammar."""
    return FileType(grammar.name or language_with(grammar.key).name, grammar.key, is_code=True)


@cache
def _by_extension() -> dict[str, FileType]:
    code = {each: FileType(name, is_code=True) for name, listed in OTHER_CODE.items() for each in listed.split()}
    return code | {each: FileType(name) for name, listed in NO_CODE.items() for each in listed.split()}


@cache
def _by_file_name() -> dict[str, FileType]:
    return {each: FileType(name) for name, listed in FILE_NAMES.items() for each in listed.split()}


@cache
def _by_interpreter() -> dict[str, FileType]:
    return {name: type_with(each.grammars[0]) for each in languages() for name in each.interpreters}


@cache
def _shebang() -> re.Pattern[bytes]:
    names = "|".join(_by_interpreter())
    return re.compile(rf"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?({names})[\d.]*\b".encode())
