"""A stored chat as updates: an editor that loads it shows what it would have shown then. Imports the SDK."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from acp.helpers import image_block, update_user_message, update_user_message_text

from mulligan.acp.updates import TurnUpdates, Update
from mulligan.core.payload import images_in
from mulligan.types.frames import (
    Frame,
    ReasoningStreamed,
    SentinelRaised,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
)
from mulligan.types.messages import (
    Message,
    Part,
    Reasoning,
    StepStart,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)


def replay(messages: Sequence[Message], project: Path, images: Mapping[str, str] | None = None) -> Iterator[Update]:
    """The updates. `images` has the bytes of images by their digest, as base64. Messages that Mulligan wrote for the
    user are left out."""
    updates = TurnUpdates(project)
    waiting: list[Message] = []
    # A turn's sentinels follow its message: they belong after the step that raised them.
    for index, message in enumerate(messages):
        match message.metadata:
            case UserMeta(continues=continues, attached=attached):
                if not continues:
                    yield update_user_message_text(message.visible_text)
                    for each in images_in(attached):
                        if data := (images or {}).get(each.about.digest):
                            yield update_user_message(image_block(data, each.about.media_type))
            case TurnMeta():
                if not message.is_failed_synthesis:
                    waiting = _sentinels_after(messages, index)
                    for frame in _frames(message, waiting):
                        yield from updates.of(frame)
            case _ if message not in waiting:
                yield from updates.of(_raised(message))
            case _:
                pass


def _frames(message: Message, sentinels: Sequence[Message]) -> Iterator[Frame]:
    left = list(sentinels)
    for part in message.parts:
        while isinstance(part, StepStart) and left and (math.inf if left[0].step is None else left[0].step) < part.step:
            yield _raised(left.pop(0))
        yield from _frame(part, message.id)
    yield from map(_raised, left)


def _frame(part: Part, message_id: str) -> Iterator[Frame]:
    match part:
        case StepStart(step=step, wrap_up=wrap_up):
            yield StepStarted(message_id=message_id, step=step, wrap_up=wrap_up)
        case Text(text=text):
            yield TextStreamed(message_id=message_id, text=f"{text.rstrip()}\n\n")
        case Reasoning(text=text):
            yield ReasoningStreamed(message_id=message_id, text=text)
        case ToolCallPart():
            yield ToolCalled(message_id=message_id, **part.model_dump(exclude={"kind"}))
        case ToolResultPart():
            yield ToolReturned(message_id=message_id, **part.model_dump(exclude={"kind"}))
        case _:
            return


def _sentinels_after(messages: Sequence[Message], index: int) -> list[Message]:
    found: list[Message] = []
    for message in messages[index + 1 :]:
        if message.role != "system":
            break
        found.append(message)
    return found


def _raised(message: Message) -> SentinelRaised:
    words = "" if isinstance(message.metadata, UserMeta | TurnMeta) else message.metadata.text
    return SentinelRaised(message=message, text=words)
