"""A conversation with calls, told to a model that knows only user and assistant.

Each message is rendered from itself alone and appended, so what was sent once is sent again byte for byte.
"""

from collections.abc import Callable, Iterable

from mulligan.types.model_io import AssistantReply, SystemText, ToolReply, UserText, WireMessage


def flatten(
    messages: Iterable[WireMessage], *, system: str, render_reply: Callable[[AssistantReply], str]
) -> tuple[WireMessage, ...]:
    """The messages without calls and results; `system` is added to the system text.

    Neighbours of one role become one message: many templates refuse two in a row.
    """
    told: list[WireMessage] = []
    for message in messages:
        match message:
            case SystemText(text):
                told.append(SystemText(text))
            case UserText(text):
                _append(told, UserText(text))
            case ToolReply(_, name, text):
                _append(told, UserText(f'<tool_result name="{name}">\n{text}\n</tool_result>'))
            case AssistantReply():
                _append(told, AssistantReply(render_reply(message)))
    if not system:
        return tuple(told)
    if told and isinstance(told[0], SystemText):
        return (SystemText(f"{told[0].text}\n\n{system}"), *told[1:])
    return (SystemText(system), *told)


def _append(told: list[WireMessage], message: UserText | AssistantReply) -> None:
    last = told[-1] if told else None
    if isinstance(last, type(message)):
        told[-1] = type(message)(f"{last.text}\n\n{message.text}")
    else:
        told.append(message)
