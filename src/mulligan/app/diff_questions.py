"""Questions about a diff for the session's model: a subject line, and a review."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mulligan.core.context_budget import chars_per_token
from mulligan.core.diffs import commit_message, review
from mulligan.core.diffs.commit_message import Subject, commit_question, read_subject
from mulligan.core.diffs.patch import FileDiff, read_patch
from mulligan.core.diffs.review import Portion, ReadReview, portions, read_review, review_question
from mulligan.core.instructions import guided_instructions, instruction_char_limit, system_instructions
from mulligan.core.retrieval.request import ASSUMED_CONTEXT, REPLY_TOKENS, excerpt_budget
from mulligan.models.whole_reply import whole_reply
from mulligan.types.model_io import ModelRequest, Usage, WireMessage

if TYPE_CHECKING:
    from mulligan.app.ready_models import ReadyModel
    from mulligan.app.session import Session

COMMIT_TOKENS = 8_000
"""Most tokens of a diff, for a model with a large context: more doesn't change a subject line."""
REVIEW_TOKENS = 4_000
"""The same for one question of a review: a model looks more closely at smaller portions."""
RECENT_SUBJECTS = 8


@dataclass(slots=True)
class DiffQuestions:
    """Asks one model about diffs. What it sees is masked."""

    session: "Session"
    ready_model: "ReadyModel"
    usage: Usage = field(default_factory=Usage)

    @property
    def guided(self) -> bool:
        return self.ready_model.agency == "guided"

    async def subject(self, files: Sequence[FileDiff], recent: Sequence[str]) -> Subject:
        """A subject line; asks once more if it is unusable. Raises `ModelError`.

        A very small model gets no examples: it would repeat one.
        """
        examples = () if self.guided else recent[:RECENT_SUBJECTS]
        instructions = await self._instructions("the message of a commit")
        messages = commit_question(files, self._budget(COMMIT_TOKENS), recent=examples, instructions=instructions)
        reply = await self._ask(messages)
        subject = read_subject(reply, files, recent)
        if subject.problems:
            again = await self._ask((*messages, *commit_message.asked_again(reply, subject)))
            # If the second try is empty, offer the first.
            second = read_subject(again, files, recent)
            subject = second if second.text or not subject.text else subject
        return subject

    def portions(self, files: Sequence[FileDiff]) -> list[Portion]:
        return portions(files, self._budget(REVIEW_TOKENS), one_file=self.guided)

    async def review(self, asked: Sequence[Portion]) -> AsyncIterator[tuple[Portion, ReadReview | None]]:
        """Portion by portion, each as soon as it is answered; None for one whose answer was unreadable twice."""
        instructions = await self._instructions("review of code: bugs, errors, security")
        for portion in asked:
            messages = review_question(portion, instructions)
            reply = await self._ask(messages)
            read = read_review(reply, portion)
            if read is None:
                read = read_review(await self._ask((*messages, *review.asked_again(reply))), portion)
            yield portion, read

    async def _ask(self, messages: tuple[WireMessage, ...]) -> str:
        tuning = self.ready_model.tuning
        request = ModelRequest(
            messages,
            max_tokens=self.session.settings.max_tokens or (REPLY_TOKENS if self.guided else None),
            temperature=0.0 if self.guided and tuning.own_temperature is None else tuning.own_temperature,
        )
        reply = await whole_reply(self.ready_model.model, request)
        self.usage += reply.usage
        return reply.worth_keeping()

    def _budget(self, most: int) -> int:
        """Characters of a diff."""
        profile = self.ready_model.profile
        if self.guided:
            tokens = excerpt_budget(profile, "", reply_tokens=REPLY_TOKENS)
        else:
            context = min(filter(None, (profile.context_length, profile.truncates_at)), default=ASSUMED_CONTEXT)
            tokens = min(most, context // 2)
        return int(tokens * chars_per_token(profile))

    async def _instructions(self, task: str) -> str:
        source = self.session.instructions(self.session.settings.project)
        if source is None:
            return ""
        files = await source.at_top()
        if self.guided:
            return guided_instructions(files, task).text
        budget = instruction_char_limit(self.ready_model.profile.context_length)
        return system_instructions(files, budget, tools=False).text


def read_masked(session: "Session", text: str) -> tuple[list[FileDiff], int]:
    """The files of a diff with secrets masked, and how many were."""
    # Before parsing: a key over several lines is recognized by the marks that git puts before each.
    masked = session.mask(text)
    return read_patch(masked.text), masked.count
