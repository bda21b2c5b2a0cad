"""What cheap checks notice in the sources, nearest to the failures first."""

from collections.abc import Iterator, Sequence

from mulligan.core.fault_localisation.ranking import Focus, SourceFile, Weighed
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.findings.finding import FileContext, Finding, Hint
from mulligan.core.program_repair.findings.flow import notice_flow
from mulligan.core.program_repair.findings.names import notice_names
from mulligan.syntax.code_tree import code_tree
from mulligan.syntax.functions import innermost

MAX_HINTS = 4
WORTH = 2.8
"""The least weight of a hint. One in code that the failures don't touch is mostly a matter of taste."""
READ = frozenset({"Python", "JavaScript", "Go"})


def find_hints(
    files: Sequence[SourceFile], weighed: Sequence[Weighed], focus: Focus, known: FileContext, *, most: int = MAX_HINTS
) -> list[Hint]:
    """At most `most` hints, the strongest first, one per line."""
    closeness = {(each.file.path, each.function): each.weight for each in weighed}
    traced = {(location.path, location.line) for location in focus.locations}
    scored: list[tuple[float, Hint]] = []
    for file in files:
        for each in _notice(file, known):
            function = innermost(file.functions, each.line)
            near = closeness.get((file.path, function), 0.0) if function else 1.0
            score = each.weight + min(near, 3.0) + (2 if (file.path, each.line) in traced else 0)
            if score >= WORTH:
                scored.append(
                    (score, Hint(LineLocation(file.path, each.line), function.name if function else "", each))
                )
    scored.sort(key=lambda each: -each[0])
    best: dict[LineLocation, Hint] = {}
    for _, hint in scored:
        best.setdefault(hint.location, hint)
    return list(best.values())[:most]


def _notice(file: SourceFile, known: FileContext) -> Iterator[Finding]:
    tree = code_tree(file.path, "\n".join(file.lines))
    if tree is not None and tree.language.name in READ and not (tree.is_broken and tree.language.indented):
        yield from notice_names(tree, file.lines, known)
        yield from notice_flow(tree, known)
