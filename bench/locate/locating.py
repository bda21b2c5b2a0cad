"""What a fix run does between its baseline and its brief, on a folder."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mulligan.core.fault_localisation.plan import TracedRun, plan_trace
from mulligan.core.fault_localisation.traces import read_traces
from mulligan.core.fix_runs.judging import read_check
from mulligan.core.program_repair.brief import Brief
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.syntax.languages.python import LANGUAGE
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import Check
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.run_environment import run_environment
from mulligan.workspace.run_tree.run_tree import LOGGED_BYTES
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.traced_tests import run_traced

GOAL = "make the tests pass"
TOKENS = 700
"""Of the brief, as for a very small model."""

MAX_FILES = 5000
_PYTHON = (LANGUAGE.tracer,) if LANGUAGE.tracer else ()


@dataclass(frozen=True, slots=True)
class Located:
    brief: Brief
    traced_seconds: float
    """What running the tests once more took; 0 if they were not."""
    brief_seconds: float

    def rank_of(self, path: str, line: int) -> int | None:
        """Of the innermost function that holds the line, from 1."""
        holding = [each for each in self.brief.located if each.path == path and each.first <= line <= each.last]
        wrong = min(holding, key=lambda each: each.last - each.first, default=None)
        return self.brief.located.index(wrong) + 1 if wrong else None


class TestedFolder:
    """A project whose command is run as a fix run runs it."""

    __test__ = False

    def __init__(self, folder: Path, command: str, *, home: Path) -> None:
        self._folder = folder.resolve()
        self._command = command
        self._files = ProjectFiles(self._folder)
        sandbox = Sandbox("auto", self._folder, home=home)
        environ = run_environment(os.environ, self._folder)
        self._commands = ProjectCommands(self._folder, sandbox, environ=environ, shown_bytes=LOGGED_BYTES)

    async def check(self, *, time_limit: float) -> tuple[Check, float]:
        result = await self._commands.run(self._command, time_limit=time_limit)
        return read_check(result, command=self._command, kind="test"), result.seconds

    async def lines_run(self) -> dict[str, frozenset[int]]:
        """Lines of the project's sources that its tests run."""
        every = (await self._files.find_files("*.py", ".", MAX_FILES)).paths
        planned = TracedRun(self._command, _PYTHON, (), (), seconds=120, most=5000, time_limit=300)
        found: dict[str, frozenset[int]] = {}
        for test in read_traces(await run_traced(self._commands.run, self._folder, planned), every):
            for path, lines in test.lines.items():
                if not is_test_file(path):
                    found[path] = found.get(path, frozenset()) | lines
        return found

    async def traces(self, check: Check, took: float) -> Sequence[str]:
        """What the failing tests run, and some others."""
        planned = plan_trace(check, took)
        return await run_traced(self._commands.run, self._folder, planned) if planned else ()

    async def locate(self, check: Check, took: float, *, traced: bool = True) -> Located:
        began = time.monotonic()
        traces = await self.traces(check, took) if traced else ()
        ran = time.monotonic()
        brief = await brief_of(self._folder, check, traces)
        return Located(brief, ran - began if traces else 0.0, time.monotonic() - ran)


async def brief_of(folder: Path, check: Check, traces: Sequence[str]) -> Brief:
    return await gather_brief(GOAL, [check], files=ProjectFiles(folder), traces=traces, budget_tokens=TOKENS)
