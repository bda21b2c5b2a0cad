"""What the messages of a chat show: its current state, and how its last turn ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.turn_words import stop_words
from mulligan.types.messages import Message, Text, ToolCallPart, TurnMeta
from mulligan.types.tool_calls import Question


@dataclass(frozen=True, slots=True)
class LastExchange:
    prompt: str
    answer: str
    ended: str
    """How the turn ended, in words."""


def last_exchange(history: Sequence[Message]) -> LastExchange | None:
    """The user's last message and everything after it."""
    prompt = next((message for message in reversed(history) if message.role == "user" and message.visible_text), None)
    reply = last_reply(history)
    if prompt is None or reply is None:
        return None
    texts = [part.text.strip("\n") for part in reply.parts if isinstance(part, Text) and part.text.strip()]
    # A synthesis is an answer as a whole; in a turn's own message, the last text is.
    answer = texts if isinstance(reply.metadata, TurnMeta) and reply.metadata.parent_message_id else texts[-1:]
    return LastExchange(prompt.visible_text, "\n\n".join(answer), how_it_ended(reply))


def last_reply(history: Sequence[Message]) -> Message | None:
    """The message with the last answer: the turn's own, or the synthesis next to it."""
    return next(
        (message for message in reversed(history) if message.role == "assistant" and not message.is_failed_synthesis),
        None,
    )


def how_it_ended(reply: Message | None) -> str:
    """Why the turn ended, in words. Says so if it has not ended, or nothing was recorded."""
    if reply is None:
        return "no turn yet"
    if reply.status == "streaming":
        return "being answered"
    reason = reply.metadata.stop_reason if isinstance(reply.metadata, TurnMeta) else None
    return stop_words(reason) if reason else "interrupted"


def open_question(history: Sequence[Message]) -> Question | None:
    """The question that the last turn paused for, if it did."""
    reply = last_reply(history)
    if reply is None or not isinstance(reply.metadata, TurnMeta) or reply.metadata.stop_reason != "paused":
        return None
    for part in reversed(reply.parts):
        if isinstance(part, ToolCallPart) and part.name == "ask_user":
            return Question(str(part.arguments.get("question", "")), tuple(map(str, part.arguments.get("options", ()))))
    return None
