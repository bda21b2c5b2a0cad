"""A scripted reply as Ollama's own chat API sends it: one JSON object per line, each call complete."""

import json
from collections.abc import Sequence
from typing import Any

from mulligan.models.scripted.reply import (
    StreamedReply,
    finish_reason,
    native_calls,
    pieces,
    reply_text,
    usage_counts,
    with_ending,
)
from mulligan.models.scripted.script import ScriptedCall, ScriptedReply
from mulligan.models.wire.chat_request import compact_json
from mulligan.types.tool_calls import JsonObject


def ollama_lines(reply: ScriptedReply, request_number: int, model: str, messages: Sequence[Any]) -> StreamedReply:
    """What is sent for the reply, and how it ends."""

    def line(fields: JsonObject, **more: Any) -> str:
        message = {"role": "assistant", "content": "", **fields}
        return compact_json({"model": model, "created_at": "", "message": message, "done": False, **more}) + "\n"

    calls = [{"tool_calls": [_call(index, call, request_number)]} for index, call in enumerate(native_calls(reply))]
    content = [
        *(line({"thinking": piece}) for piece in pieces(reply.reasoning, reply.chunk_size)),
        *(line({"content": piece}) for piece in pieces(reply_text(reply), reply.chunk_size)),
        *map(line, calls),
    ]
    counts = usage_counts(reply, messages)
    reason = finish_reason(reply)
    end = line(
        {},
        done=True,
        done_reason="stop" if reason == "tool_calls" else reason,
        prompt_eval_count=counts["prompt_tokens"],
        eval_count=counts["completion_tokens"],
    )
    return with_ending(reply, [], content, [end] if reason else [])


def _call(index: int, call: ScriptedCall, request_number: int) -> JsonObject:
    arguments = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
    function = {"index": index, "name": call.name, "arguments": arguments}
    return {"id": call.id or f"call_{request_number}_{index}", "function": function}
