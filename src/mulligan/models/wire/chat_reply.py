"""Turns the chunks of a chat completion into our own events."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mulligan.core.thinking import ThinkingEvent, ThinkingSplitter
from mulligan.models.wire.server_errors import Endpoint, error_in_reply
from mulligan.runtime.lenient_json import as_count, as_list, as_object, as_text
from mulligan.types.errors import ReplyCutOff
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelEvent,
    PromptProgress,
    ReasoningDelta,
    TokenChoices,
    Usage,
    UsageReport,
)
from mulligan.types.tool_calls import JsonObject


class CallSorter:
    """Numbers the calls of one reply, whatever the server does with `index` and `id`.

    Seen in the wild: no index; no id; index 0 for every call (Ollama); a new id on every chunk of one call (vLLM); the
    name repeated on every chunk; a stray index on chunks with only arguments; arguments as an object.
    """

    def __init__(self) -> None:
        self._last: _Call | None = None
        self._count = 0
        self._by_place: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def read(self, piece: Any) -> CallDelta | None:
        """The chunk under the number of its call, or None if it adds nothing."""
        sent = as_object(piece)
        function = as_object(sent.get("function"))
        position = index if isinstance(index := sent.get("index"), int) else None
        call_id, name = as_text(sent.get("id")), as_text(function.get("name"))
        arguments = _arguments_text(function.get("arguments"))

        call = self._continued(position, call_id, name, arguments)
        if call is None:
            call = self._last = _Call(index=self._count)
            self._count += 1
        elif not (arguments or (name and not call.name) or (call_id and not call.id)):
            return None
        if position is not None:
            self._by_place[position] = call
        delta = call.add(call_id, name, arguments)
        if delta.id:
            self._by_id.setdefault(delta.id, call)
        return delta

    def _continued(self, position: int | None, call_id: str, name: str, arguments: str) -> "_Call | None":
        """The call that this chunk continues; None if it starts one."""
        call = self._find(position, call_id)
        if call is None:
            stray = not name and not call_id
            return self._last if stray else None
        if not name or not call.name or (call_id and call_id == call.id):
            return call
        if name != call.name or (call_id and call.id):
            return None
        return None if arguments and call.written.is_whole else call

    def _find(self, position: int | None, call_id: str) -> "_Call | None":
        if position is not None:
            return self._by_place.get(position)
        return self._by_id.get(call_id) if call_id else self._last


_MARK = re.compile(r'[{}\[\]"\\]')


@dataclass(slots=True)
class WrittenObject:
    """How far an object that arrives in chunks has come: each chunk is scanned once."""

    depth: int = 0
    begun: bool = False
    in_string: bool = False
    escaped: bool = False
    """The last character was a backslash within a string."""

    @property
    def is_whole(self) -> bool:
        return self.begun and self.depth <= 0 and not self.in_string

    def add(self, piece: str) -> None:
        skip = 0 if self.escaped else -1
        self.escaped = False
        for found in _MARK.finditer(piece):
            mark, at = found[0], found.start()
            if at == skip:
                continue
            if mark == '"':
                self.in_string = not self.in_string
            elif mark == "\\":
                skip = at + 1 if self.in_string else -1
                self.escaped = skip == len(piece)
            elif not self.in_string:
                self.begun = True
                self.depth += 1 if mark in "{[" else -1


@dataclass(slots=True)
class _Call:
    index: int
    id: str = ""
    name: str = ""
    written: WrittenObject = field(default_factory=WrittenObject)

    def add(self, call_id: str, name: str, arguments: str) -> CallDelta:
        """Take the chunk in. Id and name are passed on once, so that nobody has to guess whether to join them."""
        new_id = call_id if not self.id else ""
        new_name = name if not self.name else ""
        self.id, self.name = self.id or call_id, self.name or name
        self.written.add(arguments)
        return CallDelta(self.index, id=new_id or None, name=new_name or None, arguments=arguments)


def _arguments_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return as_text(value)
    return as_text(json.dumps(value, ensure_ascii=False))


class ReplyReader:
    """Parses the payloads of one reply, streamed (`delta`) or whole (`message`)."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.thinking = ThinkingSplitter()
        self._calls = CallSorter()
        self._usage: Usage | None = None
        self._prompt_read = 0
        """Tokens of the prompt, as reported by llama.cpp while it reads."""
        self.finish_reason: str | None = None
        self.moved = False

    def read(self, payload: Any) -> list[ModelEvent]:
        """The events of one payload. Raises `ModelError` if the server reports one in it."""
        chunk = as_object(payload)
        self.moved = self._count(chunk)
        reading = self._read_progress(as_object(chunk.get("prompt_progress")))
        choice = as_object(next(iter(as_list(chunk.get("choices"))), None))
        for source in (chunk, choice):
            if source.get("error") or source.get("object") == "error":
                raise error_in_reply(source.get("error") or source, self._endpoint)
        before = self.finish_reason
        self.finish_reason = as_text(choice.get("finish_reason")) or self.finish_reason
        events = [*reading, *self._read_delta(as_object(choice.get("delta") or choice.get("message")))]
        events += _token_choices(as_object(choice.get("logprobs")))
        self.moved = bool(events) or self.moved or self.finish_reason != before
        return events

    def close(self) -> list[ModelEvent]:
        """The last events of a whole reply. Raises `ReplyCutOff` if the server never said that it is complete."""
        if self.finish_reason is None:
            raise ReplyCutOff(f"The reply of {self._endpoint.model or 'the model'} ended before it was whole.")
        usage = [UsageReport(self._usage)] if self._usage else []
        return [*self.thinking.close(), *usage, Finished(self.finish_reason)]

    def _count(self, chunk: JsonObject) -> bool:
        """Adopt the server's counts; whether one of them has grown."""
        # A usage that comes with every chunk is cumulative, so the last one is the total.
        usage = _usage(chunk.get("usage"))
        counted = usage is not None and usage != self._usage
        self._usage = usage or self._usage
        return counted

    def _read_progress(self, progress: JsonObject) -> list[PromptProgress]:
        """llama.cpp's prompt progress, each time it has read further."""
        total, processed = as_count(progress.get("total")), as_count(progress.get("processed"))
        if not self._prompt_read < processed <= total:
            return []
        self._prompt_read = processed
        cached, milliseconds = as_count(progress.get("cache")), as_count(progress.get("time_ms"))
        return [PromptProgress(total, processed, min(cached, processed), milliseconds / 1000)]

    def _read_delta(self, delta: JsonObject) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        # Servers that know both names send the same text under each.
        reasoning = as_text(delta.get("reasoning_content")) or as_text(delta.get("reasoning"))
        if reasoning:
            events.append(ReasoningDelta(reasoning))
        events += self._read_content(delta.get("content") or delta.get("refusal"))
        events += self._read_calls(delta)
        return events

    def _read_content(self, content: Any) -> list[ThinkingEvent]:
        if isinstance(content, str):
            return self.thinking.feed(as_text(content))
        events: list[ThinkingEvent] = []
        for part in map(as_object, as_list(content)):
            thoughts = [as_text(as_object(thought).get("text")) for thought in as_list(part.get("thinking"))]
            events += [ReasoningDelta(thought) for thought in thoughts if thought]
            events += self.thinking.feed(as_text(part.get("text")))
        return events

    def _read_calls(self, delta: JsonObject) -> list[CallDelta]:
        pieces = as_list(delta.get("tool_calls"))
        if legacy := delta.get("function_call"):
            pieces = [{"index": 0, "function": legacy}]
        return [call for piece in pieces if (call := self._calls.read(piece))]


def _token_choices(logprobs: JsonObject) -> list[TokenChoices]:
    return [
        TokenChoices(text, tuple(_others(text, as_list(token.get("top_logprobs")))))
        for token in map(as_object, as_list(logprobs.get("content")))
        if (text := as_text(token.get("token")))
    ]


def _others(own: str, listed: Sequence[Any]) -> Iterator[tuple[str, float]]:
    """Without what is only part of a character."""
    for each in map(as_object, listed):
        text, logprob = as_text(each.get("token")), each.get("logprob")
        if text and text != own and "\ufffd" not in text and isinstance(logprob, int | float):
            yield text, float(logprob)


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
