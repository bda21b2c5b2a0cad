"""Server-sent events, read as they come: bytes in, JSON values out."""

import json
from typing import Any

from mulligan.types.errors import ReplyCutOff

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""A whole file may come in one event, but a server that never ends its line must not fill the memory."""


class SseDecoder:
    """Turns the bytes of an event stream into the JSON values of its events.

    It is as lenient as servers are careless: an event counts as soon as its data is whole JSON, with or without the
    blank line that should follow, and a bare line of JSON counts as well.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._data = ""
        self.done = False
        """`[DONE]` was seen; whatever follows is ignored."""

    def feed(self, chunk: bytes) -> list[Any]:
        """The values of the events that this chunk completes. Raises `ReplyCutOff` for a broken event."""
        self._line += chunk
        if len(self._line) + len(self._data) > MAX_EVENT_BYTES:
            raise ReplyCutOff(f"The model server sent an event of more than {MAX_EVENT_BYTES // 1024 // 1024} MB.")
        if b"\n" not in chunk and b"\r" not in chunk:
            return []
        lines = bytes(self._line).splitlines(keepends=True)
        # A line that ends in CR waits for the LF that may begin the next chunk.
        self._line = bytearray() if lines[-1].endswith(b"\n") else bytearray(lines.pop())
        return self._read(lines)

    def close(self) -> list[Any]:
        """The values left at the end of the stream; a last line without an ending counts, half an event does not."""
        lines, self._line = bytes(self._line).splitlines(), bytearray()
        return self._read(lines)

    def _read(self, lines: list[bytes]) -> list[Any]:
        values: list[Any] = []
        for line in lines:
            if self.done:
                break
            # Lines are decoded whole, so a character split over two chunks is not harmed.
            text = line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")
            if text:
                values += self._read_field(text)
            else:
                self._end_event()
        return values

    def _read_field(self, text: str) -> list[Any]:
        field, _, value = ("data", "", text) if text.startswith("{") else text.partition(":")
        value = value.removeprefix(" ")
        if field == "error":  # an older llama.cpp reports failures so
            return [{"error": _parsed(value) or value}]
        if field != "data":
            return []
        self._data = f"{self._data}\n{value}" if self._data.startswith("{") else value
        if self._data.strip() == "[DONE]":
            self.done = True
            return []
        parsed = _parsed(self._data)
        if parsed is None:
            return []
        self._data = ""
        return [parsed]

    def _end_event(self) -> None:
        broken, self._data = self._data, ""
        # A lost piece could be the middle of a path or a command: better no reply than a wrong one.
        if broken.lstrip().startswith("{"):
            raise ReplyCutOff("The model server sent an event that is not valid JSON.")


def _parsed(text: str) -> Any:
    """The JSON value, or None if it is not whole."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
