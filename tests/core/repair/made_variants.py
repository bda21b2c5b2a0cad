"""Whole files, and single lines, that the variants of a line make."""

from mulligan.core.finding.excerpts import Excerpt
from mulligan.core.finding.line_change import LinePlace
from mulligan.core.repair.brief import Brief
from mulligan.core.repair.candidates import varied
from mulligan.core.repair.variants import line_variants
from mulligan.core.repair.vocabulary import Vocabulary


def files_made(path: str, text: str, line: int, *, failure: str = "") -> list[str]:
    lines = text.split("\n")
    source = Excerpt(path, 1, len(lines), text)
    brief = Brief("", (source,), (), (failure,) if failure else (), (), ())
    made = line_variants(path, lines, line, Vocabulary.of(brief))
    return ["\n".join(varied(LinePlace(path, line), each, lines).lines) for each in made]


def lines_made(path: str, text: str, line: int, *, failure: str = "") -> list[str]:
    """What stands in the place of the line."""
    files = [each.split("\n") for each in files_made(path, text, line, failure=failure)]
    return [lines[line - 1].strip() for lines in files if len(lines) >= line]
