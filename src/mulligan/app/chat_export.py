"""A chat as a file: Markdown to read, JSON to archive. Importing this loads a Markdown parser."""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mulligan.app.images import images_of
from mulligan.core.payload import message_images
from mulligan.core.safe_text import one_line, safe_text
from mulligan.core.turn_words import (
    attached_words,
    call_words,
    closing_words,
    duration_words,
    outcome_words,
    pending_words,
    repair_words,
)
from mulligan.types.base import Record, field
from mulligan.types.messages import (
    Chat,
    Message,
    Part,
    Reasoning,
    StepStart,
    Synthesis,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)

if TYPE_CHECKING:
    from mulligan.store.store import SqlStore

MAX_LINES = 60
"""Most lines of one tool's result. The JSON export has all of them."""


class ChatExport(Record):
    """A chat and its messages, as they are stored."""

    chat: Chat
    messages: tuple[Message, ...]
    images: dict[str, str] = field(default_factory=dict)
    """Images of the messages, by digest, as base64."""


async def export_of(store: "SqlStore", chat: Chat) -> ChatExport:
    messages = tuple(await store.messages.list(chat.id))
    return ChatExport(chat=chat, messages=messages, images=await images_of(store, messages))


def to_json(export: ChatExport) -> str:
    return export.model_dump_json(indent=2) + "\n"


def to_markdown(export: ChatExport) -> str:
    """The chat as Markdown. No message can swallow the text after it."""
    chat = export.chat
    began = datetime.fromtimestamp(chat.created_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = [f"chat {chat.id}", f"agent {chat.agent}", f"project {chat.project}", f"begun {began}"]
    blocks = [f"# {_plain(chat.title)}", "\n".join(f"- {_plain(fact)}" for fact in facts)]
    sentinels: list[Message] = []
    # A turn's sentinels follow its message; iterating backwards, they are known when it comes.
    for message in reversed(export.messages):
        if message.role == "system":
            sentinels.insert(0, message)
        elif not message.is_failed_synthesis:
            blocks[2:2] = _spoken(message, sentinels)
            sentinels = []
    blocks[2:2] = map(_quote, sentinels)
    blocks += _image_data(export)
    return "\n\n".join(blocks) + "\n"


def _spoken(message: Message, sentinels: Sequence[Message]) -> Iterable[str]:
    if isinstance(message.metadata, TurnMeta):
        turn = message.metadata
        if turn.parent_message_id:
            yield "### Synthesis"
            yield from _turn(message, sentinels)
            return
        yield f"## Mulligan ({_plain(f'{turn.agent}, {turn.model}')})"
        yield from _turn(message, sentinels)
        yield f"*{_plain(closing_words(turn))}*"
        return
    yield "## You"
    if isinstance(message.metadata, UserMeta):
        for each in message.metadata.attached:
            yield f"*{_plain(attached_words(each))}*"
            if each.image:
                yield f"![{_plain(each.name)}][{each.image.digest[:12]}]"
        if message.metadata.is_note:
            yield from (fenced(_shortened(part.text)) for part in message.parts if isinstance(part, Text))
            return
    yield closed(message.visible_text)
    yield from map(_quote, sentinels)


def _image_data(export: ChatExport) -> Iterable[str]:
    """At the end of the file, so that the text stays readable."""
    kinds = {image.about.digest: image.about.media_type for each in export.messages for image in message_images(each)}
    for digest, data in export.images.items():
        yield f"[{digest[:12]}]: data:{kinds[digest]};base64,{data}"


def _turn(message: Message, sentinels: Sequence[Message]) -> Iterable[str]:
    """The steps, each followed by the sentinels raised after it."""
    waiting = list(sentinels)
    several = sum(isinstance(part, StepStart) for part in message.parts) > 1
    calls: dict[str, ToolCallPart] = {}
    before: Part | None = None
    for part in message.parts:
        while isinstance(part, StepStart) and waiting and _raised_at(waiting[0]) < part.step:
            yield _quote(waiting.pop(0))
        if isinstance(part, ToolCallPart):
            calls[part.call_id] = part
        if isinstance(part, ToolResultPart) and not isinstance(before, ToolResultPart):
            # Otherwise the results would become items of a list at the end of the model's text.
            yield "Tools:"
        if isinstance(part, StepStart) and several:
            yield f"### Step {part.step}" + (" (last words)" if part.wrap_up else "")
        yield from _part(part, calls)
        before = part
    yield from map(_quote, waiting)


def _part(part: Part, calls: dict[str, ToolCallPart]) -> Iterable[str]:
    match part:
        case Text() if part.text.strip():
            yield closed(part.text)
        case Reasoning():
            yield f"*Thought: {len(part.text.split())} words.*"
        case ToolResultPart():
            yield _result(calls.get(part.call_id), part)
        case Synthesis():
            files = f" from {', '.join(part.files)}" if part.files else ""
            yield f"*{_plain(f'Synthesis of {part.tool}{files}')}*"
        case _:
            pass


def _result(call: ToolCallPart | None, result: ToolResultPart) -> str:
    arguments = call.arguments if call else {}
    words = [
        pending_words(result.pending_seen, result.pending_unseen),
        outcome_words(result.content, result.failure),
        duration_words(result.duration_ms / 1000),
        repair_words(call.repairs) if call else "",
    ]
    outcome = _plain(" · ".join(word for word in words if word))
    line = f"- {'✗' if result.failure else '✓'} {_code(call_words(result.name, arguments))} {outcome}"
    return (
        line + "\n\n" + "\n".join(f"  {row}" if row else "" for row in fenced(_shortened(result.content)).split("\n"))
    )


def _shortened(content: str) -> str:
    lines = safe_text(content).split("\n")
    if len(lines) <= MAX_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[:MAX_LINES], f"… {len(lines) - MAX_LINES} more lines"])


def fenced(text: str) -> str:
    """The text as a code block, with a fence longer than any in the text."""
    fence = "`" * max(3, 1 + _longest_run(text))
    return f"{fence}\n{text}\n{fence}"


def _code(text: str) -> str:
    """The text as code within a line."""
    mark = "`" * (1 + _longest_run(text))
    return f"{mark} {text} {mark}" if "`" in text else f"`{text}`"


def _longest_run(text: str) -> int:
    """The longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)


def closed(text: str) -> str:
    """The text of a message, closed so that following Markdown is parsed as Markdown."""
    clean = safe_text(text).strip("\n")
    swallowing = _swallows(clean)
    if swallowing is None:
        return clean
    ended = f"{clean}\n{swallowing.markup}"
    return ended if swallowing.type == "fence" and _swallows(ended) is None else fenced(clean)


def _swallows(text: str) -> Token | None:
    """The block that a following paragraph would become part of: an open fence, an HTML comment."""
    tokens = MarkdownIt().parse(f"{text}\n\nend")
    return None if tokens[-1].type == "paragraph_close" and tokens[-2].content == "end" else tokens[-1]


def _raised_at(sentinel: Message) -> float:
    """The step after which it was raised; 0 is before the first. Without one, it belongs to the end."""
    return math.inf if sentinel.step is None else sentinel.step


def _quote(sentinel: Message) -> str:
    if isinstance(sentinel.metadata, UserMeta | TurnMeta):
        return ""
    return f"> **{_plain(sentinel.metadata.kind)}** {_plain(sentinel.metadata.text)}"


def _plain(text: str) -> str:
    """The text on one line, with Markdown escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", one_line(text, 400))
