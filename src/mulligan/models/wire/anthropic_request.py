"""A request for the messages endpoint: the same request always gives the same bytes."""

import re
from collections.abc import Iterable, Sequence

from mulligan.models.wire.chat_request import compact_json
from mulligan.types.model_io import (
    AssistantReply,
    ModelRequest,
    SentImage,
    SystemText,
    ToolReply,
    UserText,
    WireMessage,
)
from mulligan.types.tool_calls import JsonObject, ToolSpec

MAX_TOKENS = 4096
"""The API requires a number; this is our default."""
BLANK = "(empty)"
"""Replaces empty text, which the server would refuse."""
BEGINNING = "(the conversation goes on)"
"""User text for a history that starts with the model: the server requires the user to speak first."""


def request_body(request: ModelRequest, model: str) -> bytes:
    """The body to post. Keys have a fixed order; what changes from step to step comes last within the messages."""
    system, messages = split_system(request.messages)
    body: JsonObject = {"model": model}
    body.update(_tools(request))
    if system:
        body["system"] = system
    body["max_tokens"] = request.max_tokens or MAX_TOKENS
    if request.temperature is not None:
        # Other APIs go up to 2.
        body["temperature"] = min(request.temperature, 1.0)
    body.update(request.options)
    body["stream"] = True
    body["messages"] = alternating(messages)
    # File names may contain bytes that are not text; they must not fail the turn.
    return compact_json(body).encode("utf-8", "replace")


def split_system(messages: Sequence[WireMessage]) -> tuple[str, Sequence[WireMessage]]:
    """The leading messages for the system field, and the others."""
    texts: list[str] = []
    for message in messages:
        if not isinstance(message, SystemText):
            break
        texts.append(message.text)
    return "\n\n".join(text for text in texts if text.strip()), messages[len(texts) :]


def alternating(messages: Iterable[WireMessage]) -> list[JsonObject]:
    """User and assistant alternate, the user first. Adjacent messages of one role become one."""
    turns: list[tuple[str, list[JsonObject]]] = []
    for message in messages:
        role = "assistant" if isinstance(message, AssistantReply) else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, blocks))
    if not turns or turns[0][0] == "assistant":
        turns.insert(0, ("user", [_text(BEGINNING)]))
    return [{"role": role, "content": _results_first(blocks)} for role, blocks in turns]


def _blocks(message: WireMessage) -> list[JsonObject]:
    match message:
        # A system text in the middle of the history stays in place, so that the start of the request stays the same.
        case SystemText(text):
            return [_text(text if text.strip() else BLANK)]
        case UserText(text, images):
            return [*map(_image, images), _text(text if text.strip() else BLANK)]
        case AssistantReply(text, calls):
            text_blocks = [_text(text)] if text.strip() else []
            return text_blocks + [
                {"type": "tool_use", "id": _call_id(call.id), "name": call.name, "input": call.arguments}
                for call in calls
            ]
        case ToolReply(call_id, _, text):
            return [{"type": "tool_result", "tool_use_id": _call_id(call_id), "content": text}]


def _results_first(blocks: list[JsonObject]) -> list[JsonObject]:
    """The server wants results before any other user text."""
    return sorted(blocks, key=lambda block: block["type"] != "tool_result") if len(blocks) > 1 else blocks


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _image(image: SentImage) -> JsonObject:
    source = {"type": "base64", "media_type": image.about.media_type, "data": image.data}
    return {"type": "image", "source": source}


def _call_id(call_id: str) -> str:
    """Only these characters are accepted; ids from another server, stored in the chat, may contain more."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id) or "_"


def _tools(request: ModelRequest) -> JsonObject:
    if request.tools:
        return {"tools": [_tool(spec) for spec in request.tools]}
    called = {
        call.name for message in request.messages if isinstance(message, AssistantReply) for call in message.calls
    }
    if not called:
        return {}
    # A history with calls is refused unless tools are defined, so they are declared, and then switched off.
    named = [{"name": name, "input_schema": {"type": "object"}} for name in sorted(called)]
    return {"tools": named, "tool_choice": {"type": "none"}}


def _tool(spec: ToolSpec) -> JsonObject:
    return {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}
