"""What a chat completion says, chunk by chunk, in the product's own events."""

from typing import Any

from mulligan.models.wire.call_deltas import CallSorter
from mulligan.models.wire.server_errors import Endpoint, error_in_reply
from mulligan.models.wire.thinking import ThinkSplitter
from mulligan.runtime.lenient_json import as_count, as_list, as_object, as_text
from mulligan.types.errors import ReplyCutOff
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, ReasoningDelta, TextDelta, Usage, UsageReport
from mulligan.types.tool_calls import JsonObject


class ReplyReader:
    """Reads the payloads of one reply, streamed (`delta`) or whole (`message`)."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._thinking = ThinkSplitter()
        self._calls = CallSorter()
        self._usage: Usage | None = None
        self._prompt_read = 0
        """Tokens of the prompt, as far as llama.cpp tells while it reads."""
        self.finish_reason: str | None = None
        self.moved = False

    def read(self, payload: Any) -> list[ModelEvent]:
        """The events of one payload. Raises `ModelError` if the server reports one in it."""
        said = as_object(payload)
        self.moved = self._count(said)
        choice = as_object(next(iter(as_list(said.get("choices"))), None))
        for source in (said, choice):
            if source.get("error") or source.get("object") == "error":
                raise error_in_reply(source.get("error") or source, self._endpoint)
        before = self.finish_reason
        self.finish_reason = as_text(choice.get("finish_reason")) or self.finish_reason
        events = self._read_delta(as_object(choice.get("delta") or choice.get("message")))
        self.moved = bool(events) or self.moved or self.finish_reason != before
        return events

    def close(self) -> list[ModelEvent]:
        """The last events of a whole reply. Raises `ReplyCutOff` if the server never said that it is whole."""
        if self.finish_reason is None:
            raise ReplyCutOff(f"The reply of {self._endpoint.model or 'the model'} ended before it was whole.")
        usage = [UsageReport(self._usage)] if self._usage else []
        return [*self._thinking.close(), *usage, Finished(self.finish_reason)]

    def _count(self, said: JsonObject) -> bool:
        """Take over the server's counts; whether one of them has grown."""
        # A usage that comes with every chunk counts up, so the last one is the whole.
        usage, read = _usage(said.get("usage")), self._prompt_read
        counted = usage is not None and usage != self._usage
        self._usage = usage or self._usage
        self._prompt_read = max(read, as_count(as_object(said.get("prompt_progress")).get("processed")))
        return counted or self._prompt_read > read

    def _read_delta(self, delta: JsonObject) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        # Servers that know both names send the same text under each.
        reasoning = as_text(delta.get("reasoning_content")) or as_text(delta.get("reasoning"))
        if reasoning:
            events.append(ReasoningDelta(reasoning))
        events += self._read_content(delta.get("content") or delta.get("refusal"))
        events += self._read_calls(delta)
        return events

    def _read_content(self, content: Any) -> list[TextDelta | ReasoningDelta]:
        if isinstance(content, str):
            return self._thinking.feed(as_text(content))
        events: list[TextDelta | ReasoningDelta] = []
        for part in map(as_object, as_list(content)):
            thoughts = [as_text(as_object(thought).get("text")) for thought in as_list(part.get("thinking"))]
            events += [ReasoningDelta(thought) for thought in thoughts if thought]
            events += self._thinking.feed(as_text(part.get("text")))
        return events

    def _read_calls(self, delta: JsonObject) -> list[CallDelta]:
        pieces = as_list(delta.get("tool_calls"))
        if legacy := delta.get("function_call"):
            pieces = [{"index": 0, "function": legacy}]
        return [call for piece in pieces if (call := self._calls.read(piece))]


def _usage(value: Any) -> Usage | None:
    counts = as_object(value)
    if not counts:
        return None
    details = as_object(counts.get("prompt_tokens_details"))
    return Usage(
        prompt_tokens=as_count(counts.get("prompt_tokens")),
        completion_tokens=as_count(counts.get("completion_tokens")),
        cached_tokens=as_count(details.get("cached_tokens") or counts.get("prompt_cache_hit_tokens")),
    )
