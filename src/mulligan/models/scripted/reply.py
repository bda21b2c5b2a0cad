"""A scripted reply as a chat completions server would send it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

from mulligan.models.scripted.script import ScriptedCall, ScriptedReply
from mulligan.models.wire.chat_request import compact_json
from mulligan.types.model_io import Usage
from mulligan.types.tool_calls import JsonObject

SCRIPTED_CHARS_PER_TOKEN = 4
"""The tokens that the scripted model reports, exactly."""
BATCHES = 8
"""Batch size for reading a prompt."""

_LEAVING = re.compile(r"\$t\b")


@dataclass(frozen=True, slots=True)
class StreamedReply:
    events: tuple[str, ...]
    """Server-sent events, each with its blank line."""
    ending: Literal["complete", "drop", "hang", "endless"]

    def in_order(self) -> Iterable[str]:
        """The events in sending order; over and over if the reply is endless."""
        return cycle(self.events) if self.ending == "endless" else self.events


def streamed_reply(
    reply: ScriptedReply, request_number: int, model: str, messages: Sequence[Any], *, include_usage: bool = True
) -> StreamedReply:
    """What is sent for a streamed reply, and how it ends."""
    envelope = {"id": f"chatcmpl-{request_number}", "object": "chat.completion.chunk", "created": 0, "model": model}
    closing: list[JsonObject] = []
    finish = finish_reason(reply)
    if finish is not None:
        closing.append(_choice({}, finish))
    if include_usage:
        closing.append({"choices": [], "usage": usage_counts(reply, messages)})
    return with_ending(
        reply,
        [_event(envelope | _choice({"role": "assistant", "content": ""}))],
        [_event(envelope | _choice(delta)) for delta in _deltas(reply, request_number)],
        [*(_event(envelope | chunk) for chunk in closing), "data: [DONE]\n\n"],
    )


def with_ending(
    reply: ScriptedReply, opening: Sequence[str], content: Sequence[str], closing: Sequence[str]
) -> StreamedReply:
    """These events, cut off where the script says so."""
    if reply.raw is not None:
        raws = tuple(raw if raw.endswith("\n") else f"{raw}\n\n" for raw in reply.raw)
        return StreamedReply(raws, "endless" if reply.endless else "complete")
    broken_after = reply.cut_after if reply.hang is None else reply.hang
    if broken_after is not None:
        return StreamedReply((*opening, *content[:broken_after]), "drop" if reply.hang is None else "hang")
    if reply.endless:
        return StreamedReply((*opening, *content), "endless")
    return StreamedReply((*opening, *content, *closing), "complete")


def timestamped(reply: ScriptedReply, event: str, now: float) -> str:
    """An event of the reply as sent now, in seconds."""
    return _LEAVING.sub(str(int(now * 1_000_000)), event) if reply.timed else event


def whole_reply(reply: ScriptedReply, request_number: int, model: str, messages: Sequence[Any]) -> JsonObject:
    """The same reply for a client that did not request a stream."""
    message: JsonObject = {"role": "assistant", "content": reply_text(reply)}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if calls := native_calls(reply):
        message["tool_calls"] = [
            _call(index, call, request_number, _arguments(call)) for index, call in enumerate(calls)
        ]
    return {
        "id": f"chatcmpl-{request_number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(reply)}],
        "usage": usage_counts(reply, messages),
    }


def prompt_tokens(messages: Sequence[Any]) -> int:
    """What the messages count as, at 4 characters per token."""
    return len(compact_json(messages)) // SCRIPTED_CHARS_PER_TOKEN


def progress_events(messages: Sequence[Any], seconds: float) -> list[str]:
    """What llama.cpp sends while it reads the prompt, one event per batch."""
    total = max(BATCHES, prompt_tokens(messages))
    counts = [
        {
            "total": total,
            "cache": 0,
            "processed": total * batch // BATCHES,
            "time_ms": int(1000 * seconds * batch / BATCHES),
        }
        for batch in range(1, BATCHES + 1)
    ]
    return [_event({"object": "chat.completion.chunk", "choices": [], "prompt_progress": count}) for count in counts]


def error_body(reply: ScriptedReply) -> bytes:
    """The body of an HTTP error; plain text is wrapped as OpenAI does."""
    if isinstance(reply.body, str) and reply.body.lstrip().startswith(("<", "{")):
        return reply.body.encode()
    message = reply.body or f"scripted error {reply.status}"
    return compact_json({"error": {"message": message}} if isinstance(message, str) else message).encode()


def _deltas(reply: ScriptedReply, request_number: int) -> Iterator[JsonObject]:
    """The chunks of content, in the order a server sends them."""
    for piece in pieces(reply.reasoning, reply.chunk_size):
        yield {"reasoning_content": piece}
    for piece in pieces(reply_text(reply), reply.chunk_size):
        yield {"content": piece}
    for index, call in enumerate(native_calls(reply)):
        yield {"tool_calls": [_call(index, call, request_number, "")]}
        for piece in pieces(_arguments(call), reply.chunk_size):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _call(index: int, call: ScriptedCall, request_number: int, arguments: str) -> JsonObject:
    call_id = call.id or f"call_{request_number}_{index}"
    function = {"name": call.name, "arguments": arguments}
    return {"index": index, "id": call_id, "type": "function", "function": function}


def native_calls(reply: ScriptedReply) -> tuple[ScriptedCall, ...]:
    return reply.tool_calls if reply.calls_as == "native" else ()


def reply_text(reply: ScriptedReply) -> str:
    if reply.calls_as == "native":
        return reply.text
    written = (
        f'<tool_call>\n{{"name": {compact_json(call.name)}, "arguments": {_arguments(call)}}}\n</tool_call>'
        for call in reply.tool_calls
    )
    return "\n".join([reply.text, *written] if reply.text else written)


def _arguments(call: ScriptedCall) -> str:
    return call.arguments if isinstance(call.arguments, str) else compact_json(call.arguments)


def finish_reason(reply: ScriptedReply) -> str | None:
    if reply.finish_reason != "auto":
        return reply.finish_reason
    return "tool_calls" if native_calls(reply) else "stop"


def usage_counts(reply: ScriptedReply, messages: Sequence[Any]) -> JsonObject:
    written = [reply.reasoning, reply_text(reply), *(call.name + _arguments(call) for call in native_calls(reply))]
    usage = reply.usage or Usage(
        prompt_tokens=prompt_tokens(messages),
        completion_tokens=len("".join(written)) // SCRIPTED_CHARS_PER_TOKEN,
    )
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }


def _choice(delta: JsonObject, finish_reason: str | None = None) -> JsonObject:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _event(payload: JsonObject) -> str:
    return f"data: {compact_json(payload)}\n\n"


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))
