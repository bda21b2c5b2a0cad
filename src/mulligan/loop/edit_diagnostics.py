"""What the edits of one turn broke, according to the project's own checkers.

They run once in parallel with the first request to the model, and again after edits; new errors come with the edit's
own result. They never ask the user: if the policy would ask, they don't run.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mulligan.ports.callbacks import Log
from mulligan.ports.diagnostics import CheckerLocation
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.types.permissions import COMMAND_TOOL, Permissions

if TYPE_CHECKING:  # imported in parallel with the first request, not before it
    from mulligan.core.diagnostics import Checker, Diagnostic, DiagnosticsBaseline

BASELINE_FACTOR = 6
"""How many times longer a checker may take the first time: many are fast once their caches are filled."""


@dataclass(slots=True)
class _Round:
    """Edits checked together, such as those of one reply."""

    changed: dict[str, bool] = field(default_factory=dict[str, bool])
    """Paths, and whether the file still exists."""
    edits: int = 0
    task: "asyncio.Task[tuple[str, ...]] | None" = None


class EditDiagnostics:
    """`Diagnostics` of one turn. The caller has to close it."""

    def __init__(
        self,
        place: CheckerLocation,
        find: "Callable[[], Awaitable[tuple[Checker, ...]]]",
        settled: Callable[[], Awaitable[object]],
        permissions: Permissions,
        log: Log,
        *,
        project: str,
        seconds: float,
    ) -> None:
        """`settled` waits for running edits of the same reply. `seconds` is how long an edit's result may be
        delayed."""
        self._place = place
        self._find = find
        self._settled = settled
        self._permissions = permissions
        self._log = log
        self._project = project
        self._seconds = seconds
        self._known: dict[Checker, DiagnosticsBaseline] = {}
        """The checkers in use."""
        self._unready: list[Checker] = []
        """Checkers that the baseline is still waiting for."""
        self._slow: list[str] = []
        """Names of checkers that took too long, until that is reported."""
        self._waited = 0.0
        """Seconds that edits waited before they were applied."""
        self._baseline: asyncio.Task[None] | None = None
        self._round: _Round | None = None
        self._rounds: set[asyncio.Task[tuple[str, ...]]] = set()
        self._alone = asyncio.Lock()

    async def begin(self) -> None:
        """Start the baseline in the background."""
        self._baseline = asyncio.create_task(self._guarded(self._take_baseline()))

    async def baseline_taken(self) -> None:
        """Wait for the baseline, at most half of `seconds`. A checker that has not answered by then is dropped."""
        if self._baseline is None or self._baseline.done():
            return
        await asyncio.wait([self._baseline], timeout=self._seconds / 2)
        if not self._baseline.done():
            self._slow += [checker.name for checker in self._unready]
            self._unready.clear()
            self._baseline.cancel()
            await asyncio.wait([self._baseline])

    async def before_applying(self) -> None:
        """Wait for the baseline: it has to describe the files without the edit."""
        began = time.monotonic()
        await self.baseline_taken()
        self._waited += time.monotonic() - began

    async def after_edit(self, path: str, *, deleted: bool = False) -> tuple[str, ...]:
        """New problems, as lines of text. If several edits are checked together, the last one reports for all."""
        if self._baseline is None:
            return ()
        current = self._round = self._round or _Round()
        current.changed[path] = not deleted
        current.edits += 1
        edits = current.edits
        if current.task is None:
            current.task = asyncio.create_task(self._check(current))
            self._rounds.add(current.task)
        lines = await asyncio.shield(current.task)
        return lines if edits == current.edits else ()

    def left(self) -> tuple[str, ...]:
        """Problems that the edits caused and did not fix, from each checker's last run."""
        if not self._known:
            return ()
        from mulligan.core.diagnostics import remaining_problem_lines

        return remaining_problem_lines(
            (checker.name, each) for checker, known in self._known.items() for each in known.left
        )

    async def close(self) -> None:
        """Stop what is still running."""
        if self._baseline:
            await finish_despite_cancel(self._close(self._baseline))
            self._baseline = None

    async def _close(self, baseline: "asyncio.Task[None]") -> None:
        tasks = (baseline, *self._rounds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._guarded(self._place.close())

    async def _take_baseline(self) -> None:
        # Before anything else: an edit may be made at any time from now on.
        await self._place.hold()
        self._unready += [each for each in await self._find() if await self._is_permitted(each.asks_all())]
        while self._unready:
            checker = self._unready[0]
            found = await self._ask(checker, checker.asks_all(), self._seconds * BASELINE_FACTOR, as_held=True)
            self._unready.remove(checker)
            if found == "slow":
                self._slow.append(checker.name)
            elif found is not None:
                self._known[checker] = _baseline(found)

    async def _check(self, current: _Round) -> tuple[str, ...]:
        lines: list[str] = []
        await self._guarded(self._ask_all(current, lines))
        return tuple(lines)

    async def _ask_all(self, current: _Round, lines: list[str]) -> None:
        # Edits of one reply wait for each other in call order, so after this all of them are made.
        await self._settled()
        self._round = None
        from mulligan.core.diagnostics import new_problem_lines, slow_checker_lines

        async with self._alone:
            deadline = time.monotonic() + self._seconds - self._waited
            self._waited = 0.0
            await self.baseline_taken()
            new: list[tuple[str, Diagnostic]] = []
            for checker in tuple(self._known):
                paths = [path for path in current.changed if checker.concerns(path)]
                if checker.by_file:
                    gone = [path for path in paths if not current.changed[path]]
                    self._known[checker] = self._known[checker].after((), gone)
                    paths = [path for path in paths if current.changed[path]]
                left = deadline - time.monotonic()
                if paths and left > 0:
                    new += [(checker.name, each) for each in await self._new_of(checker, paths, left)]
            lines += (*new_problem_lines(new), *slow_checker_lines(self._slow, self._seconds))
            self._slow.clear()

    async def _new_of(self, checker: "Checker", paths: list[str], seconds: float) -> "list[Diagnostic]":
        known = self._known[checker]
        found = await self._ask(checker, checker.asks_about(paths), seconds, as_held=False)
        if found == "slow":
            self._slow.append(checker.name)
            del self._known[checker]
            return []
        if found is None:
            return []
        self._known[checker] = known.after(found, paths if checker.by_file else None)
        return known.new_in(found)

    async def _ask(
        self, checker: "Checker", command: str, seconds: float, *, as_held: bool
    ) -> "tuple[Diagnostic, ...] | Literal['slow'] | None":
        """None if the checker could not run."""
        ran = await self._place.run(command, time_limit=seconds, as_held=as_held)
        if ran is None or ran.timed_out:
            return "slow" if ran else None
        from mulligan.core.diagnostics import read_diagnostics

        return await asyncio.to_thread(
            read_diagnostics, checker, ran.exit_code, ran.stdout, ran.stderr, project=self._project
        )

    async def _is_permitted(self, command: str) -> bool:
        """Whether the command may run without asking the user."""
        from mulligan.core.permissions import ToolUse, judge_use
        from mulligan.core.sandbox.approval import decide

        judged = judge_use(ToolUse(COMMAND_TOOL, command), self._permissions, project=self._project)
        return decide(judged, await self._place.confinement()).decision == "allow"

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Log errors and go on: the edit itself has been made."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - it must not look like a failed edit; it is logged in full
            self._log("diagnostics_failed", error=error)


def _baseline(diagnostics: "tuple[Diagnostic, ...]") -> "DiagnosticsBaseline":
    from mulligan.core.diagnostics import DiagnosticsBaseline

    return DiagnosticsBaseline(at_start=diagnostics, last=diagnostics)
