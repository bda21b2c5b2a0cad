"""Gathers by code what a coder needs to know about failures: the tests, the sources they use, their messages."""

import asyncio
import builtins
import re
import sys
import warnings
from collections.abc import Iterable, Sequence

from mulligan.codecontext.excerpt_search import gather
from mulligan.codecontext.manifests.reading import is_manifest, read_manifest
from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.core.failures import locations_in
from mulligan.core.failures.absent_modules import absent_modules
from mulligan.core.failures.project_paths import in_project
from mulligan.core.fault_localisation.ranking import SourceFile
from mulligan.core.fault_localisation.spectrum import Spectrum
from mulligan.core.fault_localisation.traces import read_traces
from mulligan.core.guided_coder.build_brief import Failure, make_brief
from mulligan.core.guided_coder.missing_code import missing_names
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.findings.finding import FileContext
from mulligan.core.project_commands import manifests_among
from mulligan.core.retrieval.facts import paths_asked
from mulligan.core.retrieval.kinds import is_worth_reading
from mulligan.core.writing.instructions import instruction_paths
from mulligan.ports.files import GrepQuery, Workspace
from mulligan.syntax.blocks import defined_names
from mulligan.syntax.file_types import file_type
from mulligan.syntax.imports import imports_of, passes_on
from mulligan.syntax.project_paths import ProjectPaths
from mulligan.syntax.python_scopes import attributes_in, undefined_names
from mulligan.syntax.testfiles import is_test_file, namesakes
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import Check, FailingTest

REPORTED = "as the user reports"
MAX_FILES = 100_000
MAX_FAILURES = 40
MAX_SOURCES = 30
MAX_LINES = 4000
"""Lines that are looked at."""
MAX_FILE_CHARS = 200_000
"""Larger files were not written by hand."""
MAX_LINE_CHARS = 400
"""Characters that are looked at."""
MAX_PARAGRAPH_CHARS = 2000
MAX_NAMES = 6
"""Most undefined names to search for in the project."""


async def gather_brief(
    goal: str,
    current_checks: Sequence[Check],
    *,
    user_text: str = "",
    files: Workspace,
    traces: Sequence[str] = (),
    budget_tokens: int,
    chars_per_token: float = CHARS_PER_TOKEN,
    attempt: int = 1,
) -> Brief:
    """What is known about the current failures, cut to the budget. `user_text` is all that the user wrote and attached:
    files that it names and lines that a traceback in it points to are included. `traces` is what tracers recorded
    about the tests.

    Each attempt sees something else: the second starts with the next most suspicious function, the third goes one
    import further.
    """
    project = _Project(files)
    await project.open()
    spectrum = project.spectrum(traces)
    failures = [await project.failure_in_project(test) for test in _failing(current_checks)]
    failures += project.reported(user_text)
    tests = await project.read(dict.fromkeys(each.path for each in failures if each.path))
    ran = spectrum.paths if spectrum else ()
    found = await project.sources(user_text or goal, failures, tests, ran, hops=2 if attempt >= 3 else 1)
    if not found:
        gathered = await gather(files, goal, budget=budget_tokens, chars_per_token=chars_per_token)
        found = await project.named({each.path: 0 for each in gathered.excerpts})
    known = await project.known(found)
    references = await project.references(tests, found)
    blank = await project.blank(tests, failures)
    documents = await project.documents([*(each.path for each in found if not each.distance), *blank, *tests])
    budget = budget_tokens * chars_per_token
    with warnings.catch_warnings(action="ignore"):  # Python warns about odd code that it parses
        return make_brief(
            goal,
            failures,
            tests,
            found,
            known,
            budget=budget,
            attempt=attempt,
            blank=blank,
            documents=documents,
            references=references,
            spectrum=spectrum,
        )


def _failing(current_checks: Sequence[Check]) -> list[FailingTest]:
    """Tests before lint findings; a file that could not run represents its tests."""
    failed = sorted((each for each in current_checks if not each.passed), key=lambda each: each.kind == "lint_failure")
    found: list[FailingTest] = []
    for check in failed:
        reported = {test.path for test in check.report.failing}
        blocked = [path for path in check.report.blocked if path != "*" and path not in reported]
        found += check.report.failing
        found += [FailingTest(id=path, name=path, path=path, message=check.summary) for path in blocked]
    return found[:MAX_FAILURES]


class _Project:
    """A project's files, each read once."""

    def __init__(self, files: Workspace) -> None:
        self._files = files
        self._listed: frozenset[str] = frozenset()
        self._paths: frozenset[str] = frozenset()
        self._lookup = ProjectPaths(())
        self._texts: dict[str, tuple[str, ...]] = {}

    async def open(self) -> None:
        every = await self._files.find_files("*", ".", MAX_FILES)
        self._listed = frozenset(every.paths)
        self._paths = frozenset(path for path in every.paths if is_worth_reading(path))
        self._lookup = ProjectPaths(self._paths)

    def spectrum(self, traces: Sequence[str]) -> Spectrum | None:
        """None if no failing test was traced."""
        tests = read_traces(traces, self._paths)
        return Spectrum(tests) if any(not each.passed for each in tests) else None

    async def failure_in_project(self, test: FailingTest) -> Failure:
        """The failure with paths of the project, and its test's file if that is known."""
        # Go prints only a file's name, and its package with the test.
        near = test.path if test.path and "/" in test.path else test.id.partition(".Test")[0]
        own = in_project(test.path, self._paths, near=near) if test.path else None
        locations = [
            LineLocation(path, each.line)
            for each in locations_in(f"{test.detail}\n{test.message}")
            if (path := in_project(each.path, self._paths, near=own or near))
        ]
        pointed = next((location.path for location in locations if is_test_file(location.path)), None)
        return Failure(test, own or pointed or await self._file_with(test), tuple(locations))

    def reported(self, user_text: str) -> list[Failure]:
        """What a traceback in the user's text points to, if that is in the project."""
        locations = [
            LineLocation(path, each.line)
            for each in locations_in(user_text)
            if (path := in_project(each.path, self._paths))
        ]
        # Its text is part of the goal; no test printed it.
        return [Failure(FailingTest(id=REPORTED, name=""), None, tuple(dict.fromkeys(locations)))] if locations else []

    async def _file_with(self, test: FailingTest) -> str | None:
        """The test file with a test of this name; in its folder, if only that is known."""
        name = re.split(r"[\[/]| > ", test.name)[0 if "/" in test.name or "[" in test.name else -1].strip()
        if len(name) < 3:
            return None
        try:
            found = await self._files.grep(GrepQuery(name, fixed=True))
        except CallRejected:  # this project is too large to search: use the sources alone
            return None
        holding = sorted({each.path for each in found.matches if is_test_file(each.path)})
        within = [path for path in holding if path.startswith(f"{(test.path or '').strip('/')}/")]
        return next(iter(within or holding), None)

    async def sources(
        self,
        goal: str,
        failures: Sequence[Failure],
        tests: dict[str, tuple[str, ...]],
        ran: Sequence[str],
        *,
        hops: int,
    ) -> list[SourceFile]:
        """Files that tracebacks and the goal name or the failing tests import, then what these import. If it is known
        what ran in failing tests, only that and what is named."""
        named = [location.path for each in failures for location in each.locations]
        named += [each.path for each in failures if each.path]
        named += paths_asked(goal, sorted(self._paths))
        imported = await self._imports(tests)
        if any(self._is_source(path) for path in ran):
            near = {*named, *imported}
            distances = {path: 0 for path in named if self._is_source(path)}
            distances |= {path: int(path not in near) for path in ran if self._is_source(path)}
            return await self.named(dict(list(distances.items())[:MAX_SOURCES]))
        if not any(self._is_source(path) for path in imported):
            imported += [each for path in tests for each in namesakes(path, self._paths)]
        distances = {path: 0 for path in (*named, *imported) if self._is_source(path)}
        for distance in range(1, hops + 1):
            last = await self.read(path for path, at in distances.items() if at == distance - 1)
            for path in await self._imports(last):
                if self._is_source(path):
                    distances.setdefault(path, distance)
        return await self.named(dict(list(distances.items())[:MAX_SOURCES]))

    async def references(self, tests: dict[str, tuple[str, ...]], found: Sequence[SourceFile]) -> list[str]:
        """Sources that the tests or these files import, though no failing test ran them."""
        texts = {file.path: file.lines for file in found}
        imported = [*await self._imports(tests), *await self._imports(texts)]
        others = [path for path in dict.fromkeys(imported) if self._is_source(path) and path not in texts]
        return list(await self.read(others[:MAX_SOURCES]))

    async def blank(self, tests: dict[str, tuple[str, ...]], failures: Sequence[Failure]) -> list[str]:
        """Files that failing tests import and that don't exist, or are empty and lack a name that the tests use."""
        output = "\n".join(f"{each.test.message}\n{each.test.detail}" for each in failures)
        absent = [each for path, lines in tests.items() for each in absent_modules(path, lines, output, self._paths)]
        if absent:
            installed = await self._dependencies()
            absent = [(name, path) for name, path in absent if name.lower().replace("_", "-") not in installed]
        empty: list[str] = []
        if any(missing_names(output)):
            imported = [path for path in await self._imports(tests) if self._is_source(path) and not passes_on(path)]
            empty = [path for path in imported[:MAX_SOURCES] if await self._is_empty(path)]
        return list(dict.fromkeys([*empty, *(path for _, path in absent)]))

    async def _is_empty(self, path: str) -> bool:
        """A file that can't be read, or is too long to show, is not."""
        try:
            return not any(line.strip() for line in (await self._files.read_text(path)).lines)
        except CallRejected:
            return False

    async def _dependencies(self) -> set[str]:
        """The packages that the project's manifests ask for: one that is missing has to be installed, not written."""
        manifests = [path for path in manifests_among(self._listed) if is_manifest(path)]
        texts = await self.read(manifests)
        found = [read_manifest(path, "\n".join(lines), self._lookup) for path, lines in texts.items()]
        return {name.lower().replace("_", "-") for each in found if each for name in each.dependencies}

    async def documents(self, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What was written about these files. A paragraph is one line there, and is not cut."""
        # For a missing file, the workspace searches all others for a similar name.
        wanted = [path for path in instruction_paths(paths) if path in self._listed]
        texts = await asyncio.gather(*(self._lines(path, longest=MAX_PARAGRAPH_CHARS) for path in wanted))
        return {path: lines for path, lines in zip(wanted, texts, strict=True) if lines}

    async def named(self, distances: dict[str, int]) -> list[SourceFile]:
        texts = await self.read(path for path in distances if self._is_source(path))
        return [SourceFile(path, lines, distances[path]) for path, lines in texts.items()]

    def _is_source(self, path: str) -> bool:
        kind = file_type(path)
        is_code = kind is not None and (kind.is_code or kind.name == "JSON")
        return is_code and path in self._paths and not is_test_file(path)

    async def _imports(self, texts: dict[str, tuple[str, ...]]) -> list[str]:
        """What these files import. A file that only re-exports counts for the files it re-exports from."""
        found: dict[str, None] = {}
        waiting = dict(texts)
        while waiting:
            passing: list[str] = []
            for path, lines in waiting.items():
                with warnings.catch_warnings(action="ignore"):
                    imported = imports_of(path, lines, self._lookup)
                new = [each for each in imported if each not in found]
                passing += [each for each in new if passes_on(each)]
                found.update(dict.fromkeys(new))
            waiting = await self.read(dict.fromkeys(passing))
        return list(found)

    async def known(self, sources: Sequence[SourceFile]) -> FileContext:
        defined: dict[str, str] = {}
        for file in sources:
            for name in defined_names([line for line in file.lines if line[:1].strip()]):
                defined.setdefault(name, file.path)
        always = frozenset(dir(builtins))
        with warnings.catch_warnings(action="ignore"):
            python = [file for file in sources if file.path.endswith(".py")]
            missing = {name for file in python for name in undefined_names(file.lines, always)} - defined.keys()
            attributes = {name for file in python for name in attributes_in(file.lines)}
        defined |= await self._defining(sorted(missing)[:MAX_NAMES])
        return FileContext(always, sys.stdlib_module_names, defined, frozenset(attributes))

    async def _defining(self, names: Sequence[str]) -> dict[str, str]:
        """The sources that define these names, if only one does."""
        if not names:
            return {}
        either = "|".join(map(re.escape, names))
        try:
            query = GrepQuery(rf"^(?:(?:async )?def |class )(?:{either})\b|^(?:{either})\s*=", glob="*.py")
            found = await self._files.grep(query)
        except CallRejected:  # this project is too large to search
            return {}
        paths_by_name: dict[str, set[str]] = {}
        for match in found.matches:
            if self._is_source(match.path):
                name = re.search(rf"\b(?:{either})\b", match.text)
                paths_by_name.setdefault(name[0] if name else "", set()).add(match.path)
        return {name: paths.pop() for name, paths in paths_by_name.items() if len(paths) == 1}

    async def read(self, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The lines of these files, as far as they are readable."""
        wanted = list(paths)
        new = [path for path in wanted if path not in self._texts]
        for path, lines in zip(new, await asyncio.gather(*map(self._lines, new)), strict=True):
            self._texts[path] = lines
        return {path: lines for path in wanted if (lines := self._texts[path])}

    async def _lines(self, path: str, longest: int = MAX_LINE_CHARS) -> tuple[str, ...]:
        try:
            lines = (await self._files.read_text(path)).lines[:MAX_LINES]
        except CallRejected:  # binary, too large, just deleted: it can't be shown
            return ()
        cut = tuple(line[:longest] for line in lines)
        return cut if sum(map(len, cut)) <= MAX_FILE_CHARS else ()
