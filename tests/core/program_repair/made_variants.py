"""Whole files, and single lines, that operators make of a line, compared without regard to layout."""

import re
from collections.abc import Sequence

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate, slips_at
from mulligan.core.retrieval.excerpts import Excerpt

SOON = 60
"""Changes of one place among which the one that is meant stands: half of what is tested before a model is asked."""


def candidates_made(
    path: str,
    text: str,
    line: int,
    *,
    failures: Sequence[str] = (),
    tests: str = "",
    others: dict[str, str] | None = None,
) -> list[Candidate]:
    texts = {path: text, **(others or {})}
    sources = tuple(Excerpt(each, 1, whole.count("\n") + 1, whole) for each, whole in texts.items())
    shown = (Excerpt(f"test_{path}", 1, tests.count("\n") + 1, tests),) if tests else ()
    brief = Brief("", sources, shown, tuple(failures), (), ())
    files = {each: tuple(whole.split("\n")) for each, whole in texts.items()}
    return [slip.candidate() for slip in slips_at(brief, files, LineLocation(path, line))]


def files_made(path: str, text: str, line: int, *, failure: str = "") -> list[str]:
    made = candidates_made(path, text, line, failures=(failure,) if failure else ())
    return ["\n".join(each.lines) for each in made]


def lines_made(path: str, text: str, line: int, *, failure: str = "") -> list[str]:
    """What stands in the place of the line."""
    files = [each.split("\n") for each in files_made(path, text, line, failure=failure)]
    return [lines[line - 1].strip() for lines in files if len(lines) >= line]


def is_made(meant: str, made: Sequence[str]) -> bool:
    """Whether a text is among those that were made, whatever its layout."""
    return plain(meant) in {plain(each) for each in made}


def plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


def completed(path: str, line: str, above: str = "") -> str:
    """A line in a function, with what its block needs to be closed."""
    if path.endswith(".py"):
        return f"{above or 'def f(a, b):'}\n    {line}" + ("\n        pass" if line.endswith(":") else "")
    head = above or ("func f(a int, b int) int {" if path.endswith(".go") else "function f(a, b) {")
    closed = line.startswith("}")
    return f"{head}\n{'if (a) {' if closed else ''}{line}\n{'}' if line.endswith('{') else ''}\n}}"


def holds(meant: str, made: Sequence[str]) -> bool:
    """Whether one of the texts has this in it."""
    return any(plain(meant) in plain(each) for each in made)
