"""What the edits of one turn broke, by the project's own checkers.

They are asked once beside the first request to the model, and again after edits: what is new comes with the edit's own
result. Nobody is asked for leave: where the policy would ask, they are not run.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mulligan.ports.diagnostics import CheckPlace
from mulligan.ports.outlets import Log
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.types.permissions import COMMAND_TOOL, Permissions

if TYPE_CHECKING:  # loaded beside the first request, not before it
    from mulligan.core.diagnostics import Checker, Diagnostic, Known

BASELINE_FACTOR = 6
"""The first time a checker may take so many times longer: many are quick once they have filled their caches."""


@dataclass(slots=True)
class _Round:
    """Edits that are checked together, as those of one reply are."""

    changed: dict[str, bool] = field(default_factory=dict[str, bool])
    """Paths, and whether there still is a file."""
    edits: int = 0
    task: "asyncio.Task[tuple[str, ...]] | None" = None


class EditDiagnostics:
    """`Diagnostics` of one turn. Whoever begins it has to close it."""

    def __init__(
        self,
        place: CheckPlace,
        find: "Callable[[], Awaitable[tuple[Checker, ...]]]",
        settled: Callable[[], Awaitable[object]],
        permissions: Permissions,
        log: Log,
        *,
        project: str,
        seconds: float,
    ) -> None:
        """`settled` waits for edits of the same reply that are under way. `seconds` is what an edit's result may be
        late by."""
        self._place = place
        self._find = find
        self._settled = settled
        self._permissions = permissions
        self._log = log
        self._project = project
        self._seconds = seconds
        self._known: dict[Checker, Known] = {}
        """The checkers in use."""
        self._unready: list[Checker] = []
        """Those that the baseline still waits for."""
        self._slow: list[str] = []
        """Names of those that took too long, until that is told."""
        self._waited = 0.0
        """Seconds that edits have waited before they were applied."""
        self._baseline: asyncio.Task[None] | None = None
        self._round: _Round | None = None
        self._rounds: set[asyncio.Task[tuple[str, ...]]] = set()
        self._alone = asyncio.Lock()

    async def begin(self) -> None:
        """Have the first answers taken beside whatever comes next."""
        self._baseline = asyncio.create_task(self._guarded(self._take_baseline()))

    async def baseline_taken(self) -> None:
        """Wait for it, for half of the time at most. A checker that has not answered by then is given up."""
        if self._baseline is None or self._baseline.done():
            return
        await asyncio.wait([self._baseline], timeout=self._seconds / 2)
        if not self._baseline.done():
            self._slow += [checker.name for checker in self._unready]
            self._unready.clear()
            self._baseline.cancel()
            await asyncio.wait([self._baseline])

    async def before_applying(self) -> None:
        """The baseline is of the files without the edit."""
        began = time.monotonic()
        await self.baseline_taken()
        self._waited += time.monotonic() - began

    async def after_edit(self, path: str, *, deleted: bool = False) -> tuple[str, ...]:
        """What several edits broke together is told with the last of them."""
        if self._baseline is None:
            return ()
        current = self._round = self._round or _Round()
        current.changed[path] = not deleted
        current.edits += 1
        place = current.edits
        if current.task is None:
            current.task = asyncio.create_task(self._check(current))
            self._rounds.add(current.task)
        told = await asyncio.shield(current.task)
        return told if place == current.edits else ()

    async def close(self) -> None:
        """End what still runs."""
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
        # First of all: later an edit may have been made.
        await self._place.hold()
        self._unready += [each for each in await self._find() if await self._is_permitted(each.asks_all())]
        while self._unready:
            checker = self._unready[0]
            said = await self._ask(checker, checker.asks_all(), self._seconds * BASELINE_FACTOR, as_held=True)
            self._unready.remove(checker)
            if said == "slow":
                self._slow.append(checker.name)
            elif said is not None:
                self._known[checker] = _known(said)

    async def _check(self, current: _Round) -> tuple[str, ...]:
        told: list[str] = []
        await self._guarded(self._ask_all(current, told))
        return tuple(told)

    async def _ask_all(self, current: _Round, told: list[str]) -> None:
        # Edits of one reply wait for one another in the order of the calls: now all of them are made.
        await self._settled()
        self._round = None
        from mulligan.core.diagnostics import tell_new, tell_slow

        async with self._alone:
            deadline = time.monotonic() + self._seconds - self._waited
            self._waited = 0.0
            await self.baseline_taken()
            new: list[tuple[str, Diagnostic]] = []
            for checker in tuple(self._known):
                paths = [path for path in current.changed if checker.concerns(path)]
                if checker.by_file:
                    paths = [path for path in paths if current.changed[path]]
                left = deadline - time.monotonic()
                if paths and left > 0:
                    new += [(checker.name, each) for each in await self._new_of(checker, paths, left)]
            told += (*tell_new(new), *tell_slow(self._slow, self._seconds))
            self._slow.clear()

    async def _new_of(self, checker: "Checker", paths: list[str], seconds: float) -> "list[Diagnostic]":
        known = self._known[checker]
        said = await self._ask(checker, checker.asks_about(paths), seconds, as_held=False)
        if said == "slow":
            self._slow.append(checker.name)
            del self._known[checker]
            return []
        if said is None:
            return []
        self._known[checker] = known.after(said, paths if checker.by_file else None)
        return known.new_in(said)

    async def _ask(
        self, checker: "Checker", command: str, seconds: float, *, as_held: bool
    ) -> "tuple[Diagnostic, ...] | Literal['slow'] | None":
        """None where it could not do its work."""
        ran = await self._place.run(command, time_limit=seconds, as_held=as_held)
        if ran is None or ran.timed_out:
            return "slow" if ran else None
        from mulligan.core.diagnostics import read_diagnostics

        return await asyncio.to_thread(
            read_diagnostics, checker, ran.exit_code, ran.stdout, ran.stderr, project=self._project
        )

    async def _is_permitted(self, command: str) -> bool:
        """Without asking anybody."""
        from mulligan.core.permissions import ToolUse, judge_use
        from mulligan.core.sandbox.approval import decide

        judged = judge_use(ToolUse(COMMAND_TOOL, command), self._permissions, project=self._project)
        return decide(judged, await self._place.standing()).decision == "allow"

    async def _guarded(self, work: Awaitable[None]) -> None:
        """The edit is made, whatever happens here."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - it must not pass for a failure of the edit; it is logged in full
            self._log("diagnostics_failed", error=error)


def _known(said: "tuple[Diagnostic, ...]") -> "Known":
    from mulligan.core.diagnostics import Known

    return Known(at_start=said, last=said)
