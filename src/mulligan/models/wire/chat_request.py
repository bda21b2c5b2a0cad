"""A request for the chat completions endpoint: the same request always gives the same bytes."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.core.roles import alternating
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

TOP_LOGPROBS = 12
"""Tokens that are reported for each position of an `exact_text`: its own, and others."""


def request_body(
    request: ModelRequest, model: str, *, include_usage: bool, extra: Mapping[str, Any] | None = None
) -> bytes:
    """The body to post. Keys have a fixed order; what changes from step to step comes last within the messages.

    `extra` are fields that only this server knows.
    """
    body: JsonObject = {"model": model, **(extra or {})}
    if request.tools:
        body["tools"] = wire_tools(request.tools)
    body["stream"] = True
    if include_usage:
        body["stream_options"] = {"include_usage": True}
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    body.update(request.options)
    if request.schema is not None:
        # The only form that llama.cpp, Ollama, vLLM and LM Studio all accept.
        wanted = {"name": "reply", "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    if request.exact_text is not None:
        quoted = json.dumps(request.exact_text, ensure_ascii=False)
        body |= {"grammar": f"root ::= {quoted}", "logprobs": True, "top_logprobs": TOP_LOGPROBS}
    body["messages"] = wire_messages(request.messages, request.reasoning_field)
    # File names may contain bytes that are not text; they must not fail the turn.
    return compact_json(body).encode("utf-8", "replace")


def wire_messages(messages: Iterable[WireMessage], reasoning_field: str = "reasoning_content") -> list[JsonObject]:
    return [_message(message, reasoning_field) for message in alternating(messages)]


def data_url(image: SentImage) -> str:
    return f"data:{image.about.media_type};base64,{image.data}"


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _message(message: WireMessage, reasoning_field: str) -> JsonObject:
    match message:
        case SystemText(text):
            return {"role": "system", "content": text}
        case UserText(text, images):
            shown = [{"type": "image_url", "image_url": {"url": data_url(each)}} for each in images]
            return {"role": "user", "content": [*shown, {"type": "text", "text": text}] if shown else text}
        case AssistantReply(text, (), reasoning):
            return {"role": "assistant", "content": text, **({reasoning_field: reasoning} if reasoning else {})}
        case AssistantReply(text, calls, reasoning):
            # No text is "", never null: templates join it to a string, loop over it, or print "None" into the prompt.
            return {
                "role": "assistant",
                "content": text,
                **({reasoning_field: reasoning} if reasoning else {}),
                "tool_calls": [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": compact_json(call.arguments)},
                    }
                    for call in calls
                ],
            }
        case ToolReply(call_id, name, text):
            return {"role": "tool", "tool_call_id": call_id, "name": name, "content": text}


def wire_tools(tools: Iterable[ToolSpec]) -> list[JsonObject]:
    return [
        {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
        }
        for spec in tools
    ]
