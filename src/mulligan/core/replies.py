"""Classifies a model's reply, and says what to do with an unusable one."""

from dataclasses import field
from typing import Literal

from mulligan.core.repetition import RepeatedText
from mulligan.types.frozen import frozen
from mulligan.types.model_io import TokenChoices, Usage
from mulligan.types.tool_calls import RawCall


@frozen
class Reply:
    """One streamed reply, whole or until it was cut off."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[RawCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    repeated: RepeatedText | None = None
    """It was cut off while streaming because it repeated this."""
    choices: tuple[TokenChoices, ...] = ()
    """What the model might have written at each token, if the request asked for that."""

    def worth_keeping(self) -> str:
        """The text, with repetitions reduced to one."""
        if self.repeated and self.text.startswith(self.repeated.kept):
            return self.repeated.kept
        return self.text


Trouble = Literal["empty", "repeated", "too_long", "announced", "nothing_done"]


@frozen
class Answer:
    """Text and no calls: the turn is answered."""

    text: str


@frozen
class Calls:
    """Tools to run."""

    calls: tuple[RawCall, ...]
    finish_reason: str | None


@frozen
class Unusable:
    """Neither an answer nor a call. After the first in a row the model is asked again, the second ends the turn."""

    trouble: Trouble


def read_reply(reply: Reply, *, tools_offered: bool, owes_change: bool = False) -> Answer | Calls | Unusable:
    """Calls, and announcements of them, count only if tools were offered: otherwise such a call says nothing.

    If a change was asked for, an answer without one is not an answer yet.
    """
    if reply.repeated:
        return Unusable("repeated")
    if reply.calls and tools_offered:
        return Calls(reply.calls, reply.finish_reason)
    if not reply.text.strip():
        return Unusable("empty")
    if reply.finish_reason == "length":
        return Unusable("too_long")
    if tools_offered and _only_announces(reply.text):
        return Unusable("announced")
    if owes_change and tools_offered:
        return Unusable("nothing_done")
    return Answer(reply.text)


def _only_announces(text: str) -> bool:
    from mulligan.core.announcements import announces  # not needed before a reply came

    return announces(text)


ASK_AGAIN: dict[Trouble, str] = {
    "empty": "Your last reply was empty. Answer the user now: call a tool, or write the answer as plain text.",
    "repeated": (
        "Your last reply said the same thing over and over and was cut off. "
        "Start again: answer in a few sentences, and say each thing once."
    ),
    "too_long": "Your last reply was cut off at the token limit. Answer again, much shorter.",
    "announced": (
        "Your last reply announced what you would do next, but it called no tool, so nothing was done. "
        "Call the tool now, or, if nothing is left to do, write the final answer."
    ),
    "nothing_done": (
        "You were asked for a change, and no file is changed so far, whatever your last reply said. "
        "Make the change now, with the tools. If no change is needed or possible, say so plainly, and why."
    ),
}
"""The transient note for the second try."""

WHY_AGAIN: dict[Trouble, str] = {
    "empty": "the reply was empty",
    "repeated": "the reply repeated itself",
    "too_long": "the reply was cut off at the token limit",
    "announced": "the reply announced a step and did not take it",
    "nothing_done": "it answered, but nothing is changed",
}
"""The same for the user who watches."""
