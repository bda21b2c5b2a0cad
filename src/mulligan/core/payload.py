"""History to request. Append-only: the messages of one step begin with those of the step before, byte for byte.

Sentinels and reasoning never go to the model.
"""

from collections.abc import Iterable, Iterator, Sequence

from mulligan.types.messages import Message, Part, StepStart, Text, ToolCallPart, ToolResultPart
from mulligan.types.model_io import AssistantReply, SentCall, SystemText, ToolReply, UserText, WireMessage

LOST_RESULT = "No result: the turn ended before this call did."


def opening(system: str, history: Sequence[Message]) -> list[WireMessage]:
    """The request's messages at the start of a turn; the last of the history is the person's message."""
    messages: list[WireMessage] = [SystemText(system)]
    for message in history:
        if message.role == "user":
            messages.append(UserText(_text(message.parts)))
        elif message.role == "assistant":
            for step in _steps(message.parts):
                messages.extend(step_messages(step))
    return messages


def step_messages(parts: Sequence[Part]) -> list[WireMessage]:
    """One step as the model sees it: what it said and called, then a result for every call."""
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    text = _text(parts)
    if not calls and not text:
        return []
    results = {part.call_id: part.content for part in parts if isinstance(part, ToolResultPart)}
    sent = tuple(SentCall(call.call_id, call.name, call.arguments) for call in calls)
    return [
        AssistantReply(text, sent),
        *(ToolReply(call.call_id, call.name, results.get(call.call_id, LOST_RESULT)) for call in calls),
    ]


def _text(parts: Iterable[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, Text))


def _steps(parts: Sequence[Part]) -> Iterator[list[Part]]:
    step: list[Part] = []
    for part in parts:
        if isinstance(part, StepStart) and step:
            yield step
            step = []
        step.append(part)
    if step:
        yield step
