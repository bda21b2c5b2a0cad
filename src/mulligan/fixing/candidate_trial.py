"""Tests the changes of a guided repair, and keeps those that are gains."""

import hashlib
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from mulligan.core.fix_runs.judging import compare, failing_tests
from mulligan.core.guided_coder.comparing import preferred
from mulligan.core.line_diff import unified_diff
from mulligan.core.program_repair.candidates import Candidate, Slip
from mulligan.fixing.guided_context import GuidedContext
from mulligan.fixing.writing_questions import Tested
from mulligan.types.errors import CallRejected, ModelError
from mulligan.types.fixing import Check, FailingTest, TestReport

MIN_BATCH, MAX_BATCH = 4, 32
"""Changes tested together: the first that helps is often among the first."""
MAX_BROKEN_TESTS = 20
"""Tests that a change may break to be tried under conditions."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A change that fixes what fails, and breaks other tests."""

    slip: Slip
    broken: tuple[FailingTest, ...]


@dataclass(slots=True)
class CandidateTrial:
    """Tests changes, one at a time. A change is in the tree only while it is tested, and when it is kept."""

    context: GuidedContext
    current_checks: tuple[Check, ...]
    tried: dict[str, None]
    floor: int
    gains: int = 0
    tested: int = 0
    over: bool = False
    """Everything passes, or no check is left."""
    written: bool = False
    """The code that is varied was written in this run, and may be far from right."""
    results: dict[str, Tested] = field(default_factory=dict[str, Tested])
    """Results of single changes, by their keys."""
    ahead: dict[str, Check] = field(default_factory=dict[str, Check])
    """Results of changes that were tested ahead of time."""
    many: int = MIN_BATCH
    """Changes tested together; 0 if that is impossible."""
    leads: list[Lead] = field(default_factory=list[Lead])
    """Changes that fix something that fails, and break something else."""
    model_error: ModelError | None = None
    """Why the model is asked nothing more."""
    also_passing: list[str] = field(default_factory=list[str])
    """Diffs of changes with which everything passes, besides the one that is kept."""

    async def failing_with(self, candidate: Candidate) -> int | None:
        """Test a new change on what fails, and revert it: how many tests still fail. None if it doesn't help."""
        known = self.ahead.pop(_mark(candidate), None)
        if known is None and not self.is_new(candidate, await self.context.lines_of(candidate.path) or ()):
            return None
        if known is None and self.is_spent():
            self.over = True
            return None
        self.tried[_mark(candidate)] = None
        self.tested += 1
        failing = failing_tests(self.current_checks)
        if not failing:
            return 0
        narrowed = (known,) if known else await self._narrowed(candidate, (*failing, *candidate.must_also_pass))
        if narrowed is None:
            return None
        helps = _helps(_comparable(self.current_checks, narrowed), narrowed)
        if self.written and candidate.location is not None:
            # Code that is wrong as a whole can pass by chance: an early return passes tests that expect nothing.
            helps = helps and self.halves(len(failing_tests(narrowed)))
        tested = Tested(narrowed, helps)
        self.results[_mark(candidate)] = tested
        return tested.failing if tested.helps else None

    async def _narrowed(self, candidate: Candidate, failing: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        async with self._in_tree(candidate) as written:
            return await self._tested(candidate.note, failing) if written else None

    async def look_ahead(self, candidates: Iterable[Candidate], most: int) -> None:
        """If the first of these must be tested, test it together with the next ones, at most `most`, if possible:
        starting a test runner often takes longer than the tests."""
        failing = failing_tests(self.current_checks)
        batch_size = min(self.many, most, self.context.checks_left() - self.floor)
        if not failing or batch_size < MIN_BATCH:
            return
        chosen: dict[str, Candidate] = {}
        lines: dict[str, tuple[str, ...]] = {}
        for each in candidates:
            if each.path not in lines:
                lines[each.path] = await self.context.lines_of(each.path) or ()
            also = next(iter(chosen.values()), each).must_also_pass
            if each.must_also_pass == also and not self.is_known(each) and self.is_new(each, lines[each.path]):
                chosen[_mark(each)] = each
            if not chosen or len(chosen) == batch_size or each.must_also_pass != also:
                break  # the first one needs no test, the batch is full, or the next ones need other tests
        if len(chosen) >= MIN_BATCH:
            together = list(chosen.values())
            checks = await self.context.test_many(together, only=(*failing, *together[0].must_also_pass))
            self.ahead.update(zip(chosen, checks, strict=False))
            if checks or not together[0].must_also_pass:  # which tests are broken says nothing about the next changes
                whole = len(checks) == len(chosen)
                self.many = min(MAX_BATCH, 2 * self.many) if whole else MIN_BATCH * bool(checks)

    def is_known(self, candidate: Candidate) -> bool:
        """Whether it was tested ahead of time."""
        return _mark(candidate) in self.ahead

    def result_of(self, candidate: Candidate) -> Tested | None:
        """The result of its test; None if there was none."""
        return self.results.get(_mark(candidate))

    async def failures_with(self, candidate: Candidate, attempt: int) -> tuple[str, ...]:
        """What still fails with a tested change, one line per failure. Runs nothing."""
        tested = self.result_of(candidate)
        if tested is None:
            return ()
        async with self._in_tree(candidate):
            return (await self.context.brief(tested.checks, attempt, traced=False)).failures

    async def try_to_keep(self, candidate: Candidate) -> bool:
        """Run everything with a change, and leave it in the tree if it is a gain."""
        after = await self.in_full(candidate)
        if after is not None:
            await self.keep(candidate, after)
        return after is not None

    async def in_full(self, candidate: Candidate) -> tuple[Check, ...] | None:
        """Run everything with a change, and revert it: the results, if it is a gain."""
        async with self._in_tree(candidate) as written:
            after = await self._tested(candidate.note, ()) if written else None
        if after is None or candidate.is_diagnostic or not self._is_gain(candidate, after):
            self._remember(candidate, after or ())
            return None
        return after

    async def keep(self, candidate: Candidate, after: tuple[Check, ...]) -> None:
        """Leave a change in the tree. These are the results of everything with it."""
        passes = self.passes(after)
        await self.context.write(candidate.path, "\n".join(candidate.lines))
        self.ahead.clear()
        self.leads.clear()  # they were made from the files before this change
        self.current_checks, self.gains, self.over = after, self.gains + 1, passes
        await self.context.keep_gain(self.tried)
        self.context.note(f"Kept: {candidate.note}")

    def passes(self, after: Sequence[Check]) -> bool:
        return compare(self.current_checks, after).passed

    async def keep_best(self, found: Mapping[Candidate, tuple[Check, ...]]) -> None:
        """Leave one of several changes in the tree that pass, and remember the others."""
        best = preferred(list(found))
        for other in found:
            if other is not best and other.slip:
                before = other.slip.tree.text.decode("utf-8", "replace")
                self.also_passing.append(unified_diff(before, "\n".join(other.lines), other.path))
                self.context.note(f"Passes as well: {other.note}")
        await self.keep(best, found[best])

    def _is_gain(self, candidate: Candidate, after: Sequence[Check]) -> bool:
        if _helps(self.current_checks, after) or self.passes(after):
            return True
        # A stub passes tests that expect nothing. Its replacement may fail one of them at first.
        return (
            candidate.fills_stub
            and not compare(self.current_checks, after).fewer_tests
            and self.halves(len(failing_tests(after)))
        )

    def _remember(self, candidate: Candidate, after: Sequence[Check]) -> None:
        """A change that fixes something and breaks something else may be right in some cases."""
        change = compare(self.current_checks, after)
        failed = [check for check in after if not check.passed]
        same = [check.command for check in failed] == [
            check.command for check in self.current_checks if not check.passed
        ]
        if candidate.slip is None or candidate.must_also_pass or not change.gone or not same or len(failed) != 1:
            return  # what it breaks has to be tested by the command that fails now
        broken = tuple(test for test in failing_tests(failed) if test.id not in change.left)
        if not failed[0].report.blocked and 0 < len(broken) <= MAX_BROKEN_TESTS and len(change.new) == len(broken):
            self.leads.append(Lead(candidate.slip, broken))

    def halves(self, failing: int) -> bool:
        """Whether so many failing tests are half of what fails now, or fewer."""
        return 2 * failing <= len(failing_tests(self.current_checks))

    @asynccontextmanager
    async def _in_tree(self, candidate: Candidate) -> AsyncGenerator[bool]:
        """The change is in the tree meanwhile, if it may be written."""
        try:
            before = await self.context.file_state(candidate.path)
        except CallRejected:
            yield False
            return
        written = False
        try:
            with suppress(CallRejected):
                await self.context.write(candidate.path, "\n".join(candidate.lines))
                written = True
            yield written
        finally:
            with suppress(CallRejected):
                await self.context.put_back(candidate.path, before)

    async def _tested(self, note: str, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        checks = await self.context.test(note, only=only)
        self.over = self.over or checks is None
        return checks

    def is_spent(self) -> bool:
        return self.context.checks_left() <= self.floor

    def is_new(self, candidate: Candidate, lines: Sequence[str]) -> bool:
        """Whether it changes something, parses, and was not tested before."""
        before, after = "\n".join(lines), "\n".join(candidate.lines)
        if before == after or _mark(candidate) in self.tried:
            return False
        return not self.context.syntax.new_problems(candidate.path, before, after)

    def sentence(self) -> str:
        tested = f"{self.tested} change{'' if self.tested == 1 else 's'} tested"
        if not self.gains:
            return f"{tested}, none of which made fewer tests fail."
        return f"{tested}, {self.gains} kept."


def _helps(before: Sequence[Check], after: Sequence[Check]) -> bool:
    """Fewer tests fail, and not only because a crash ended the run early: Go runs no tests after one."""
    crashed = any("panic:" in f"{test.message}\n{test.detail}" for test in failing_tests(after))
    hidden = crashed and not any("panic:" in f"{test.message}\n{test.detail}" for test in failing_tests(before))
    return compare(before, after).improved and not hidden


def _comparable(current_checks: Sequence[Check], narrowed: Sequence[Check]) -> tuple[Check, ...]:
    """Earlier results of the commands that were narrowed, without counts: running fewer tests is not a loss."""
    commands = {check.command for check in narrowed}
    mine = [check for check in current_checks if check.command in commands] or current_checks
    return tuple(
        check.model_copy(update={"report": TestReport(failing=check.report.failing, blocked=check.report.blocked)})
        for check in mine
    )


def _mark(candidate: Candidate) -> str:
    whole = "\0".join([candidate.path, *candidate.lines])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
