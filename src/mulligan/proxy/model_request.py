"""Turns a chat completions body into one of our own requests, for models that are not asked natively."""

import json
from typing import Any

from mulligan.proxy.openai_wire import read_tools, text_of
from mulligan.runtime.lenient_json import as_count, as_list, as_object, as_text
from mulligan.types.model_io import AssistantReply, ModelRequest, SentCall, SystemText, ToolReply, UserText, WireMessage
from mulligan.types.tool_calls import JsonObject

_SAMPLING = ("top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repeat_penalty", "seed", "stop")


def model_request(body: JsonObject) -> ModelRequest:
    """Drops images: these models are asked in text."""
    temperature = body.get("temperature")
    return ModelRequest(
        messages=tuple(_messages(as_list(body.get("messages")))),
        tools=tuple(sorted(read_tools(body), key=lambda spec: spec.name)),
        schema=_schema(body),
        max_tokens=as_count(body.get("max_completion_tokens")) or as_count(body.get("max_tokens")) or None,
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        options={name: body[name] for name in _SAMPLING if body.get(name) is not None},
    )


def _messages(messages: list[Any]) -> list[WireMessage]:
    read: list[WireMessage] = []
    names: dict[str, str] = {}
    for message in map(as_object, messages):
        text = text_of(message.get("content"))
        match message.get("role"):
            case "system" | "developer":
                read.append(SystemText(text))
            case "assistant":
                calls = tuple(_call(as_object(call)) for call in as_list(message.get("tool_calls")))
                names.update({call.id: call.name for call in calls})
                read.append(AssistantReply(text, calls))
            case "tool":
                call_id = as_text(message.get("tool_call_id"))
                read.append(ToolReply(call_id, names.get(call_id, "tool"), text))
            case _:
                read.append(UserText(text))
    return read


def _call(call: JsonObject) -> SentCall:
    function = as_object(call.get("function"))
    try:
        arguments = as_object(json.loads(as_text(function.get("arguments")) or "{}"))
    except ValueError:
        arguments = {}
    return SentCall(as_text(call.get("id")), as_text(function.get("name")), arguments)


def _schema(body: JsonObject) -> JsonObject | None:
    wanted = as_object(body.get("response_format"))
    return as_object(as_object(wanted.get("json_schema")).get("schema")) or None
