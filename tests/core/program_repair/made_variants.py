"""Whole files, and single lines, that the variants of a line make."""

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import variant_candidate
from mulligan.core.program_repair.operators.variants import line_variants
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.retrieval.line_change import LineLocation


def files_made(path: str, text: str, line: int, *, failure: str = "") -> list[str]:
    lines = text.split("\n")
    source = Excerpt(path, 1, len(lines), text)
    brief = Brief("", (source,), (), (failure,) if failure else (), (), ())
    made = line_variants(path, lines, line, ProjectWords.of(brief))
    return ["\n".join(variant_candidate(LineLocation(path, line), each, lines).lines) for each in made]


def lines_made(path: str, text: str, line: int, *, failure: str = "") -> list[str]:
    """What stands in the place of the line."""
    files = [each.split("\n") for each in files_made(path, text, line, failure=failure)]
    return [lines[line - 1].strip() for lines in files if len(lines) >= line]
