"""The questions whose answer is code: several samples, each tested, and the failures of the best ones fed back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from mulligan.core.fix_runs.judging import failing_tests, is_crash
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.writing.placing import functions_that_differ, place_code, with_function_of
from mulligan.core.writing.prompts import Sample, ask_to_correct, ask_to_write, samples_of
from mulligan.core.writing.repeats import says_the_same
from mulligan.core.writing.replies import code_in
from mulligan.core.writing.task import WritingTask
from mulligan.types.fixing import Check
from mulligan.types.model_io import ModelRequest

MAX_CORRECTIONS = 3
"""Corrections of one sample, each of which has to be closer to done than the one before."""
MAX_MIXED = 8
"""Functions to try from another sample."""

Ask = Callable[[ModelRequest, str], Awaitable[str]]
"""Asks the model, with a note for subscribers."""


@dataclass(frozen=True, slots=True)
class Tested:
    """The result of a tested change."""

    checks: tuple[Check, ...]
    helps: bool

    @property
    def failing(self) -> int:
        return len(failing_tests(self.checks))

    @property
    def distance(self) -> tuple[int, int]:
        """Distance from done: how many tests fail, and how many of them by an error before anything was compared."""
        failing = failing_tests(self.checks)
        return len(failing), sum(map(is_crash, failing))


@dataclass(frozen=True, slots=True)
class _Written:
    asked: Sample
    reply: str
    candidate: Candidate


@dataclass(slots=True)
class WritingQuestion:
    """One task: yields its samples as changes to test. The result of each is known when the next is made."""

    task: WritingTask
    attempt: int
    ask: Ask
    note: Callable[[str], None]
    tested: Callable[[Candidate], Tested | None]
    """None for a change that was not tested."""
    failures_with: Callable[[Candidate], Awaitable[Sequence[str]]]
    """What still fails with a change, one line per failure."""
    _lines: Sequence[str] = ()
    _written: list[_Written] = field(default_factory=list["_Written"])
    _best: _Written | None = None

    async def candidates(self, lines: Sequence[str], part: slice) -> AsyncIterator[Candidate]:
        """Candidates from a part of the samples, likeliest first. A sample that is better than all before is corrected,
        as long as that helps. `lines` are those of the current file; none for a missing file."""
        self._lines = lines
        again = " again" if self.task.kind == "again" else ""
        for sample in samples_of(self.task, self.attempt)[part]:
            words = ", in other words" if sample.in_other_words else ""
            note = (
                f"Asking the model to write {self.task.describe()}{again} (temperature {sample.temperature:g}{words})."
            )
            reply = await self.ask(ask_to_write(self.task, sample, seed=self.attempt), note)
            written = self._new(sample, reply)
            for _ in range(MAX_CORRECTIONS + 1):
                if written is None:
                    break
                before = self._best
                yield written.candidate
                self._take_if_better(written)
                for mixed in self._mixtures(before, written):
                    yield mixed.candidate
                    self._take_if_better(mixed)
                if self._best is before or self._best is None:
                    break
                written = await self._corrected(self._best)

    async def _corrected(self, written: _Written) -> _Written | None:
        """The result of telling the model what still fails with its code."""
        failures = await self.failures_with(written.candidate)
        if not failures:
            return None
        note = f"Telling the model what still fails with its {self.task.describe()}."
        reply = await self.ask(ask_to_correct(self.task, written.asked, written.reply, failures), note)
        return self._new(written.asked, reply)

    def _take_if_better(self, written: _Written) -> None:
        """Whether it is closer to done than all before. The first one tested always is."""
        tested = self.tested(written.candidate)
        best = self.tested(self._best.candidate) if self._best else None
        if tested and (best is None or tested.distance < best.distance):
            self._best = written

    def _mixtures(self, before: _Written | None, written: _Written) -> Iterator[_Written]:
        """The best sample with one function from another sample: what one got wrong, another may have right."""
        path, best = self.task.path, self._best
        if before is None or best is None:
            return
        other = (before if best is written else written).candidate.lines
        keys = functions_that_differ(path, best.candidate.lines, other)
        for key in keys[:MAX_MIXED] if len(keys) > 1 else ():
            lines = with_function_of(path, (self._best or best).candidate.lines, other, key)
            note = f"{path}: {self._description()}, {key[1]} as another sample has it"
            if lines:
                shown = "\n".join(lines)
                candidate = replace(best.candidate, lines=lines, note=note)
                yield replace(best, reply=f"```\n{shown}\n```", candidate=candidate)

    def _new(self, sample: Sample, reply: str) -> _Written | None:
        """The change in a reply, unless it repeats the existing code or an earlier sample."""
        path = self.task.path
        code = code_in(path, reply, self.task.names)
        after = place_code(path, self._lines, code, self.task.names, self.task.where) if code else None
        if after is None:
            self.note("The reply contains no usable code.")
            return None
        texts = ["\n".join(self._lines), *("\n".join(each.candidate.lines) for each in self._written)]
        if any(says_the_same(path, text, "\n".join(after)) for text in texts):
            self.note("The model wrote what is already there: not tested.")
            return None
        again = " again" if self.task.kind == "again" else ""
        candidate = Candidate(path, after, f"{path}: {self._description()}{again}", fills_stub=not again)
        written = _Written(sample, reply, candidate)
        self._written.append(written)
        return written

    def _description(self) -> str:
        return f"{', '.join(self.task.names) or 'the file'} written"
