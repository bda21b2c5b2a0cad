"""The questions whose answer is code: several samples, each tested, and what the best ones fail in fed back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.writing.placing import place_code
from mulligan.core.writing.prompts import Sample, ask_to_correct, ask_to_write, samples_of
from mulligan.core.writing.repeats import says_the_same
from mulligan.core.writing.replies import code_in
from mulligan.core.writing.task import WritingTask
from mulligan.types.fixing import Check
from mulligan.types.model_io import ModelRequest

MOST_CORRECTIONS = 3
"""Of one sample, each of which has to leave fewer tests failing than the one before."""

Ask = Callable[[ModelRequest, str], Awaitable[str]]
"""Puts a question to the model, with a note for whoever watches."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What came of a change that was put to the test."""

    checks: tuple[Check, ...]
    helps: bool

    @property
    def failing(self) -> int:
        return len(failing_tests(self.checks))


@dataclass(frozen=True, slots=True)
class _Written:
    asked: Sample
    reply: str
    candidate: Candidate


@dataclass(slots=True)
class Writing:
    """One task: its samples are yielded as changes to test. What came of the last is known when the next is made."""

    task: WritingTask
    lines: Sequence[str]
    """Of the file, as it is; none of a file that is not there."""
    attempt: int
    ask: Ask
    note: Callable[[str], None]
    tested: Callable[[Candidate], Tested | None]
    """None for a change that was not tested."""
    failures_with: Callable[[Candidate], Awaitable[Sequence[str]]]
    """What still fails with a change, one line a failure."""
    _written: list[_Written] = field(default_factory=list["_Written"])
    _best: int | None = None
    """How many tests fail with the best so far."""

    async def candidates(self) -> AsyncIterator[Candidate]:
        """The likeliest first. One that is better than all before is corrected, as long as that helps."""
        again = " again" if self.task.kind == "again" else ""
        for sample in samples_of(self.task, self.attempt):
            words = ", in other words" if sample.in_other_words else ""
            note = (
                f"Asking the model to write {self.task.describe()}{again} (temperature {sample.temperature:g}{words})."
            )
            reply = await self.ask(ask_to_write(self.task, sample, seed=self.attempt), note)
            written = self._new(sample, reply)
            for _ in range(MOST_CORRECTIONS + 1):
                if written is None:
                    break
                yield written.candidate
                if not self._is_better(written):
                    break
                written = await self._corrected(written)

    async def _corrected(self, written: _Written) -> _Written | None:
        """What comes of telling the model what still fails with its code."""
        failures = await self.failures_with(written.candidate)
        if not failures:
            return None
        note = f"Telling the model what still fails with its {self.task.describe()}."
        reply = await self.ask(ask_to_correct(self.task, written.asked, written.reply, failures), note)
        return self._new(written.asked, reply)

    def _is_better(self, written: _Written) -> bool:
        """Whether fewer tests fail with it than with all before. The first one that was tested always is."""
        tested = self.tested(written.candidate)
        if tested is None or (self._best is not None and tested.failing >= self._best):
            return False
        self._best = tested.failing
        return True

    def _new(self, sample: Sample, reply: str) -> _Written | None:
        """The change in a reply, unless it says what is there already, or what was written before."""
        path = self.task.path
        code = code_in(path, reply, self.task.names)
        after = place_code(path, self.lines, code, self.task.names) if code else None
        if after is None:
            self.note("The reply holds no code that could be used.")
            return None
        texts = ["\n".join(self.lines), *("\n".join(each.candidate.lines) for each in self._written)]
        if any(says_the_same(path, text, "\n".join(after)) for text in texts):
            self.note("The model wrote what is there already: not tested.")
            return None
        again = " again" if self.task.kind == "again" else ""
        candidate = Candidate(path, after, f"{path}: {', '.join(self.task.names) or 'the file'} written{again}")
        written = _Written(sample, reply, candidate)
        self._written.append(written)
        return written
