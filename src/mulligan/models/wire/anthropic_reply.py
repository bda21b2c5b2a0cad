"""Turns the events of a messages endpoint into our own events."""

from typing import Any

from mulligan.models.wire.chat_request import compact_json
from mulligan.models.wire.server_errors import Endpoint, error_in_reply
from mulligan.runtime.lenient_json import as_count, as_object, as_text
from mulligan.types.errors import ReplyCutOff
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, ReasoningDelta, TextDelta, Usage, UsageReport
from mulligan.types.tool_calls import JsonObject

_FINISH_REASONS = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    # The context is full: the reply is cut off in this case too.
    "model_context_window_exceeded": "length",
}
"""The server's names for our stop reasons; others are passed on."""

_COUNTED = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class MessageReader:
    """Parses the events of one streamed message."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._calls: dict[int, int] = {}
        """The number of each call by the position of its block, which also counts texts and thoughts."""
        self._without_arguments: set[int] = set()
        self._counts: JsonObject = {}
        self.finish_reason: str | None = None
        self.moved = False

    def read(self, payload: Any) -> list[ModelEvent]:
        """The events of one payload. Raises `ModelError` if the server reports one in it."""
        before = (self.finish_reason, self._counts.copy())
        events = self._read(as_object(payload))
        self.moved = bool(events) or before != (self.finish_reason, self._counts)
        return events

    def _read(self, event: JsonObject) -> list[ModelEvent]:
        match event.get("type"):
            case "message_start":
                self._count(as_object(event.get("message")).get("usage"))
            case "content_block_start":
                return self._begin_block(as_count(event.get("index")), as_object(event.get("content_block")))
            case "content_block_delta":
                return self._read_delta(as_count(event.get("index")), as_object(event.get("delta")))
            case "content_block_stop":
                return self._end_block(as_count(event.get("index")))
            case "message_delta":
                self._count(event.get("usage"))
                reason = as_text(as_object(event.get("delta")).get("stop_reason"))
                self.finish_reason = _FINISH_REASONS.get(reason, reason) or self.finish_reason
            case _ if event.get("error"):
                raise error_in_reply(event["error"], self._endpoint)
            case _:
                pass  # message_stop and ping carry nothing; new kinds may come at any time
        return []

    def close(self) -> list[ModelEvent]:
        """The last events of a whole reply. Raises `ReplyCutOff` if the server never said that it is complete."""
        if self.finish_reason is None:
            raise ReplyCutOff(f"The reply of {self._endpoint.model or 'the model'} ended before it was whole.")
        usage = [UsageReport(_usage(self._counts))] if self._counts else []
        return [*usage, Finished(self.finish_reason)]

    def _begin_block(self, index: int, block: JsonObject) -> list[ModelEvent]:
        if block.get("type") != "tool_use":
            return _block_events(block)
        number = self._calls[index] = len(self._calls)
        whole = as_object(block.get("input"))
        if not whole:
            self._without_arguments.add(index)
        arguments = compact_json(whole) if whole else ""
        return [CallDelta(number, as_text(block.get("id")) or None, as_text(block.get("name")) or None, arguments)]

    def _read_delta(self, index: int, delta: JsonObject) -> list[ModelEvent]:
        if delta.get("type") != "input_json_delta":
            return _block_events(delta)
        piece = as_text(delta.get("partial_json"))
        # The server's own tools run on the server: their calls are not ours.
        if not piece or index not in self._calls:
            return []
        self._without_arguments.discard(index)
        return [CallDelta(self._calls[index], arguments=piece)]

    def _end_block(self, index: int) -> list[ModelEvent]:
        if index not in self._without_arguments:
            return []
        self._without_arguments.discard(index)
        return [CallDelta(self._calls[index], arguments="{}")]

    def _count(self, usage: Any) -> None:
        """A later report adds to an earlier one; what it omits or sets to null still holds."""
        counts = as_object(usage)
        self._counts.update({name: counts[name] for name in _COUNTED if counts.get(name) is not None})


def _block_events(block: JsonObject) -> list[ModelEvent]:
    if thought := as_text(block.get("thinking")):
        return [ReasoningDelta(thought)]
    text = as_text(block.get("text"))
    return [TextDelta(text)] if text else []


def _usage(counts: JsonObject) -> Usage:
    """The server counts cache reads and writes separately from the rest of the prompt."""
    cached = as_count(counts.get("cache_read_input_tokens"))
    fresh = as_count(counts.get("input_tokens")) + as_count(counts.get("cache_creation_input_tokens"))
    return Usage(
        prompt_tokens=fresh + cached,
        completion_tokens=as_count(counts.get("output_tokens")),
        cached_tokens=cached,
    )
