"""Anthropic's messages API for clients, translated to and from chat completions."""

import json
import time
from collections.abc import Sequence
from typing import Any

from mulligan.models.wire.chat_request import compact_json
from mulligan.proxy.openai_wire import text_of
from mulligan.proxy.stream_chunks import StreamChunk
from mulligan.runtime.lenient_json import as_count, as_list, as_object, as_text
from mulligan.types.tool_calls import JsonObject, RawCall

_STOP_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
_SAME = ("temperature", "top_p", "top_k")


def to_chat(body: JsonObject) -> tuple[JsonObject, dict[str, bool]]:
    """The same request as a chat completion, always streamed, and which of the results are errors."""
    failed: dict[str, bool] = {}
    messages: list[JsonObject] = []
    system = text_of(body.get("system"))
    if system:
        messages.append({"role": "system", "content": system})
    for message in map(as_object, as_list(body.get("messages"))):
        messages += _messages(message, failed)
    chat: JsonObject = {"model": body.get("model"), "messages": messages, "stream": True}
    chat["stream_options"] = {"include_usage": True}
    if as_count(body.get("max_tokens")):
        chat["max_tokens"] = as_count(body["max_tokens"])
    chat.update({name: body[name] for name in _SAME if body.get(name) is not None})
    if body.get("stop_sequences"):
        chat["stop"] = body["stop_sequences"]
    tools = [_tool(as_object(tool)) for tool in as_list(body.get("tools"))]
    if tools:
        chat["tools"] = tools
        chat.update(_choice(as_object(body.get("tool_choice"))))
    return chat, failed


def _messages(message: JsonObject, failed: dict[str, bool]) -> list[JsonObject]:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(map(as_object, as_list(content)))
    if message.get("role") == "assistant":
        return [_assistant(blocks)]
    results: list[JsonObject] = []
    for block in blocks:
        if block.get("type") == "tool_result":
            call_id = as_text(block.get("tool_use_id"))
            if block.get("is_error") is True:
                failed[call_id] = True
            results.append({"role": "tool", "tool_call_id": call_id, "content": text_of(block.get("content"))})
    parts = [part for block in blocks if (part := _part(block))]
    if not parts:
        return results
    texts = [part["text"] for part in parts if part["type"] == "text"]
    content: Any = "\n\n".join(texts) if len(texts) == len(parts) else parts
    if results and isinstance(content, str):
        # Reminders that come with results: strict templates accept no user message after these.
        results[-1]["content"] = f"{results[-1]['content']}\n\n{content}"
        return results
    return [*results, {"role": "user", "content": content}]


def _part(block: JsonObject) -> JsonObject | None:
    match block.get("type"):
        case "text" if block.get("text"):
            return {"type": "text", "text": as_text(block["text"])}
        case "image":
            source = as_object(block.get("source"))
            url = source.get("url") or f"data:{source.get('media_type')};base64,{source.get('data')}"
            return {"type": "image_url", "image_url": {"url": url}}
        case _:
            return None


def _assistant(blocks: Sequence[JsonObject]) -> JsonObject:
    """Drops its thinking: it is signed for another server."""
    text = "\n\n".join(as_text(block.get("text")) for block in blocks if block.get("type") == "text")
    calls = [
        {
            "id": as_text(block.get("id")),
            "type": "function",
            "function": {"name": as_text(block.get("name")), "arguments": compact_json(as_object(block.get("input")))},
        }
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


def _tool(tool: JsonObject) -> JsonObject:
    function = {
        "name": as_text(tool.get("name")),
        "description": as_text(tool.get("description")),
        "parameters": as_object(tool.get("input_schema")) or {"type": "object", "properties": {}},
    }
    return {"type": "function", "function": function}


def _choice(choice: JsonObject) -> JsonObject:
    match choice.get("type"):
        case "any":
            return {"tool_choice": "required"}
        case "none":
            return {"tool_choice": "none"}
        case "tool":
            return {"tool_choice": {"type": "function", "function": {"name": as_text(choice.get("name"))}}}
        case _:
            return {}


class _Writer:
    """What both ways to write a message share: the end and the counts come last."""

    def __init__(self, model: str) -> None:
        self._message: JsonObject = {
            "id": f"msg_{time.time_ns():x}",
            "type": "message",
            "role": "assistant",
            "model": model,
        }
        self._usage: JsonObject = {"input_tokens": 0, "output_tokens": 0}
        self._stop = ""

    def see(self, chunk: StreamChunk) -> None:
        self._usage = _usage(chunk) or self._usage

    def finish(self, reason: str) -> bytes:
        self._stop = _STOP_REASONS.get(reason, "end_turn")
        return b""

    def passes(self, chunk: StreamChunk) -> bool:
        del chunk
        return False


class MessageWriter(_Writer):
    """A message in one piece."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._blocks: list[JsonObject] = []

    def text(self, text: str) -> bytes:
        return self._add("text", "text", text)

    def reasoning(self, text: str) -> bytes:
        return self._add("thinking", "thinking", text)

    def calls(self, calls: Sequence[RawCall], *, first: int) -> bytes:
        self._blocks += [_use(call, first + index) for index, call in enumerate(calls)]
        return b""

    def close(self) -> bytes:
        if not self._stop:
            return b""
        blocks = [{**block, "signature": ""} if block["type"] == "thinking" else block for block in self._blocks]
        stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else self._stop
        ending = {"stop_reason": stop, "stop_sequence": None, "usage": self._usage}
        return compact_json({**self._message, "content": blocks, **ending}).encode("utf-8", "replace")

    def _add(self, kind: str, field: str, text: str) -> bytes:
        if text and self._blocks and self._blocks[-1]["type"] == kind:
            self._blocks[-1][field] += text
        elif text:
            self._blocks.append({"type": kind, field: text})
        return b""


class EventWriter(_Writer):
    """A streamed message."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self._place = -1
        self._kind = ""
        """Kind of the open block."""
        self._called = False
        self._closed = False

    def text(self, text: str) -> bytes:
        return self._delta("text", {"type": "text", "text": ""}, {"type": "text_delta", "text": text}) if text else b""

    def reasoning(self, text: str) -> bytes:
        if not text:
            return b""
        block = {"type": "thinking", "thinking": "", "signature": ""}
        return self._delta("thinking", block, {"type": "thinking_delta", "thinking": text})

    def calls(self, calls: Sequence[RawCall], *, first: int) -> bytes:
        out = b""
        for index, call in enumerate(calls):
            use = _use(call, first + index)
            self._called = True
            out += self._end_block()
            delta = {"type": "input_json_delta", "partial_json": compact_json(use["input"])}
            out += self._delta("tool_use", {**use, "input": {}}, delta)
            out += self._end_block()
        return out

    def close(self) -> bytes:
        """The server sends the counts last, so the end is written only now."""
        if self._closed or not self._stop:
            return b""
        self._closed = True
        stop = "tool_use" if self._called else self._stop
        delta = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": self._usage}
        out = self._begin() + self._end_block()
        return out + event("message_delta", delta) + event("message_stop", {"type": "message_stop"})

    def _begin(self) -> bytes:
        if self._place >= 0:
            return b""
        self._place = 0
        nothing_yet = {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0}}
        message: JsonObject = {**self._message, "content": [], **nothing_yet}
        return event("message_start", {"type": "message_start", "message": message})

    def _delta(self, kind: str, block: JsonObject, delta: JsonObject) -> bytes:
        out = self._begin()
        if self._kind != kind:
            out += self._end_block()
            start = {"type": "content_block_start", "index": self._place, "content_block": block}
            out += event("content_block_start", start)
            self._kind = kind
        payload = {"type": "content_block_delta", "index": self._place, "delta": delta}
        return out + event("content_block_delta", payload)

    def _end_block(self) -> bytes:
        if not self._kind:
            return b""
        self._kind = ""
        self._place += 1
        return event("content_block_stop", {"type": "content_block_stop", "index": self._place - 1})


def _usage(chunk: StreamChunk) -> JsonObject:
    counted = [as_object(as_object(payload).get("usage")) for payload in chunk.payloads]
    names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
    return {ours: as_count(counts.get(theirs)) for counts in counted if counts for ours, theirs in names.items()}


def _use(call: RawCall, index: int) -> JsonObject:
    try:
        arguments = as_object(json.loads(call.arguments or "{}"))
    except ValueError:
        # This format has no other way to send invalid JSON; the client's own schema rejects it.
        arguments = {"unreadable": call.arguments}
    call_id = call.id or f"toolu_{time.time_ns():x}_{index}"
    return {"type": "tool_use", "id": call_id, "name": call.name, "input": arguments}


def event(kind: str, payload: JsonObject) -> bytes:
    return f"event: {kind}\ndata: {compact_json(payload)}\n\n".encode("utf-8", "replace")


def error_body(kind: str, message: str) -> bytes:
    return compact_json({"type": "error", "error": {"type": kind, "message": message}}).encode()
