"""The question where the model would write a suspected function otherwise: many small changes, all tested."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.replies import Reply
from mulligan.core.writing.divergences import (
    Divergence,
    FunctionText,
    ask_to_continue,
    ask_to_copy,
    divergences,
    variants,
)
from mulligan.core.writing.repeats import says_the_same
from mulligan.core.writing.task import WritingTask
from mulligan.ports.code import SyntaxCheck
from mulligan.syntax.functions import parse_python
from mulligan.types.model_io import ModelRequest, TokenChoices

TOGETHER = 8
"""Divergences to continue before their changes are tested: many can be tested after one start of the tests."""
MAX_VARIANTS = 5
"""Changes to make of one divergence."""


@dataclass(slots=True)
class DivergenceQuestion:
    """One suspected function: yields changes to test."""

    task: WritingTask
    function: FunctionText
    ask: Callable[[ModelRequest, str], Awaitable[tuple[Reply, Sequence[TokenChoices]]]]
    """Asks the model, with a note for subscribers."""
    syntax: SyntaxCheck
    temperature: float
    """At which the model continues a divergence."""

    async def changes(self, lines: Sequence[str], part: slice) -> AsyncIterator[list[Candidate]]:
        """Changes to test together, likeliest first. `lines` are those of the file, `part` the divergences to try."""
        note = f"Asking the model where it would write {self.task.describe()} otherwise."
        _, tokens = await self.ask(ask_to_copy(self.task, self.function), note)
        chosen = divergences(self.function, tokens)[part]
        for start in range(0, len(chosen), TOGETHER):
            together = chosen[start : start + TOGETHER]
            # From the end on: then the server has everything cached that comes before.
            made = {each: await self._made(lines, each) for each in sorted(together, key=lambda each: -each.at)}
            yield [candidate for each in together for candidate in made[each]]

    async def _made(self, lines: Sequence[str], divergence: Divergence) -> list[Candidate]:
        reply, _ = await self.ask(ask_to_continue(self.task, self.function, divergence, self.temperature), "")
        path, before = self.function.path, "\n".join(lines)
        found: list[Candidate] = []
        for code in variants(self.function, divergence, reply.text, whole=reply.finish_reason == "stop"):
            after = self.function.placed(lines, code)
            text = "\n".join(after)
            broken = self.syntax.new_problems(path, before, text) or (path.endswith(".py") and not parse_python(text))
            if not broken and not says_the_same(path, before, text):
                found.append(Candidate(path, after, self.function.note_of(code)))
            if len(found) == MAX_VARIANTS:
                break
        return found
