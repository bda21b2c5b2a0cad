"""The guided coder: narrow questions, and every answer put to the test.

A model too small to drive tools still finds the wrong line, and now and then what should stand there. So it is asked
in several ways, code adds the small changes that people slip on, and the project's own tests decide. What makes fewer
tests fail is kept, and the round starts again with what is left: this is how two bugs are solved.
"""

import hashlib
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from mulligan.core.judging import compare, failing_tests
from mulligan.core.repair.candidates import Candidate
from mulligan.fixing.narrow_questions import Questions, offered_lines
from mulligan.fixing.repair_bench import RepairBench
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import MAX_ATTEMPTS, Check, TestReport

RESERVED = 2
"""Checks that are left to the verifier of each attempt that may come, at least."""
SHARE = {1: 0.4, 2: 0.55}
"""How much of the checks that are left an attempt may use; the last one all."""


@dataclass(frozen=True, slots=True)
class Repair:
    standing: tuple[Check, ...]
    """What the commands say of the tree as it was left."""
    tried: tuple[str, ...]
    """Marks of all changes that were tested, those of before included."""
    gains: int
    """Changes that were kept."""
    sentence: str


async def repair(
    bench: RepairBench,
    standing: tuple[Check, ...],
    *,
    attempt: int,
    tried: Collection[str],
    say: Callable[[str], None],
) -> Repair:
    """Try to make the commands pass. The tree holds the best work whenever this ends, by an error or a cancel too."""
    trial = _Trial(bench, standing, dict.fromkeys(tried), _floor(bench.checks_left(), attempt, len(standing)))
    while not trial.over and not trial.is_spent() and await _round(trial, attempt, say):
        pass
    return Repair(trial.standing, tuple(trial.tried), trial.gains, trial.sentence())


async def _round(trial: "_Trial", attempt: int, say: Callable[[str], None]) -> bool:
    """Ask until a change is a gain. False if none was."""
    brief = await trial.bench.brief(trial.standing, attempt)
    questions = Questions(trial.bench, brief, attempt, say, offered_lines(brief, attempt), trial.is_new)
    async for candidate in questions.in_order():
        if await trial.is_gain(candidate):
            say(f"Kept: {candidate.note}")
            return True
        if trial.over:
            return False
    return False


def _floor(left: int, attempt: int, commands: int) -> int:
    """Where this attempt stops, by the checks that must be left then. The last change may still be run in full."""
    reserved = max(RESERVED, commands) * max(1, MAX_ATTEMPTS - attempt + 1) + commands
    usable = max(0, left - reserved)
    return left - round(usable * SHARE.get(attempt, 1.0))


@dataclass(slots=True)
class _Trial:
    """Changes on trial, one at a time. None is in the tree but while it is tested, and when it is kept."""

    bench: RepairBench
    standing: tuple[Check, ...]
    tried: dict[str, None]
    floor: int
    gains: int = 0
    tested: int = 0
    over: bool = False
    """Everything passes, or no check is left."""

    async def is_gain(self, candidate: Candidate) -> bool:
        """Test a change that was not tested before, and keep it if fewer tests fail with it."""
        file = await self.bench.files.read_text(candidate.path)
        if not self.is_new(candidate, file.lines):
            return False
        if self.is_spent():
            self.over = True
            return False
        before, after = "\n".join(file.lines), "\n".join(candidate.lines)
        self.tried[_mark(candidate)] = None
        self.tested += 1
        kept = False
        try:
            await self.bench.write(candidate.path, after)
            kept = await self._passes_trial(candidate.note)
        except CallRejected:
            return False
        finally:
            if not kept:
                with suppress(CallRejected):
                    await self.bench.write(candidate.path, before)
        return kept

    def is_spent(self) -> bool:
        return self.bench.checks_left() <= self.floor

    def is_new(self, candidate: Candidate, lines: Sequence[str]) -> bool:
        """Whether it changes something, parses, and was not tested before."""
        before, after = "\n".join(lines), "\n".join(candidate.lines)
        if before == after or _mark(candidate) in self.tried:
            return False
        return not self.bench.syntax.new_problems(candidate.path, before, after)

    async def _passes_trial(self, note: str) -> bool:
        failing = failing_tests(self.standing)
        if failing:
            narrowed = await self.bench.test(note, only=failing)
            if narrowed is None:
                self.over = True
                return False
            if not compare(_comparable(self.standing, narrowed), narrowed).improved:
                return False
        after = await self.bench.test(note, only=())
        if after is None:
            self.over = True
            return False
        compared = compare(self.standing, after)
        if not (compared.improved or compared.passed):
            return False
        self.standing, self.gains, self.over = after, self.gains + 1, compared.passed
        return True

    def sentence(self) -> str:
        tested = f"{self.tested} change{'' if self.tested == 1 else 's'} tested"
        if not self.gains:
            return f"{tested}, none of which made fewer tests fail."
        return f"{tested}, {self.gains} kept."


def _comparable(standing: Sequence[Check], narrowed: Sequence[Check]) -> tuple[Check, ...]:
    """What stood before of the commands that were narrowed, without its counts: that fewer tests ran is no loss."""
    commands = {check.command for check in narrowed}
    mine = [check for check in standing if check.command in commands] or standing
    return tuple(
        check.model_copy(update={"report": TestReport(failing=check.report.failing, blocked=check.report.blocked)})
        for check in mine
    )


def _mark(candidate: Candidate) -> str:
    """The same for texts that differ only in their quotes."""
    whole = "\0".join([candidate.path, *candidate.lines]).replace("'", '"')
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
