"""Assembles what a coder is shown up front, within a budget."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mulligan.core.failures.summaries.lines import FailureInCode, failure_lines
from mulligan.core.fault_localisation.ranking import Focus, SourceFile, Weighed, rank_files, weigh
from mulligan.core.fault_localisation.spectrum import Spectrum
from mulligan.core.fault_localisation.suspects import suspect_lines, wrong_branches
from mulligan.core.guided_coder.missing_code import missing_code
from mulligan.core.guided_coder.outline import outline_of
from mulligan.core.guided_coder.sources import choose_sources, excerpts_of
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief, LocatedFunction, SuspectFunction
from mulligan.core.program_repair.findings.finding import FileContext
from mulligan.core.program_repair.findings.hints import find_hints
from mulligan.core.retrieval.excerpts import HEADER, Excerpt
from mulligan.core.writing.instructions import instructions_about
from mulligan.core.writing.tests_prompt import TestFile
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.failing_tests import failing_bodies, support_of
from mulligan.syntax.functions import CodeFunction, names_in
from mulligan.syntax.statements import statement_at
from mulligan.types.fixing import FailingTest

FOR_FAILURES = 0.2
"""Share of the budget; the first line is always shown."""
FOR_HINTS = 0.15
FOR_TESTS = 0.25
AROUND, FOR_OUTLINE = 1.4, 0.6
"""For a question about one function alone, which shows no other source."""
NOTICED = 0.5
"""Added to a function's weight if something was noticed in it."""
MAX_LOCATED = 20
MAX_FUNCTIONS, MAX_SHOWN = 5, 3
"""Suspected functions that may be rewritten: one by one, and of those that the sources show."""
MAX_FUNCTION_LINES = 60
"""A small model gets lost in a longer one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing test with the project's paths."""

    test: FailingTest
    path: str | None
    """The test's file."""
    locations: tuple[LineLocation, ...] = ()
    """Lines that its output points to, innermost first."""


def make_brief(
    goal: str,
    failures: Sequence[Failure],
    tests: Mapping[str, tuple[str, ...]],
    sources: Sequence[SourceFile],
    known: FileContext,
    *,
    budget: float,
    attempt: int = 1,
    blank: Sequence[str] = (),
    documents: Mapping[str, Sequence[str]] | None = None,
    references: Sequence[str] = (),
    spectrum: Spectrum | None = None,
) -> Brief:
    """`tests` are the files of the failing tests, `budget` is in characters. Sources get what the rest leaves. `blank`
    are empty files that tests import, `documents` are texts about the sources, `references` other sources."""
    failing = _Failing(tests, {path: _bodies(path, lines, failures) for path, lines in tests.items()})
    focus = _focus(goal, failures, failing, sources, spectrum)
    known = replace(known, keys=_keys(failing), results_used=_results_used(failing))
    weighed = weigh(sources, focus, attempt=attempt)
    ranked = rank_files(sources, weighed, focus)
    lines = _fitting(failure_lines([_seen(each, failing, sources) for each in failures]), budget * FOR_FAILURES)
    hints = find_hints(ranked, weighed, focus, known)
    weighed = _noticed_first(weighed, [each.location for each in hints])
    shown_hints = hints[: len(_fitting([each.text for each in hints], budget * FOR_HINTS))]
    shown_tests = tuple(_test_excerpts(failures, failing, budget * FOR_TESTS))
    taken = sum(map(len, (goal, *lines, *(each.text for each in shown_hints)))) + sum(map(_size, shown_tests))
    shown = choose_sources(ranked, weighed, focus, budget=budget - taken, attempt=attempt)
    pointed = [*(each.location for each in hints), *wrong_branches(lines, weighed)]
    suspects = suspect_lines(focus, pointed, weighed, ranked, attempt=attempt)
    missing = missing_code(
        goal,
        outputs=[f"{each.test.message}\n{each.test.detail}" for each in failures],
        failures=lines,
        tests=[TestFile(path, tests[path], tuple(blocks)) for path, blocks in failing.bodies.items()],
        sources=ranked,
        blank=blank,
        focus=focus,
        documents=documents or {},
    )
    functions = tuple(_functions(weighed, shown, ranked, budget))
    named = {part for each in functions if each.shown for part in each.name.split(".")}
    return Brief(
        goal,
        shown,
        shown_tests,
        lines,
        tuple(shown_hints),
        suspects,
        tuple(references),
        functions=functions,
        located=tuple(_located(each) for each in weighed[:MAX_LOCATED]),
        functions_ran=sum(each.ran is not None for each in weighed),
        missing=missing,
        documents=instructions_about(named, documents or {}) if named else "",
    )


def _located(each: Weighed) -> LocatedFunction:
    function = each.function
    return LocatedFunction(each.file.path, function.qualified, function.first, function.last, each.weight)


def _functions(
    weighed: Sequence[Weighed], shown: Sequence[Excerpt], ranked: Sequence[SourceFile], budget: float
) -> Iterator[SuspectFunction]:
    """Functions that are short enough to be rewritten: the most suspicious ones, and those that are shown whole."""
    found: dict[tuple[str, CodeFunction], tuple[Weighed, bool]] = {}
    for each in weighed:
        function, path = each.function, each.file.path
        whole = any(one.path == path and one.first <= function.first and function.last <= one.last for one in shown)
        if function.last - function.first < MAX_FUNCTION_LINES:
            found.setdefault((path, function), (each, whole))
    kept = [key for key, (_, whole) in found.items() if whole][:MAX_SHOWN]
    for rank, (key, (each, _)) in enumerate(found.items()):
        if rank < MAX_FUNCTIONS or key in kept:
            path, function = key
            around = _around(each, budget * AROUND)
            outline = outline_of(ranked, [around], budget * FOR_OUTLINE)
            yield SuspectFunction(path, function.qualified, key in kept, around, outline, function.first, function.last)


def _around(each: Weighed, budget: float) -> Excerpt:
    """The function with the lines before and after it, at least its own."""
    file, first, last = each.file, each.function.first, each.function.last
    while True:
        wider = max(1, first - 1), min(len(file.lines), last + 1)
        if wider == (first, last) or len(file.text(*wider)) > budget:
            return Excerpt(file.path, first, last, file.text(first, last))
        first, last = wider


def _noticed_first(weighed: Sequence[Weighed], locations: Sequence[LineLocation]) -> list[Weighed]:
    """Functions in which something was noticed come first; if it is known what ran, they weigh more."""

    def is_noticed(each: Weighed) -> bool:
        first, last = each.function.first, each.function.last
        return any(location.path == each.file.path and first <= location.line <= last for location in locations)

    if not any(each.ran for each in weighed):
        return sorted(weighed, key=lambda each: not is_noticed(each))
    counted = [replace(each, weight=each.weight + NOTICED) if is_noticed(each) else each for each in weighed]
    return sorted(counted, key=lambda each: -each.weight)


def _bodies(path: str, lines: Sequence[str], failures: Sequence[Failure]) -> list[CodeBlock]:
    own = [each for each in failures if each.path == path]
    at = [location.line for each in own for location in each.locations if location.path == path]
    return failing_bodies(path, lines, [each.test for each in own], at)


def _focus(
    goal: str, failures: Sequence[Failure], failing: "_Failing", sources: Sequence[SourceFile], ran: Spectrum | None
) -> Focus:
    tested = {name for path, text in failing.texts() for name in names_in(path, text)}
    prose = " ".join([goal, *(each.test.message for each in failures)])
    paths = {each.path for each in sources}
    locations = [location for each in failures for location in each.locations if location.path in paths]
    return Focus(frozenset(tested), frozenset(_WORD.findall(prose)), tuple(dict.fromkeys(locations)), ran)


@dataclass(frozen=True, slots=True)
class _Failing:
    files: Mapping[str, tuple[str, ...]]
    """The files with the failing tests."""
    bodies: Mapping[str, Sequence[CodeBlock]]
    """Where the tests are in them."""

    def texts(self) -> Iterator[tuple[str, str]]:
        """The failing tests' code, with what they use of their files; the whole file if no test was found in it."""
        for path, blocks in self.bodies.items():
            lines = self.files[path]
            for block in (*blocks, *support_of(path, lines, blocks)) or [CodeBlock(1, len(lines))]:
                yield path, "\n".join(lines[block.first - 1 : block.last])


def _keys(failing: _Failing) -> frozenset[str]:
    found: set[str] = set()
    for path, text in failing.texts():
        found.update(_QUOTED.findall(text))
        if not path.endswith((".py", ".pyi")):  # there, keys have no quotes
            found |= names_in(path, text)
    return frozenset(found)


def _results_used(failing: _Failing) -> frozenset[str]:
    lines = [line.strip() for _, text in failing.texts() for line in text.splitlines()]
    return frozenset(
        found[1] for line in lines for found in _CALL.finditer(line) if line[: found.start()].strip(" .") not in _ALONE
    )


def _seen(failure: Failure, failing: _Failing, sources: Sequence[SourceFile]) -> FailureInCode:
    path = failure.path or ""
    lines = failing.files.get(path, ())
    line = next((location.line for location in failure.locations if location.path == path), 0)
    own = failing_bodies(path, lines, [failure.test], [line]) if lines else []
    blocks = own or failing.bodies.get(path, ())[:1]
    body = "\n".join("\n".join(lines[each.first - 1 : each.last]) for each in blocks)
    return FailureInCode(failure.test, path, statement_at(path, lines, line), body, _raised_at(failure, sources))


def _raised_at(failure: Failure, sources: Sequence[SourceFile]) -> str:
    by_path = {each.path: each.lines for each in sources}
    for location in failure.locations:
        lines = by_path.get(location.path, ())
        if 0 < location.line <= len(lines):
            return f"{location.path}:{location.line}: {lines[location.line - 1].strip()}"
    return ""


def _test_excerpts(failures: Sequence[Failure], failing: _Failing, budget: float) -> Iterator[Excerpt]:
    """Bodies first, then what they use, as far as they fit. The first body is cut rather than left out."""
    for path, blocks in failing.bodies.items():
        file = SourceFile(path, failing.files[path])
        chosen: list[CodeBlock] = []
        for block in (*blocks, *support_of(path, file.lines, blocks)):
            if sum(map(_size, excerpts_of(file, [*chosen, block]))) <= budget:
                chosen.append(block)
        if not chosen and blocks:
            at = [location.line for each in failures for location in each.locations if location.path == path]
            chosen = [_cut(file, blocks[0], at, budget)]
        excerpts = list(excerpts_of(file, chosen))
        budget -= sum(map(_size, excerpts))
        yield from excerpts


def _cut(file: SourceFile, block: CodeBlock, at: Sequence[int], budget: float) -> CodeBlock:
    """The part of a long test that ends at the failing line."""
    last = next((line for line in at if block.first <= line <= block.last), block.last)
    first = last
    while first > block.first and len(file.text(first - 1, last)) + len(file.path) + HEADER <= budget:
        first -= 1
    return CodeBlock(first, last)


def _fitting(lines: Sequence[str], budget: float) -> tuple[str, ...]:
    """The first of them, and others as long as they fit."""
    chosen: list[str] = []
    for line in lines:
        budget -= len(line)
        if chosen and budget < 0:
            break
        chosen.append(line)
    return tuple(chosen)


def _size(excerpt: Excerpt) -> int:
    return len(excerpt.text) + len(excerpt.path) + HEADER


_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_QUOTED = re.compile(r"['\"]([A-Za-z_][\w-]{2,40})['\"]")
_CALL = re.compile(r"(?:[\w$]+\.)*([A-Za-z_$][\w$]*)\(")
_ALONE = frozenset({"", "await", "with", "async with", "go", "defer"})
"""What may come before a call whose result is not used."""
