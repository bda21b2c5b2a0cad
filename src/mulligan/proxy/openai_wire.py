"""Chat completions as clients send and read them: parses the conversation in a body, and writes replies."""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from mulligan.core.proxy.conversation import PastCall
from mulligan.models.wire.chat_request import compact_json
from mulligan.proxy.stream_chunks import StreamChunk
from mulligan.runtime.lenient_json import as_list, as_object, as_text
from mulligan.types.tool_calls import JsonObject, RawCall, ToolSpec


def read_tools(body: JsonObject) -> tuple[ToolSpec, ...]:
    """The tools that the model may call: none if the client switched them off."""
    if body.get("tool_choice") == "none":
        return ()
    functions = (as_object(as_object(tool).get("function")) for tool in as_list(body.get("tools")))
    return tuple(
        ToolSpec(name, as_text(each.get("description")), as_object(each.get("parameters")) or {"type": "object"})
        for each in functions
        if (name := as_text(each.get("name")))
    )


def read_steps(messages: Sequence[Any], failed: Mapping[str, bool]) -> list[list[PastCall]]:
    """The calls since the user's last message, by reply. `failed` marks results by the ids of their calls."""
    steps: list[list[tuple[str, str, str]]] = []
    results: dict[str, str] = {}
    for message in map(as_object, messages):
        match message.get("role"):
            case "user" if not _is_machine_made(text_of(message.get("content"))):
                steps, results = [], {}
            case "assistant" if message.get("tool_calls"):
                calls = (as_object(call) for call in as_list(message["tool_calls"]))
                steps.append([_called(call) for call in calls])
            case "tool":
                results[as_text(message.get("tool_call_id"))] = text_of(message.get("content"))
            case _:
                pass
    return [
        [
            PastCall(name, arguments, results[call], failed.get(call))
            for call, name, arguments in step
            if call in results
        ]
        for step in steps
    ]


def _called(call: JsonObject) -> tuple[str, str, str]:
    function = as_object(call.get("function"))
    return as_text(call.get("id")), as_text(function.get("name")), as_text(function.get("arguments"))


def _is_machine_made(text: str) -> bool:
    """Agents add their own reminders, in tags, in the middle of a turn."""
    return text.lstrip().startswith("<") and text.rstrip().endswith(">")


def text_of(content: Any) -> str:
    """The text of a message, in one string or in parts."""
    if isinstance(content, str):
        return content
    return "\n".join(as_text(as_object(part).get("text")) for part in as_list(content))


def with_note(body: JsonObject, note: str) -> JsonObject:
    """Appends the note to the last message: a separate message would break the roles of strict templates."""
    messages = list(as_list(body.get("messages")))
    last = as_object(messages[-1]) if messages else {}
    if last.get("role") not in ("user", "tool"):
        return {**body, "messages": [*messages, {"role": "user", "content": note}]}
    content = last.get("content")
    if isinstance(content, list):
        noted: Any = [*as_list(content), {"type": "text", "text": note}]
    else:
        noted = "\n\n".join(text for text in (as_text(content), note) if text)
    return {**body, "messages": [*messages[:-1], {**last, "content": noted}]}


def without_tools(body: JsonObject, names: Collection[str]) -> JsonObject:
    """Removes these tools. A request without any left offers none at all."""
    kept = [
        tool
        for tool in as_list(body.get("tools"))
        if as_object(as_object(tool).get("function")).get("name") not in names
    ]
    rest = {key: value for key, value in body.items() if key not in ("tools", "tool_choice", "parallel_tool_calls")}
    if not kept:
        return rest
    choice = body.get("tool_choice")
    return {**body, "tools": kept, **({"tool_choice": "auto"} if isinstance(choice, dict) else {})}


def with_rejected(body: JsonObject, text: str, calls: Sequence[RawCall], error: str) -> JsonObject:
    """The conversation with an unusable reply, and what is wrong with it."""
    if not calls:
        return with_note(body, error)
    wire_calls = [_wire_call(index, call) for index, call in enumerate(calls)]
    replied = {"role": "assistant", "content": text, "tool_calls": [_legible(call) for call in wire_calls]}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": error} for call in wire_calls]
    return {**body, "messages": [*as_list(body.get("messages")), replied, *results]}


def _legible(call: JsonObject) -> JsonObject:
    """Servers refuse a history with arguments that are not JSON."""
    function = call["function"]
    try:
        json.loads(function["arguments"])
    except ValueError:
        function = {**function, "arguments": "{}"}
    return {**call, "function": function}


def _wire_call(index: int, call: RawCall) -> JsonObject:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id or f"call_{time.time_ns():x}_{index}", "type": "function", "function": function}


class ReplyWriter(Protocol):
    """Writes a reply, or additions to one, in a client's format."""

    def see(self, chunk: StreamChunk) -> None:
        """Take over fields of the server's reply that ours must share, such as its id or usage."""
        ...

    def text(self, text: str) -> bytes: ...

    def reasoning(self, text: str) -> bytes: ...

    def calls(self, calls: Sequence[RawCall], *, first: int) -> bytes:
        """`first` is the number of the first call: others may have been forwarded before."""
        ...

    def finish(self, reason: str) -> bytes: ...

    def passes(self, chunk: StreamChunk) -> bool:
        """Whether a chunk after the end of the reply (usage, the end of the stream) can be forwarded unchanged."""
        ...

    def close(self) -> bytes:
        """The end, if it was not forwarded."""
        ...


class ChunkWriter:
    """A streamed completion."""

    def __init__(self, model: str) -> None:
        self._envelope: JsonObject = {"id": f"chatcmpl-{time.time_ns():x}", "created": int(time.time()), "model": model}
        self._closed = False
        self._usage: Any = None
        """To report for a reply that did not come over this API."""

    def see(self, chunk: StreamChunk) -> None:
        for payload in map(as_object, chunk.payloads):
            if chunk.raw is None:
                self._usage = payload.get("usage") or self._usage
            kept = ("id", "created", "model", "system_fingerprint")
            self._envelope.update({key: payload[key] for key in kept if payload.get(key)})

    def text(self, text: str) -> bytes:
        return self._chunk({"content": text}) if text else b""

    def reasoning(self, text: str) -> bytes:
        return self._chunk({"reasoning_content": text}) if text else b""

    def calls(self, calls: Sequence[RawCall], *, first: int) -> bytes:
        wire_calls = [{"index": first + index, **_wire_call(index, call)} for index, call in enumerate(calls)]
        return self._chunk({"role": "assistant", "tool_calls": wire_calls}) if wire_calls else b""

    def finish(self, reason: str) -> bytes:
        return self._chunk({}, reason)

    def passes(self, chunk: StreamChunk) -> bool:
        self._closed = self._closed or chunk.done
        return True

    def close(self) -> bytes:
        closed, self._closed = self._closed, True
        if closed:
            return b""
        usage: JsonObject = {**self._envelope, "object": "chat.completion.chunk", "choices": [], "usage": self._usage}
        return (_event(usage) if self._usage else b"") + b"data: [DONE]\n\n"

    def _chunk(self, delta: JsonObject, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        payload = {**self._envelope, "object": "chat.completion.chunk", "choices": [choice]}
        return _event(payload)


def _event(payload: JsonObject) -> bytes:
    return f"data: {compact_json(payload)}\n\n".encode("utf-8", "replace")


class WholeWriter:
    """A completion in one piece."""

    def __init__(self, model: str) -> None:
        self._payload: JsonObject = {
            "id": f"chatcmpl-{time.time_ns():x}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": model,
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[RawCall] = []
        self._finish: str | None = None

    def see(self, chunk: StreamChunk) -> None:
        for payload in map(as_object, chunk.payloads):
            self._payload.update({key: value for key, value in payload.items() if key != "choices" and value})

    def text(self, text: str) -> bytes:
        self._text.append(text)
        return b""

    def reasoning(self, text: str) -> bytes:
        self._reasoning.append(text)
        return b""

    def calls(self, calls: Sequence[RawCall], *, first: int) -> bytes:
        del first
        self._calls += calls
        return b""

    def finish(self, reason: str) -> bytes:
        self._finish = reason
        return b""

    def passes(self, chunk: StreamChunk) -> bool:
        del chunk
        return False

    def close(self) -> bytes:
        if self._finish is None:
            return b""
        message: JsonObject = {"role": "assistant", "content": "".join(self._text) or None}
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        if self._calls:
            message["tool_calls"] = [_wire_call(index, call) for index, call in enumerate(self._calls)]
        payload = {**self._payload, "object": "chat.completion"}
        payload["choices"] = [{"index": 0, "message": message, "finish_reason": self._finish}]
        return compact_json(payload).encode("utf-8", "replace")


def error_body(message: str, *, kind: str, code: str | None = None) -> bytes:
    return compact_json({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()


def stream_error(message: str) -> bytes:
    """An error in the middle of a stream."""
    return b"data: " + error_body(message, kind="server_error") + b"\n\n"
