"""The questions whose answer is code: several samples of one prompt, each tested, the error of the best fed back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.writing.placing import place_code
from mulligan.core.writing.prompts import LATER_TEMPERATURES, TEMPERATURES, ask_to_correct, ask_to_write
from mulligan.core.writing.repeats import says_the_same
from mulligan.core.writing.replies import code_in
from mulligan.core.writing.task import WritingTask
from mulligan.types.fixing import Check
from mulligan.types.model_io import ModelRequest

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
class _Sample:
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
    _samples: list[_Sample] = field(default_factory=list["_Sample"])

    async def candidates(self) -> AsyncIterator[Candidate]:
        """The likeliest first. The error of the best is fed back once: as soon as one helps, else when all were
        tested."""
        corrected = False
        for temperature in TEMPERATURES if self.attempt == 1 else LATER_TEMPERATURES:
            again = " again" if self.task.kind == "again" else ""
            note = f"Asking the model to write {self.task.describe()}{again} (temperature {temperature:g})."
            reply = await self.ask(ask_to_write(self.task, temperature, seed=self.attempt), note)
            if candidate := self._new(reply):
                yield candidate
            if not corrected and any(self._helps(each) for each in self._samples):
                corrected = True
                if candidate := await self._corrected():
                    yield candidate
        if not corrected and (candidate := await self._corrected()):
            yield candidate

    async def _corrected(self) -> Candidate | None:
        judged = [(tested.failing, each) for each in self._samples if (tested := self.tested(each.candidate))]
        if not judged:
            return None
        _, best = min(judged, key=lambda each: each[0])
        failures = await self.failures_with(best.candidate)
        if not failures:
            return None
        note = f"Telling the model what still fails with its best {self.task.describe()}."
        return self._new(await self.ask(ask_to_correct(self.task, best.reply, failures), note))

    def _helps(self, sample: _Sample) -> bool:
        tested = self.tested(sample.candidate)
        return tested is not None and tested.helps

    def _new(self, reply: str) -> Candidate | None:
        """The change in a reply, unless it says what is there already, or what was written before."""
        path = self.task.path
        code = code_in(path, reply, self.task.names)
        after = place_code(path, self.lines, code, self.task.names) if code else None
        if after is None:
            self.note("The reply holds no code that could be used.")
            return None
        texts = ["\n".join(self.lines), *("\n".join(each.candidate.lines) for each in self._samples)]
        if any(says_the_same(path, text, "\n".join(after)) for text in texts):
            self.note("The model wrote what is there already: not tested.")
            return None
        again = " again" if self.task.kind == "again" else ""
        candidate = Candidate(path, after, f"{path}: {', '.join(self.task.names) or 'the file'} written{again}")
        self._samples.append(_Sample(reply, candidate))
        return candidate
