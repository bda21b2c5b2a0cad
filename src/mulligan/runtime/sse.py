"""Server-sent events, read as they come: bytes in, JSON values out. The time grows with the bytes alone."""

import json
from typing import Any

from mulligan.types.errors import ReplyCutOff

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""An event holds a whole reply at the most. The longest that models write, 128,000 tokens, are half a million
characters, of which JSON may make six bytes each. And JSON takes up to twenty times its size in memory."""


class SseDecoder:
    """Turns the bytes of an event stream into the JSON values of its events.

    It is as lenient as servers are careless: a line that is whole JSON is an event, with or without the blank line that
    should follow, and with or without `data:` before it. Data that is spread over several lines is read at the blank
    line, once: read at each line, a long event would cost the square of its length.
    """

    def __init__(self, longest: int = MAX_EVENT_BYTES) -> None:
        """`longest`: the bytes that an event may have."""
        self._longest = longest
        self._line = bytearray()
        self._data: list[str] = []
        """The lines of an event that began as an object and is not whole yet."""
        self._waiting = 0
        """Bytes in them."""
        self.done = False
        """`[DONE]` was seen; whatever follows is ignored."""

    def feed(self, chunk: bytes) -> list[Any]:
        """The values of the events that this chunk completes. Raises `ReplyCutOff` for a broken or endless event."""
        self._line += chunk
        if len(self._line) + self._waiting > self._longest:
            raise ReplyCutOff(f"The model server sent an event of more than {self._longest // 1024 // 1024} MB.")
        if b"\n" not in chunk and b"\r" not in chunk:
            return []
        lines = bytes(self._line).splitlines(keepends=True)
        # A line that ends in CR waits for the LF that may begin the next chunk.
        self._line = bytearray() if lines[-1].endswith(b"\n") else bytearray(lines.pop())
        return self._read(lines)

    def close(self) -> list[Any]:
        """The values left at the end of the stream; a last line without an ending counts, half an event does not."""
        lines, self._line = bytes(self._line).splitlines(), bytearray()
        values = self._read(lines)
        left = self._take_data()
        return values if left is None else [*values, left]

    def _read(self, lines: list[bytes]) -> list[Any]:
        values: list[Any] = []
        for line in lines:
            if self.done:
                break
            if line.startswith(b":"):  # a comment
                continue
            # Lines are decoded whole, so a character split over two chunks is not harmed.
            text = line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")
            value = self._read_field(text, len(line)) if text else self._end_event()
            if value is not None:
                values.append(value)
        return values

    def _read_field(self, text: str, size: int) -> Any:
        field, _, value = ("data", "", text) if text.startswith("{") else text.partition(":")
        value = value.removeprefix(" ")
        if field == "error":  # an older llama.cpp reports failures so
            return {"error": _parsed(value) or value}
        if field != "data":
            return None
        if not self._data:
            if value.strip() == "[DONE]":
                self.done = True
                return None
            parsed = _parsed(value)
            if parsed is not None or not value.lstrip().startswith("{"):
                return parsed
        self._data.append(value)
        self._waiting += size
        return None

    def _end_event(self) -> Any:
        if not self._data:
            return None
        value = self._take_data()
        # A lost piece could be the middle of a path or a command: better no reply than a wrong one.
        if value is None:
            raise ReplyCutOff("The model server sent an event that is not valid JSON.")
        return value

    def _take_data(self) -> Any:
        data, self._data, self._waiting = "\n".join(self._data), [], 0
        return _parsed(data) if data else None


def _parsed(text: str) -> Any:
    """The JSON value, or None if it is not whole, or nested too deep to be anything that we asked for."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
