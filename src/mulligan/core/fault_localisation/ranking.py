"""How relevant each function of the candidate files is to the failures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2

from mulligan.core.fault_localisation.spectrum import Ran, Spectrum
from mulligan.core.line_change import LineLocation
from mulligan.syntax.blocks import defined_names
from mulligan.syntax.functions import CodeFunction, functions_in, innermost, names_in
from mulligan.syntax.imports import passes_on
from mulligan.syntax.likeness import nearly_equal
from mulligan.syntax.statements import TopLevel, top_level

CALLED = 0.6
"""Factor on a function's relevance for the functions that it calls."""
HOPS = 3
"""Levels of calls to follow."""
NOT_RUN = 0.1
"""Factor for a function that no failing test ran."""
WEIGHTS: tuple[float, ...] = (3.0, 1.0, 1.0, 0.15, 0.1)
"""The weight of each value of `evidence`: chosen on bugs planted in four packages, and rounded. `python -m
bench.locate.fit` tries others on the same packages. The other numbers here are judgement, and not fitted."""
SEEN_BEFORE = 0.3
"""Factor for the function that the last attempt looked at first."""


@dataclass(frozen=True)
class SourceFile:
    path: str
    lines: tuple[str, ...]
    distance: int = 0
    """Imports between it and a failing test or a traceback: 0 if one of these names it."""

    @cached_property
    def functions(self) -> tuple[CodeFunction, ...]:
        return tuple(functions_in(self.path, self.lines))

    @cached_property
    def top_level(self) -> tuple[TopLevel, ...]:
        return tuple(top_level(self.path, self.lines, self.functions))

    def own_lines(self, function: CodeFunction) -> frozenset[int]:
        """The function's lines without those of inner functions."""
        within = [each for each in self.functions if function.first <= each.first and each.last <= function.last]
        return frozenset(range(function.first, function.last + 1)).difference(
            *(range(each.first, each.last + 1) for each in within if each != function)
        )

    def text(self, first: int, last: int) -> str:
        return "\n".join(self.lines[first - 1 : last])


@dataclass(frozen=True, slots=True)
class Focus:
    """What the failures point to."""

    tested: frozenset[str]
    """Names in the failing tests."""
    mentioned: frozenset[str] = frozenset()
    """Names in the goal and in the failures' messages."""
    locations: tuple[LineLocation, ...] = ()
    """Source lines in tracebacks, the innermost first."""
    spectrum: Spectrum | None = None
    """What ran, if the runner could tell."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A function with its weight."""

    file: SourceFile
    function: CodeFunction
    weight: float
    ran: Ran | None = None
    """How it ran in the tests, if that is known."""


def weigh(files: Sequence[SourceFile], focus: Focus, *, attempt: int = 1) -> list[Weighed]:
    """The functions related to the failures, the most suspicious first.

    On a second attempt the next most suspicious one comes first.
    """
    weights = {(file.path, each): _own_weight(file, each, focus) for file in files for each in file.functions}
    names = {
        (file.path, each): names_in(file.path, file.text(each.first, each.last)) - {each.name}
        for file in files
        for each in file.functions
    }
    for _ in range(HOPS):
        _spread(weights, names)
    every = [
        _weighed(file, each, weights[file.path, each], focus.spectrum) for file in files for each in file.functions
    ]
    found = [each for each in every if each.weight > 0]
    found.sort(key=lambda each: (-each.weight, each.file.distance, each.file.path, each.function.first))
    if attempt == 2 and len(found) > 1:
        found = [*found[1:], replace(found[0], weight=found[0].weight * SEEN_BEFORE)]
    return found


def rank_files(files: Sequence[SourceFile], weighed: Sequence[Weighed], focus: Focus) -> list[SourceFile]:
    """The most suspicious file first. Those without evidence are left out, unless no file has any."""
    used = {
        name
        for each in weighed
        for name in names_in(each.file.path, each.file.text(each.function.first, each.function.last))
    }
    scores = {file.path: _file_score(file, weighed, focus, used) for file in files}
    ranked = sorted(files, key=lambda file: (-scores[file.path], file.distance, file.path))
    return [file for file in ranked if scores[file.path] >= 1] or ranked[:2]


def _own_weight(file: SourceFile, function: CodeFunction, focus: Focus) -> float:
    weight = 0.0
    if function.name in focus.tested:
        weight += 3 if file.distance == 0 else 2
    elif function.owner and function.owner in focus.tested:
        weight += 1 if function.name in {"__init__", "constructor"} else 0.3
    if function.name in focus.mentioned:
        weight += 1.5
    elif weight == 0 and any(nearly_equal(function.name, each) for each in focus.mentioned):
        weight += 1
    for rank, location in enumerate(focus.locations):
        if location.path == file.path and innermost(file.functions, location.line) == function:
            return weight + (3 if rank == 0 else 2)
    return weight


def _weighed(file: SourceFile, function: CodeFunction, weight: float, spectrum: Spectrum | None) -> Weighed:
    if spectrum is None:
        return Weighed(file, function, weight)
    ran = spectrum.of(file.path, file.own_lines(function))
    if ran is None:
        return Weighed(file, function, weight * NOT_RUN)
    counted = sum(each * seen for each, seen in zip(WEIGHTS, evidence(ran, weight), strict=True))
    return Weighed(file, function, counted, ran)


def evidence(ran: Ran, weight: float) -> tuple[float, float, float, float, float]:
    """Its most suspicious line, the function as a whole, how late it ran, the logarithm of its lines, names and
    tracebacks."""
    recent = 0.0 if ran.age is None else 1 / (1 + ran.age)
    return ran.by_lines, ran.as_whole, recent, log2(1 + ran.size), weight


def _spread(weights: dict[tuple[str, CodeFunction], float], names: Mapping[tuple[str, CodeFunction], set[str]]) -> None:
    by_name: dict[str, list[tuple[str, CodeFunction]]] = {}
    for key in weights:
        by_name.setdefault(key[1].name, []).append(key)
    for caller, weight in list(weights.items()):
        for called in _called(names[caller], by_name) if weight > 0.5 else ():
            weights[called] = max(weights[called], weight * CALLED)


def _called(
    names: set[str], by_name: Mapping[str, list[tuple[str, CodeFunction]]]
) -> Iterator[tuple[str, CodeFunction]]:
    for name in names:
        yield from by_name.get(name, ())


def _file_score(file: SourceFile, weighed: Sequence[Weighed], focus: Focus, used: set[str]) -> float:
    own = [each.weight for each in weighed if each.file.path == file.path]
    score = max(own, default=0.0) + 0.1 * sum(own)
    if any(location.path == file.path for location in focus.locations):
        score += 1.5
    if passes_on(file.path) and not own:
        return score  # it only re-exports what others define
    if not own and used.intersection(defined_names(file.lines)):
        score += 1
    stem = file.path.rpartition("/")[2].partition(".")[0]
    return score + (1 if stem in focus.mentioned else 0) + (0.5 if file.distance == 0 else 0)
