"""Give whole readers long texts of one piece, again and again, and print those whose work grows too fast."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from unittest.mock import patch

from tree_sitter import Tree

from mulligan.codecontext.manifests import read_manifest
from mulligan.codecontext.symbol_search import NameList, fits
from mulligan.core.compaction.sections import read_sections
from mulligan.core.failures import classify_failure, locations_in, read_report
from mulligan.core.globs import choose
from mulligan.core.project_commands.shell import read_simple
from mulligan.core.repetition import mask_volatile
from mulligan.core.retrieval.facts import names_asked
from mulligan.core.retrieval.terms import read_question
from mulligan.syntax import extract, grammars, tree_query
from mulligan.syntax.doc_comments import comment_above, comment_at_top, docstring_line
from mulligan.syntax.imports import imports_in
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.syntax.registry import grammars as all_grammars
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.gitignore import parse_rule
from tests.hostile_text.measuring import LARGER, SIZE, grows_too_fast

LINE = 99
"""Characters of a line where the text has lines: what has longer ones is not read as code."""

FRAGMENTS = (
    " ", "\t", "\n", "\\", '"', "`", "(", "[", "{", "<", "*", "a", "a ", "a.", "a(", "a<", "`${", '\\"', "/*", "<!--",
    "<see ", '"""', "use a::{", "import {a,", "class A{", "class A:", "# a\n", "// a\n", "<dependency>",
    ' File "a", line 1', "a:1:1: ", "* a", "**/a",
)  # fmt: skip
"""Those that some reader was too slow on once, and one of every kind: runs, nesting, what has no end, lines."""
MORE_FRAGMENTS = (
    "'", ")", "/", ".", ":", ",", "=", "#", "@", "!", "|", "a,", "f(a,", "if(", "*/", "//", "=>", "?a:", "a::",
    "from . import a,", "def f(", "function f(){", "template<a>", "@a\n", "a=b=", "require a.b v1\n", '"a":[',
    "[[a]]\n", "a.a=1\n", "FAIL a\n", "1 failed ", "error[a]: ", "{a,b}", "cd a && ",
)  # fmt: skip

MANIFESTS = (
    "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "package.json", "go.mod", "Cargo.toml", "pom.xml",
    "build.gradle", "Gemfile", "a.gemspec", "composer.json", "a.csproj", "CMakeLists.txt", "mix.exs", "Package.swift",
)  # fmt: skip
NOTHING = ProjectPaths([])
READ = [key for key, grammar in all_grammars().items() if grammar.query]

Reader = Callable[[str], object]


def _all(found: Iterable[object]) -> None:
    deque(found, maxlen=0)


def _report(command: str) -> Reader:
    return lambda text: read_report(command, 1, text, "")


def _manifest(name: str) -> Reader:
    return lambda text: read_manifest(name, text, NOTHING)


def _imports(grammar: str) -> Reader:
    return lambda text: _all(imports_in(grammar, text))


@lru_cache(maxsize=4)
def _parsed_once(name: str, source: bytes, seconds: float | None = None) -> Tree | None:
    """What a grammar makes of a text is not ours: it is parsed when a text is first read, and not when it is timed."""
    try:
        return grammars.parse(name, source, seconds)
    except grammars.TooSlow:
        return None


def _parse_from_cache(name: str, source: bytes, seconds: float | None = None) -> Tree:
    tree = _parsed_once(name, source, seconds)
    if tree is None:
        raise grammars.TooSlow
    return tree


def _code(grammar: str) -> Reader:
    path = f"a.{all_grammars()[grammar].extensions[0]}"

    def read(text: str) -> None:
        with patch.object(tree_query, "parse", _parse_from_cache), suppress(grammars.TooSlow):
            extract.parse_file(path, _in_lines(text).encode(), 0.05)

    return read


def _glob(text: str) -> None:
    with suppress(CallRejected):
        choose(f"{text[:200]}*z", ["a" * 250, "a/" * 400 + "a"], ".")


def _ignored(text: str) -> None:
    rule = parse_rule(f"{text[:200]}*z")
    if rule:
        rule.fits.fullmatch("a" * 250)


READERS: Mapping[str, Mapping[str, Reader]] = {
    "code": {grammar: _code(grammar) for grammar in READ},
    "imports": {grammar: _imports(grammar) for grammar in READ},
    "manifests": {name: _manifest(name) for name in MANIFESTS},
    "output": {
        **{
            command: _report(command)
            for command in ("pytest", "npm test", "go test", "cargo test", "ruff check", "make")
        },
        "why it failed": lambda text: classify_failure("make", 1, text),
        "places": locations_in,
    },
    "texts": {
        "a comment above": lambda text: _all(comment_above([text, text], row, ("//", "#")) for row in (1, 2)),
        "a comment at the top": lambda text: comment_at_top([text, text], ("//", "#")),
        "a docstring": docstring_line,
        "names like one": lambda text: fits(text[:30] + "z", NameList([text])) if text.strip() else None,
        "a summary": read_sections,
        "a question": lambda text: (read_question(text), names_asked(text)),
        "a command": read_simple,
        "what differs from run to run": mask_volatile,
        "a glob": _glob,
        "an ignore rule": _ignored,
    },
}


def main() -> None:
    """`try_readers GROUP`, or `try_readers GROUP more`."""
    group, *more = sys.argv[1:]
    fragments, size = ((*FRAGMENTS, *MORE_FRAGMENTS), 2 * LARGER) if more else (FRAGMENTS, SIZE)
    for name, reader in READERS[group].items():
        for fragment in fragments:
            if grows_too_fast(
                lambda wanted, read=reader, again=fragment: _read(read, again * (wanted // len(again))), size
            ):
                sys.stdout.write(f"{name}: {fragment!r}\n")
                sys.stdout.flush()


def _read(reader: Reader, text: str) -> Callable[[], object]:
    return lambda: reader(text)


def _in_lines(text: str) -> str:
    return "\n".join(text[start : start + LINE] for start in range(0, len(text), LINE))


if __name__ == "__main__":
    main()
