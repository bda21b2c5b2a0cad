"""Server-sent events, read as they come: bytes in, JSON objects out. What is broken is left out."""

from mulligan.backends.agent_process import LineSplitter
from mulligan.backends.loose_json import parsed_object
from mulligan.types.tool_calls import JsonObject

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""The diff of a whole file may come in one event; a longer one is left out."""


class SseDecoder:
    """Turns the bytes of an event stream into the objects of its events."""

    def __init__(self) -> None:
        self._lines = LineSplitter(MAX_EVENT_BYTES)
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[JsonObject]:
        """The events that this chunk completes."""
        return [event for line in self._lines.take(chunk) if (event := self._take(line.rstrip(b"\r"))) is not None]

    def _take(self, line: bytes) -> JsonObject | None:
        if line:
            field, _, value = line.partition(b":")
            self._size += len(value)
            if field == b"data" and self._size <= MAX_EVENT_BYTES:
                self._data.append(value.removeprefix(b" "))
            return None
        data, self._data, self._size = b"\n".join(self._data), [], 0
        return parsed_object(data.decode(errors="replace"))
