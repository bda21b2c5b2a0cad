"""Which language a file is written in, by its name or its first line, and what is done with it."""

import re
from functools import cache
from typing import NamedTuple

from mulligan.syntax.grammars import grammar_name


class Language(NamedTuple):
    name: str
    """As people write it."""
    grammar: str | None = None
    """The key in `GRAMMARS` its symbols are read with."""
    is_code: bool = False
    """Data and prose have no symbols to miss."""


BY_GRAMMAR: dict[str, Language] = {
    grammar: Language(name, grammar, is_code=True)
    for grammar, name in {
        "python": "Python",
        "javascript": "JavaScript",
        "typescript": "TypeScript",
        "tsx": "TypeScript",
        "go": "Go",
        "rust": "Rust",
        "java": "Java",
        "c": "C",
        "cpp": "C++",
        "c_sharp": "C#",
        "ruby": "Ruby",
        "php": "PHP",
        "bash": "Shell",
    }.items()
}

OTHER_CODE: dict[str, tuple[str, ...]] = {
    "Clojure": ("clj", "cljs", "cljc"),
    "Dart": ("dart",),
    "Elixir": ("ex", "exs"),
    "Erlang": ("erl", "hrl"),
    "Fortran": ("f", "f90", "f95", "for"),
    "F#": ("fs", "fsx"),
    "Groovy": ("groovy", "gradle"),
    "Haskell": ("hs", "lhs"),
    "Julia": ("jl",),
    "Kotlin": ("kt", "kts"),
    "Lua": ("lua",),
    "Nim": ("nim",),
    "Objective-C": ("m", "mm"),
    "OCaml": ("ml", "mli"),
    "Perl": ("pl", "pm"),
    "PowerShell": ("ps1", "psm1"),
    "R": ("r",),
    "Scala": ("scala", "sc"),
    "Svelte": ("svelte",),
    "Swift": ("swift",),
    "Vue": ("vue",),
    "Zig": ("zig",),
}
"""Counted, but without symbols: no grammar is at hand."""

NO_CODE: dict[str, tuple[str, ...]] = {
    "AsciiDoc": ("adoc", "asciidoc"),
    "CSS": ("css", "scss", "sass", "less"),
    "CSV": ("csv", "tsv"),
    "GraphQL": ("graphql", "gql"),
    "HCL": ("tf", "tfvars", "hcl"),
    "HTML": ("html", "htm", "xhtml", "jinja", "jinja2", "j2"),
    "INI": ("ini", "cfg", "conf", "properties", "editorconfig"),
    "JSON": ("json", "jsonc", "json5", "jsonl", "ndjson", "ipynb"),
    "Markdown": ("md", "markdown", "mdx"),
    "Protocol Buffers": ("proto",),
    "reStructuredText": ("rst",),
    "SQL": ("sql",),
    "SVG": ("svg",),
    "TOML": ("toml",),
    "Text": ("txt", "text", "log"),
    "XML": ("xml", "xsd", "xsl", "plist", "csproj", "props", "targets", "resx"),
    "YAML": ("yaml", "yml"),
}

FILE_NAMES: dict[str, str] = {
    "cmakelists.txt": "CMake",
    "dockerfile": "Dockerfile",
    "containerfile": "Dockerfile",
    "makefile": "Makefile",
    "gnumakefile": "Makefile",
    "justfile": "Just",
    "go.mod": "Go module",
    "go.sum": "Go module",
    "pipfile": "TOML",
    "cargo.lock": "TOML",
    "license": "Text",
    "licence": "Text",
    "copying": "Text",
    "notice": "Text",
    "authors": "Text",
    "readme": "Text",
    "changelog": "Text",
    ".gitignore": "Ignore rules",
    ".dockerignore": "Ignore rules",
    ".gitattributes": "Ignore rules",
    ".editorconfig": "INI",
}

DOCUMENTS = frozenset({"AsciiDoc", "Markdown", "reStructuredText"})

_SHEBANG = re.compile(rb"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:\S*/)?(python|bash|sh|dash|zsh|node|ruby|php)[\d.]*\b")
_INTERPRETERS = {b"python": "python", b"node": "javascript", b"ruby": "ruby", b"php": "php"}


def language_of(path: str, head: bytes = b"") -> Language | None:
    """By the file's name; one without an extension by its first line."""
    grammar = grammar_name(path)
    if grammar in BY_GRAMMAR:
        return BY_GRAMMAR[grammar]
    file_name = path.rpartition("/")[2].lower()
    if file_name in FILE_NAMES:
        return Language(FILE_NAMES[file_name])
    stem, dot, extension = file_name.rpartition(".")
    if dot and stem:
        return _by_extension().get(extension)
    found = _SHEBANG.match(head)
    return BY_GRAMMAR[_INTERPRETERS.get(found[1], "bash")] if found else None


@cache
def _by_extension() -> dict[str, Language]:
    code = {each: Language(name, is_code=True) for name, extensions in OTHER_CODE.items() for each in extensions}
    return code | {each: Language(name) for name, extensions in NO_CODE.items() for each in extensions}
