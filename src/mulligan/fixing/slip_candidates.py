"""Changes that code makes by itself, without a question to the model: in turns, the likeliest first."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, field

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import (
    Candidate,
    Slip,
    chances,
    diagnostic_slips,
    slips,
    slips_at,
    under_conditions,
)
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.fixing.candidate_trial import CandidateTrial
from mulligan.fixing.guided_context import GuidedContext

LIKELY = 0.05
"""The probability of a slip that is tested before anything else."""
MAX_SUGGESTIONS = 10
FIRST_TESTS = 120
"""Tests of slips before the first question: together they take as long as three questions, and fix more."""
POINTED_TESTS = 30
"""Tests of slips on lines that the model has just pointed at."""
FURTHER_TESTS = 800
"""Tests of further slips, if many functions ran: there the right change has a lower rank, and a model helps less."""
MAX_RUNS_PER_TEST = 5
"""Quick runs that a test in a turn may cost on average. Where tests are slow, fewer changes get their turn."""
MAX_DIAGNOSTIC_TESTS, MAX_LEADS, MAX_CONDITIONS = 300, 8, 150
"""Tests of diagnostic edits; changes that fix something and break something else, and conditions for each."""
MAX_RIVALS = 40
"""Other variants of a line after one of them helped some tests."""


@dataclass(slots=True)
class SlipCandidates:
    context: GuidedContext
    brief: Brief
    trial: CandidateTrial
    made: list[Slip] | None = None
    """All slips of this brief, once generated."""
    followed: list[Slip] = field(default_factory=list[Slip])
    """Those that were tried under conditions."""

    async def by_hints(self) -> AsyncIterator[Candidate]:
        """Code that is almost never intended, and what failures practically name."""
        made = await self._suspected()
        likely = [slip for slip, chance in zip(made, chances(made), strict=True) if chance >= LIKELY]
        async for candidate in self._turn(likely[:MAX_SUGGESTIONS], FIRST_TESTS):
            yield candidate

    async def by_likelihood(self, tests: int) -> AsyncIterator[Candidate]:
        """The likeliest slips in lines that failures point at."""
        async for candidate in self._turn(await self._suspected(), tests):
            yield candidate

    async def at(self, locations: Collection[LineLocation]) -> AsyncIterator[Candidate]:
        """Those in lines that the model pointed at: it often finds the line, but not the replacement."""
        near = [slip for slip in await self._all() if slip.location in locations]
        async for candidate in self._turn(near, POINTED_TESTS):
            yield candidate

    async def everything(self) -> AsyncIterator[Candidate]:
        """All changes to all suspicious lines, whatever the model thinks of them."""
        async for candidate in self._turn(await self._all(), self.context.checks_left()):
            yield candidate

    async def under_conditions(self) -> AsyncIterator[Candidate]:
        """Changes that fix something and break something else, each under a condition; those that break least first."""
        facts = RepairFacts(self.brief, await self.files())
        known = {slip.key: slip for slip in await self._all()}
        diagnostic_edits = [known.get(each.key, each) for each in diagnostic_slips(self.brief, facts)]
        for found in ((), diagnostic_edits):
            async for candidate in self._turn(found, MAX_DIAGNOSTIC_TESTS):
                yield candidate
            async for candidate in self._leads(facts):
                yield candidate

    async def _leads(self, facts: RepairFacts) -> AsyncIterator[Candidate]:
        leads = [lead for lead in self.trial.leads if lead.slip not in self.followed]
        for lead in sorted(leads, key=lambda lead: len(lead.broken))[:MAX_LEADS]:
            self.followed.append(lead.slip)
            async for candidate in self._turn(list(under_conditions(facts, lead.slip, lead.broken)), MAX_CONDITIONS):
                yield candidate

    async def count(self) -> int:
        return len(await self._all())

    async def rivals(self, candidate: Candidate) -> list[Candidate]:
        """Other changes to the line of a change, likeliest first."""
        if candidate.location is None:
            return []
        lines = await self.context.lines_of(candidate.path) or ()
        found: list[Candidate] = []
        for slip in slips_at(self.brief, await self.files(), candidate.location):
            other = slip.candidate()
            if len(found) < MAX_RIVALS and self.trial.is_new(other, lines):
                found.append(other)
        return found

    async def files(self) -> dict[str, tuple[str, ...]]:
        paths = (*self.brief.paths, *self.brief.references)
        return {path: await self.context.lines_of(path) or () for path in paths}

    async def _turn(self, made: Sequence[Slip], tests: int) -> AsyncIterator[Candidate]:
        """The first of these, as many as may be tested."""
        end, floor = self.trial.tested + tests, self.context.checks_left() - tests * MAX_RUNS_PER_TEST
        for index, slip in enumerate(made):
            candidate = slip.candidate()
            if not self.trial.is_known(candidate):
                if self.trial.tested >= end or self.context.checks_left() <= floor:
                    return
                rest = (each.candidate() for each in made[index:])
                await self.trial.look_ahead(rest, end - self.trial.tested)
            yield candidate

    async def _suspected(self) -> list[Slip]:
        return [slip for slip in await self._all() if slip.suspected]

    async def _all(self) -> list[Slip]:
        """The likeliest first."""
        if self.made is None:
            # A long file takes seconds, in which a run can still be stopped.
            self.made = await asyncio.to_thread(slips, self.brief, await self.files())
        return self.made
