"""What a file imports, and which files of the project these imports mean."""

import re
from collections.abc import Iterator, Sequence

from mulligan.syntax.language import RawImport, ResolutionContext
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.syntax.registry import language_of, language_with
from mulligan.syntax.testfiles import is_test_file
from mulligan.syntax.tree_query import Source, read_code

_SLASH_COMMENTS = re.compile(r"(?<![:/])//[^\n]*|/\*(?>.*?\*/|.*)", re.DOTALL)
"""Except after the colon of a URL."""


def file_imports(source: Source) -> tuple[RawImport, ...]:
    """What the import statements of a file name, in order. Module names are as the language writes them."""
    statements = sorted((match.node for match in source.matches if match.what == "import"), key=lambda n: n.start_byte)
    found = (each for node in statements for each in imports_in(source.grammar, source.of(node)))
    return tuple(dict.fromkeys(found))


def imports_in(grammar: str, text: str) -> Iterator[RawImport]:
    """What one import statement names."""
    language = language_with(grammar)
    mark = language.comment_marks[0]
    code = _SLASH_COMMENTS.sub("", text) if mark == "//" else re.sub(rf"{re.escape(mark)}[^\n]*", "", text)
    yield from language.read_import(" ".join(code.split()))


def imports_of(path: str, lines: Sequence[str], paths: ProjectPaths) -> list[str]:
    """The files that a file can use: those in its folder, if its language shares folders, then those it imports.

    Only paths are known here, so resolvers may guess.
    """
    source = read_code(path, "\n".join(lines))
    if source is None:
        return []
    around = ResolutionContext(paths, may_guess=True)
    found = _beside(path, paths) if source.language.shares_folder else []
    for raw in file_imports(source):
        meant = source.language.resolve(path, raw, around)
        # A module imported from a package is more relevant than the package's own file.
        found += [*meant.files[1:], *meant.files[:1], *meant.seen]
    return [each for each in dict.fromkeys(found) if each != path]


def passes_on(path: str) -> bool:
    """Whether a file re-exports its imports, such as a package's `__init__`."""
    language = language_of(path)
    return language is not None and path.rpartition("/")[2].partition(".")[0] in language.facades


def _beside(path: str, paths: ProjectPaths) -> list[str]:
    folder, language = path.rpartition("/")[0], language_of(path)
    return [each for each in paths.folders.get(folder, ()) if language_of(each) is language and not is_test_file(each)]
