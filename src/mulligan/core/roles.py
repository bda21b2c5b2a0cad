"""Message roles that every chat template accepts: the user first, then the model and the user in turns.

Several templates (Mistral, Gemma, every strict one) refuse two messages of one role in a row, and a user's message
right after tool results. One such pair in the history would fail every later request of the chat.
"""

from collections.abc import Iterable

from mulligan.types.model_io import AssistantReply, SystemText, ToolReply, UserText, WireMessage

BEGINNING = "(Earlier messages are not shown.)"
"""The user's message if a history begins with the model."""


def alternating(messages: Iterable[WireMessage]) -> tuple[WireMessage, ...]:
    """The same conversation with alternating roles; unchanged if they already alternate.

    Neighbours of one role become one message. A user's text after tool results is a note on them and joins the last.
    Joining only ever appends to a message, so what a server has cached of it still holds.
    """
    joined: list[WireMessage] = []
    for message in messages:
        last = joined[-1] if joined else None
        if isinstance(message, AssistantReply | ToolReply) and (last is None or isinstance(last, SystemText)):
            joined.append(UserText(BEGINNING))
        both = _join(last, message)
        if both:
            joined[-1] = both
        else:
            joined.append(message)
    return tuple(joined)


def _join(last: WireMessage | None, message: WireMessage) -> WireMessage | None:
    match last, message:
        case SystemText(before), SystemText(after):
            return SystemText(_texts(before, after))
        case UserText(before, images), UserText(after, more):
            # After a restore the user often asks the same again.
            return last if last == message else UserText(_texts(before, after), (*images, *more))
        case ToolReply(call_id, name, before), UserText(after, ()):
            return ToolReply(call_id, name, _texts(before, after))
        case AssistantReply(before, (), thought), AssistantReply(after, calls, reasoning):
            return AssistantReply(_texts(before, after), calls, _texts(thought, reasoning))
        case _:
            return None


def _texts(before: str, after: str) -> str:
    return "\n\n".join(text for text in (before, after) if text)
