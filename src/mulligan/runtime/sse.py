"""Decodes server-sent events as they arrive: bytes in, JSON values out, in linear time."""

import json
from typing import Any

from mulligan.types.errors import ReplyCutOff

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""An event contains at most a whole reply. The longest that models write, 128,000 tokens, have half a million
characters, each of which may take six bytes in JSON. Parsed JSON takes up to twenty times its size in memory."""


class SseDecoder:
    """Turns the bytes of an event stream into the JSON values of its events.

    Lenient, because servers are careless: a line of complete JSON is an event, with or without the blank line that
    should follow, and with or without `data:` before it. Data in several lines is parsed once, at the blank line:
    parsing it at each line would take quadratic time.
    """

    def __init__(self, longest: int = MAX_EVENT_BYTES) -> None:
        """`longest`: most bytes of an event."""
        self._longest = longest
        self._line = bytearray()
        self._data: list[str] = []
        """The lines of an event that started as an object and is not complete yet."""
        self._waiting = 0
        """Their size in bytes."""
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
            # Whole lines are decoded, so a character may be split over two chunks.
            text = line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")
            value = self._read_field(text, len(line)) if text else self._end_event()
            if value is not None:
                values.append(value)
        return values

    def _read_field(self, text: str, size: int) -> Any:
        field, _, value = ("data", "", text) if text.startswith("{") else text.partition(":")
        value = value.removeprefix(" ")
        if field == "error":  # older versions of llama.cpp report failures like this
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
        # The broken event could be the middle of a path or a command: better no reply than a wrong one.
        if value is None:
            raise ReplyCutOff("The model server sent an event that is not valid JSON.")
        return value

    def _take_data(self) -> Any:
        data, self._data, self._waiting = "\n".join(self._data), [], 0
        return _parsed(data) if data else None


def _parsed(text: str) -> Any:
    """The JSON value; None if it is incomplete, or nested too deeply to be anything that we asked for."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
