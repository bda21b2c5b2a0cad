"""The guided coder: narrow questions, and every answer put to the test.

A model too small to drive tools still finds the wrong line, and now and then what should stand there. So it is asked
in several ways, code adds the small changes that people slip on, and the project's own tests decide. What makes fewer
tests fail is kept, and the round starts again with what is left: this is how two bugs are solved.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from mulligan.core.finding.line_change import LineChange, LinePlace, line_places, read_object
from mulligan.core.judging import compare, failing_tests
from mulligan.core.repair.brief import Brief
from mulligan.core.repair.candidates import Candidate, cures, said, varied, written
from mulligan.core.repair.questions import (
    ask_for_change,
    ask_for_replacements,
    ask_for_suspects,
    ask_for_thought,
    ask_to_choose,
    ask_to_extract,
    does_something,
    read_choice,
    read_lines,
)
from mulligan.core.repair.variants import Variant, Vocabulary, line_variants
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.files import Workspace
from mulligan.types.errors import CallRejected
from mulligan.types.fixing import MAX_ATTEMPTS, Check, FailingTest, TestReport
from mulligan.types.model_io import ModelRequest

RESERVED = 2
"""Checks that are left to the verifier of each attempt that may come, at least."""
SHARE = {1: 0.4, 2: 0.55}
"""How much of the checks that are left an attempt may use; the last one all."""
MOST_PLACES = 3
"""Places of one line that are tried."""
MOST_CHOSEN_OF = 6
"""Lines of which the model chooses a variant. The first choice is mostly right where the line is, so that there is one
choice a line in every attempt: what was tested is not offered again."""
FURTHER = 0.3
"""How much less likely a slip is with every line that is less suspicious."""
MOST_CURES = 4


class RepairBench(Protocol):
    """What a guided coder works with: a tree of files, the tests on it, and a model."""

    @property
    def files(self) -> Workspace: ...

    @property
    def syntax(self) -> SyntaxCheck: ...

    async def brief(self, standing: Sequence[Check], attempt: int) -> Brief: ...

    async def write(self, path: str, text: str) -> None:
        r"""Give a file a new text, its lines joined by \n. Encoding and line endings, the last one too, are kept.

        Raises `CallRejected` for a file that the run is judged by.
        """
        ...

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        """Run these tests alone where that can be done; without any, all commands in full. None: no run is left."""
        ...

    async def ask(self, request: ModelRequest) -> str:
        """What the model says. Raises `ModelError`."""
        ...

    def checks_left(self) -> int: ...


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
    questions = _Questions(trial.bench, brief, say, _offered(brief, attempt), trial.is_new)
    async for candidate in questions.in_order(attempt):
        if await trial.is_gain(candidate):
            say(f"Kept: {candidate.note}")
            return True
        if trial.over:
            return False
    return False


def _offered(brief: Brief, attempt: int) -> dict[str, tuple[LinePlace, ...]]:
    """Lines to choose among: those that failures point at, and in the last attempt all that do something.

    A small model likes to point at the first line of a function, or at one that nothing has to do with the failure.
    """
    places = line_places(brief.sources)
    suspects = set(brief.suspects)
    pointed = {line: at for line, at in places.items() if suspects.intersection(at)}
    acting = {line: at for line, at in places.items() if does_something(line) or line in pointed}
    return (pointed if attempt < MAX_ATTEMPTS else acting) or acting or places


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


@dataclass(slots=True)
class _Questions:
    """The portfolio for one brief: every question yields changes to test, the likeliest first."""

    bench: RepairBench
    brief: Brief
    say: Callable[[str], None]
    places: dict[str, tuple[LinePlace, ...]]
    """Lines that can be chosen, and where they stand."""
    worth_testing: Callable[[Candidate, Sequence[str]], bool]
    pointed: dict[str, None] = field(default_factory=dict[str, None])
    """Lines that the model took for wrong, the first first."""

    async def in_order(self, attempt: int) -> AsyncIterator[Candidate]:
        """Each attempt asks other questions: the same in other words gets the same answer."""
        asked = {
            1: (self._by_hints, self._by_pointing, self._by_choosing, self._by_thinking),
            2: (self._by_suspecting, self._by_choosing, self._by_replacing, self._by_pointing),
        }
        for question in asked.get(attempt, (self._by_pointing, self._by_thinking, self._by_choosing, self._by_slips)):
            async for candidate in question():
                yield candidate

    async def _by_hints(self) -> AsyncIterator[Candidate]:
        files = {each.path: await self._lines(each.path) for each in self.brief.sources}
        for candidate in islice(cures(self.brief, files), MOST_CURES):
            yield candidate

    async def _by_pointing(self) -> AsyncIterator[Candidate]:
        if not self.places:
            return
        self.say("Asking which line is wrong.")
        async for candidate in self._changes(await self.bench.ask(ask_for_change(self.brief, list(self.places)))):
            yield candidate

    async def _by_thinking(self) -> AsyncIterator[Candidate]:
        if not self.places:
            return
        self.say("Asking why the test fails.")
        thought = await self.bench.ask(ask_for_thought(self.brief))
        corrections = said(thought, self.places)
        for old, new in corrections:
            async for candidate in self._written(old, new):
                yield candidate
        if thought.strip() and not corrections:
            reply = await self.bench.ask(ask_to_extract(self.brief, thought, list(self.places)))
            async for candidate in self._changes(reply):
                yield candidate

    async def _by_suspecting(self) -> AsyncIterator[Candidate]:
        """Only asks: the lines are for the questions that follow."""
        if self.places:
            self.say("Asking for suspicious lines.")
            lines = read_lines(await self.bench.ask(ask_for_suspects(self.brief, list(self.places))))
            self.pointed.update(dict.fromkeys(line for line in lines if line in self.places))
        for candidate in ():
            yield candidate

    async def _by_choosing(self) -> AsyncIterator[Candidate]:
        """The model chooses among variants of the lines that it took for wrong, then of other suspicious ones."""
        vocabulary = Vocabulary.of(self.brief)
        for line in islice(self._suspicious(), MOST_CHOSEN_OF):
            made = await self._variants(line, vocabulary)
            # A line that is taken out, or only moved, can't be told from the others by its text.
            variants = {each.text: each for each in made if each.text and not each.shift}
            if not variants:
                continue
            variant = variants.get(read_choice(await self.bench.ask(ask_to_choose(self.brief, line, list(variants)))))
            if variant:
                async for candidate in self._varied(line, variant):
                    yield candidate

    async def _by_replacing(self) -> AsyncIterator[Candidate]:
        for line in list(self.pointed):
            self.say(f"Asking what could stand for `{line}`.")
            for new in read_lines(await self.bench.ask(ask_for_replacements(self.brief, line))):
                async for candidate in self._written(line, new):
                    yield candidate

    async def _by_slips(self) -> AsyncIterator[Candidate]:
        """Variants of all suspicious lines, whatever the model thinks of them."""
        vocabulary = Vocabulary.of(self.brief)
        ranked = [
            (variant.weight + FURTHER * rank, line, variant)
            for rank, line in enumerate(self._suspicious())
            for variant in await self._variants(line, vocabulary)
        ]
        for _, line, variant in sorted(ranked, key=lambda each: each[0]):
            async for candidate in self._varied(line, variant):
                yield candidate

    async def _variants(self, line: str, vocabulary: Vocabulary) -> list[Variant]:
        """Those that were not tested yet."""
        place = self.places[line][0]
        lines = await self._lines(place.path)
        made = line_variants(place.path, lines, place.line, vocabulary)
        return [each for each in made if self.worth_testing(varied(place, each, lines), lines)]

    def _suspicious(self) -> list[str]:
        """Lines that the model pointed at, then those that failures point at, then all others."""
        by_place = {place: line for line, places in self.places.items() for place in places}
        suspects = [by_place[place] for place in self.brief.suspects if place in by_place]
        return list(dict.fromkeys([*self.pointed, *suspects, *self.places]))

    async def _changes(self, reply: str) -> AsyncIterator[Candidate]:
        given = read_object(reply)
        old, new = given.get("old"), given.get("new")
        if not isinstance(old, str) or not isinstance(new, str) or old not in self.places:
            return
        async for candidate in self._written(old, new):
            yield candidate

    async def _written(self, old: str, new: str) -> AsyncIterator[Candidate]:
        self.pointed[old] = None
        for place in self.places[old][:MOST_PLACES]:
            for candidate in written(LineChange(place, new), await self._lines(place.path)):
                yield candidate

    async def _varied(self, line: str, variant: Variant) -> AsyncIterator[Candidate]:
        for place in self.places[line][:MOST_PLACES]:
            yield varied(place, variant, await self._lines(place.path))

    async def _lines(self, path: str) -> tuple[str, ...]:
        return (await self.bench.files.read_text(path)).lines


def _comparable(standing: Sequence[Check], narrowed: Sequence[Check]) -> tuple[Check, ...]:
    """What stood before of the commands that were narrowed, without its counts: that fewer tests ran is no loss."""
    commands = {check.command for check in narrowed}
    mine = [check for check in standing if check.command in commands] or standing
    return tuple(
        check.model_copy(update={"report": TestReport(failing=check.report.failing, blocked=check.report.blocked)})
        for check in mine
    )


def _mark(candidate: Candidate) -> str:
    whole = "\0".join([candidate.path, *candidate.lines])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
