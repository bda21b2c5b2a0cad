"""How far a fix run is: its state, and everything that is counted and recorded in it as it happens."""

from dataclasses import dataclass
from typing import Any

from mulligan.core.fix_runs.attempts import with_attempt
from mulligan.core.fix_runs.next_node import PROFILES
from mulligan.ports.runs import RunEmit, RunRepository
from mulligan.types.fixing import Check, FailureEntry, RunProfile, RunState
from mulligan.types.model_io import Usage
from mulligan.types.run_frames import RunNote


@dataclass(slots=True, kw_only=True)
class RunProgress:
    state: RunState
    """The current state. It is stored after every node."""
    runs: RunRepository
    emit: RunEmit

    @property
    def profile(self) -> RunProfile:
        return PROFILES[self.state.profile]

    def update(self, **fields: Any) -> None:
        self.state = self.state.model_copy(update=fields)

    def record_attempt(self, **fields: Any) -> None:
        """What is known about the current attempt."""
        self.state = with_attempt(self.state, **fields)

    def spend(self, **fields: Any) -> None:
        self.update(spent=self.state.spent.model_copy(update=fields))

    async def save(self) -> None:
        await self.runs.save(self.state)

    def note(self, text: str) -> None:
        self.emit(RunNote(run_id=self.state.id, text=text))

    def count_model_use(self, calls: int, usage: Usage) -> None:
        spent = self.state.spent
        self.spend(model_calls=spent.model_calls + calls, usage=spent.usage + usage)

    def count_check(self, seconds: float) -> None:
        spent = self.state.spent
        self.spend(checks=spent.checks + 1, check_seconds=spent.check_seconds + seconds)

    def add_failure(self, exit_code: int | None, check: Check, *, attempts: int = 0) -> None:
        history, kind = self.state.history, check.kind or "unknown"
        entry = FailureEntry(command=check.command, exit_code=exit_code, kind=kind, summary=check.summary)
        entries = (*history.entries, entry)
        self.update(history=history.model_copy(update={"attempts": history.attempts + attempts, "entries": entries}))
