"""The questions of a guided repair in order, and the changes made from the answers."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from mulligan.core.guided_coder.question_order import BY_CODE, Question, Situation, first_runs, question_order
from mulligan.core.guided_coder.questions import (
    SUSPECTS,
    ask_for_change,
    ask_for_replacements,
    ask_for_suspects,
    ask_for_thought,
    ask_to_choose,
    ask_to_extract,
    diverging_in,
    does_something,
    read_choice,
    read_lines,
    writing_again,
)
from mulligan.core.guided_coder.written_changes import model_candidates, prose_candidates
from mulligan.core.line_change import LineChange, LineLocation, line_places, line_replacement, read_object
from mulligan.core.program_repair.brief import Brief, SuspectFunction
from mulligan.core.program_repair.candidates import Candidate, slips_at
from mulligan.core.replies import Reply
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.secrets import is_masked
from mulligan.core.writing.divergences import FunctionText, function_text
from mulligan.core.writing.prompts import SAMPLES, sample_batches
from mulligan.core.writing.task import WritingTask
from mulligan.fixing.candidate_trial import CandidateTrial
from mulligan.fixing.divergence_questions import DivergenceQuestion
from mulligan.fixing.guided_context import GuidedContext
from mulligan.fixing.slip_candidates import FIRST_TESTS, FURTHER_TESTS, SlipCandidates
from mulligan.fixing.writing_questions import WritingQuestion
from mulligan.types.errors import ModelRejected
from mulligan.types.fixing import MAX_ATTEMPTS
from mulligan.types.model_io import ModelRequest, TokenChoices

MAX_LOCATIONS = 3
"""Most locations of one line to try."""
MAX_LINES_TO_CHOOSE_FOR = 4
"""Lines for which the model chooses a variant. Its first choice is usually right if the line is, so there is one choice
per line in every attempt: tested variants are not offered again."""
MAX_CHOICES = 24
"""Most variants to offer for a line, likeliest first: more would make a grammar that slows every token."""
DIVERGENCES = {1: (slice(0, 16), 0.0), 2: (slice(0, 12), 0.8), 3: (slice(16, 40), 0.0)}
"""By attempt: which divergences of each suspected function are tried, likeliest first, and at which temperature the
model continues them."""


def offered_lines(brief: Brief, attempt: int) -> dict[str, tuple[LineLocation, ...]]:
    """Lines to choose from: those that failures point at, and in files without any, as in the last attempt, all that do
    something.

    A small model tends to point at the first line of a function, or at one that has nothing to do with the failure.
    """
    suspects = set(brief.suspects)
    known = {location.path for location in suspects} if attempt < MAX_ATTEMPTS else set[str]()
    return {
        line: locations
        for line, locations in line_places(brief.sources).items()
        if suspects.intersection(locations)
        or (does_something(line) and any(each.path not in known for each in locations))
    }


CandidateSource = Callable[[], AsyncIterator[Candidate]]


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question, ready to be asked."""

    candidates: CandidateSource
    of_model: bool


@dataclass(slots=True)
class Questions:
    """The portfolio for one brief: every question yields changes to test, likeliest first."""

    context: GuidedContext
    brief: Brief
    attempt: int
    locations: dict[str, tuple[LineLocation, ...]]
    """Lines to choose from, and their locations."""
    trial: CandidateTrial
    pointed: dict[str, None] = field(default_factory=dict[str, None])
    """Lines that the model considers wrong, in its order."""
    by_code: SlipCandidates = field(init=False)

    def __post_init__(self) -> None:
        self.by_code = SlipCandidates(self.context, self.brief, self.trial)

    async def in_order(self) -> list[PreparedQuestion]:
        """Each attempt asks different questions: the same one in other words gets the same answer."""
        brief = self.brief
        order = question_order(
            Situation(
                attempt=self.attempt,
                missing=bool(brief.missing),
                certain=any(task.certain for task in brief.missing),
                written=any(task.written for task in brief.missing),
                functions=sum(each.shown for each in brief.functions),
                ran=brief.functions_ran,
                shows_choices=self.context.shows_choices() and bool(brief.functions),
                wrong_values=any(" expected " in line for line in brief.failures),
                samples=len(SAMPLES) + 1,
                slips=0 if any(task.certain for task in brief.missing) else await self.by_code.count(),
                pace=self.context.pace(),
            )
        )
        self.context.note(order.summary())
        return [PreparedQuestion(ask, each not in BY_CODE) for each in order.questions for ask in self._asking(each)]

    def _asking(self, question: Question) -> Sequence[CandidateSource]:
        match question:
            case "write missing":
                return [partial(self._by_writing, self._writing(task)) for task in self.brief.missing]
            case "write again":
                writings = [
                    self._writing(writing_again(self.brief, each)) for each in self.brief.functions if each.shown
                ]
                turns = sample_batches(len(writings), self.attempt)
                return [partial(self._by_writing, writings[each.function], each.samples) for each in turns]
            case "diverge":
                return [partial(self._by_diverging, each) for each in self.brief.functions]
            case "hints":
                return [self.by_code.by_hints]
            case "first slips":
                return [partial(self.by_code.by_likelihood, first_runs(self.context.pace()))]
            case "likely slips":
                return [partial(self.by_code.by_likelihood, FIRST_TESTS)]
            case "conditional edits":
                return [self.by_code.under_conditions]
            case "more slips":
                return [partial(self.by_code.by_likelihood, FURTHER_TESTS)]
            case "narrow":
                return self._narrow()
            case "all slips":
                return [self.by_code.everything]

    def _narrow(self) -> Sequence[CandidateSource]:
        """Each ends with slips that need no question: a test takes half a second, a question ten."""
        pointed = self._by_slips_of_pointed
        if self.attempt == 1:
            return self._by_pointing, pointed, self._by_thinking, pointed, self._by_choosing
        if self.attempt < MAX_ATTEMPTS:
            return self._by_suspecting, pointed, self._by_choosing, self._by_replacing, self._by_pointing
        return self._by_pointing, pointed, self._by_thinking, self._by_choosing

    async def _by_writing(self, writing: WritingQuestion, samples: slice = slice(None)) -> AsyncIterator[Candidate]:
        """Whole code that the model writes."""
        async for candidate in writing.candidates(await self._lines(writing.task.path), samples):
            yield candidate

    def _writing(self, task: WritingTask) -> WritingQuestion:
        async def ask(request: ModelRequest, note: str) -> str:
            return await self.context.ask(request, note=note)

        async def failures_with(candidate: Candidate) -> tuple[str, ...]:
            return await self.trial.failures_with(candidate, self.attempt)

        return WritingQuestion(
            task,
            self.attempt,
            ask=ask,
            note=self.context.note,
            tested=self.trial.result_of,
            failures_with=failures_with,
        )

    async def _by_diverging(self, suspect: SuspectFunction) -> AsyncIterator[Candidate]:
        """Small changes where the model would write a function otherwise."""
        lines = await self._lines(suspect.path)
        function = self._text_of(suspect, lines)
        if function is None:
            return
        part, temperature = DIVERGENCES[self.attempt]
        task = diverging_in(self.brief, suspect)
        diverging = DivergenceQuestion(task, function, self._choices, self.context.syntax, temperature)
        try:
            async for together in diverging.changes(lines, part):
                for index, candidate in enumerate(together):
                    if not self.trial.is_known(candidate):
                        await self.trial.look_ahead(together[index:], len(together))
                    yield candidate
        except ModelRejected as error:  # an old llama.cpp, or a model that must think first
            self.context.note(f"The server can't tell where the model would write otherwise: {error}")

    def _text_of(self, suspect: SuspectFunction, lines: Sequence[str]) -> FunctionText | None:
        """None for a function that may not be shown as it is: it contains a secret."""
        name = suspect.name.rpartition(".")[2]
        text = function_text(suspect.path, name, lines, suspect.first, suspect.last)
        return text if text and suspect.around and _shows(suspect.around, text) else None

    async def _choices(self, request: ModelRequest, note: str) -> tuple[Reply, Sequence[TokenChoices]]:
        return await self.context.ask_with_choices(request, note=note)

    async def _by_suspecting(self) -> AsyncIterator[Candidate]:
        """For when code can't tell what is suspicious; used by the questions that follow."""
        if self.locations and (len(self.locations) > MAX_LINES_TO_CHOOSE_FOR or not self.brief.suspects):
            question = ask_for_suspects(self.brief, list(self.locations))
            lines = read_lines(await self.context.ask(question, note="Asking for suspicious lines."))
            self.pointed.update(dict.fromkeys(line for line in lines if line in self.locations))
        for none in ():
            yield none

    async def _by_pointing(self) -> AsyncIterator[Candidate]:
        if not self.locations:
            return
        question = ask_for_change(self.brief, list(self.locations))
        reply = await self.context.ask(question, note="Asking which line is wrong.")
        async for candidate in self._changes(reply):
            yield candidate

    async def _by_thinking(self) -> AsyncIterator[Candidate]:
        if not self.locations:
            return
        thought = await self.context.ask(ask_for_thought(self.brief), note="Asking why the test fails.")
        corrections = prose_candidates(thought, self.locations)
        for old, new in corrections:
            async for candidate in self._written(old, new):
                yield candidate
        if thought.strip() and not corrections:
            reply = await self.context.ask(ask_to_extract(self.brief, thought, list(self.locations)))
            async for candidate in self._changes(reply):
                yield candidate

    async def _by_choosing(self) -> AsyncIterator[Candidate]:
        """The model chooses among variants of the lines that it considers wrong, then of other suspicious ones."""
        asked = 0
        for line in self._suspicious():
            if is_masked(line) or asked == MAX_LINES_TO_CHOOSE_FOR:  # slips are generated from the line as it is
                continue
            offered = await self._offered(line)
            if offered:
                asked += 1
                question = ask_to_choose(self.brief, line, list(offered))
                candidate = offered.get(read_choice(await self.context.ask(question)))
                if candidate:
                    yield candidate

    async def _offered(self, line: str) -> dict[str, Candidate]:
        """Possible replacements of a line, by their text. Tested ones are not offered again."""
        location = self.locations[line][0]
        lines = await self._lines(location.path)
        found: dict[str, Candidate] = {}
        for slip in slips_at(self.brief, await self.by_code.files(), location):
            candidate = slip.candidate()
            text = line_replacement(lines, candidate.lines, location.line)
            if text and self.trial.is_new(candidate, lines):
                found.setdefault(text, candidate)
            if len(found) == MAX_CHOICES:
                break
        return found

    async def _by_replacing(self) -> AsyncIterator[Candidate]:
        for line in self._suspicious()[:SUSPECTS]:
            question = ask_for_replacements(self.brief, line)
            reply = await self.context.ask(question, note=f"Asking what could stand for `{line}`.")
            for new in read_lines(reply):
                # Some models write only the value.
                whole = dict(prose_candidates(new, [line])).get(line, new)
                async for candidate in self._written(line, whole):
                    yield candidate

    async def _by_slips_of_pointed(self) -> AsyncIterator[Candidate]:
        locations = {location for line in self.pointed for location in self.locations[line][:MAX_LOCATIONS]}
        async for candidate in self.by_code.at(locations):
            yield candidate

    def _suspicious(self) -> list[str]:
        """Lines that the model pointed at, then those that failures point at, then all others."""
        return list(dict.fromkeys([*self.pointed, *self._suspects(), *self.locations]))

    def _suspects(self) -> list[str]:
        by_location = {location: line for line, locations in self.locations.items() for location in locations}
        return list(dict.fromkeys(by_location[location] for location in self.brief.suspects if location in by_location))

    async def _changes(self, reply: str) -> AsyncIterator[Candidate]:
        given = read_object(reply)
        old, new = given.get("old"), given.get("new")
        if not isinstance(old, str) or not isinstance(new, str) or old not in self.locations:
            return
        async for candidate in self._written(old, new):
            yield candidate

    async def _written(self, old: str, new: str) -> AsyncIterator[Candidate]:
        self.pointed[old] = None
        for location in self.locations[old][:MAX_LOCATIONS]:
            for candidate in model_candidates(LineChange(location, new), await self._lines(location.path)):
                yield candidate

    async def _lines(self, path: str) -> tuple[str, ...]:
        return await self.context.lines_of(path) or ()


def _shows(excerpt: Excerpt, function: FunctionText) -> bool:
    """Whether an excerpt has the function's text as it is in the file."""
    rows = excerpt.text.split("\n")[function.first - excerpt.first :][: function.rows]
    return function.code == "\n".join(row.removeprefix(function.margin) for row in rows)
