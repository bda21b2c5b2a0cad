"""What cheap checks notice in the sources, nearest to the failures first."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.findings.brace_languages import notice_in_braces
from mulligan.core.program_repair.findings.finding import CodeFinding, Known
from mulligan.core.program_repair.findings.python_flow import notice_flow
from mulligan.core.program_repair.findings.python_names import notice_names
from mulligan.core.program_repair.sites.ranking import Focus, SourceFile, Weighed
from mulligan.core.retrieval.line_change import LineLocation
from mulligan.syntax.functions import innermost
from mulligan.syntax.languages.javascript import SCRIPTS

MOST = 4
WORTH = 2.8
"""What a hint must count. One in code that the failures do not touch is mostly a matter of taste."""


@dataclass(frozen=True, slots=True)
class Hint:
    place: LineLocation
    text: str


def find_hints(
    files: Sequence[SourceFile], weighed: Sequence[Weighed], focus: Focus, known: Known, *, most: int = MOST
) -> list[Hint]:
    """At most so many, the most telling first, one a line."""
    closeness = {(each.file.path, each.function): each.weight for each in weighed}
    traced = {(place.path, place.line) for place in focus.places}
    scored: list[tuple[float, Hint]] = []
    for file in files:
        for each in _notice(file, known):
            function = innermost(file.functions, each.line)
            near = closeness.get((file.path, function), 0.0) if function else 1.0
            score = each.weight + min(near, 3.0) + (2 if (file.path, each.line) in traced else 0)
            where = f"{file.path}, {function.name}" if function else file.path
            if score >= WORTH:
                scored.append((score, Hint(LineLocation(file.path, each.line), f"{where}: {each.text}")))
    scored.sort(key=lambda each: -each[0])
    best: dict[LineLocation, Hint] = {}
    for _, hint in scored:
        best.setdefault(hint.place, hint)
    return list(best.values())[:most]


def _notice(file: SourceFile, known: Known) -> list[CodeFinding]:
    if file.path.endswith((".py", ".pyi")):
        return [*notice_names(file.lines, known), *notice_flow(file.lines, known)]
    return list(notice_in_braces(file, known)) if file.path.endswith((*SCRIPTS, ".go")) else []
