"""Reads ripgrep's output line by line, and keeps only what will be shown."""

import base64
import json
from collections.abc import Callable
from typing import Any

from mulligan.ports.files import GrepMatch
from mulligan.workspace.files.paths import printable

MAX_LINE_CHARS = 200
"""Characters of a matching line that are shown."""
LEAD = 60
"""Characters before the match in a shortened line."""


class MatchReader:
    """Reads `--json` output: keeps the first matches, counts all."""

    def __init__(self, limit: int, wanted: Callable[[str], bool]) -> None:
        self.total = 0
        self.files = 0
        self.complete = False
        """Whether ripgrep finished. It does not if the pattern is invalid."""
        self._limit = limit
        self._wanted = wanted
        self._kept: list[GrepMatch] = []
        self._path = ""
        self._in_file: list[GrepMatch] = []
        """The current file's matches, until it is known not to be binary."""
        self._count_in_file = 0
        self._skipping = False

    @property
    def matches(self) -> tuple[GrepMatch, ...]:
        return tuple(self._kept + self._in_file)

    def take(self, line: bytes) -> None:
        # By prefix: in a flood most lines are counted and never parsed.
        if line.startswith(b'{"type":"match"'):
            self._take_match(line)
        elif line.startswith(b'{"type":"begin"'):
            path = _raw(json.loads(line)["data"]["path"]).decode("utf-8", "surrogateescape").removeprefix("./")
            self._skipping = not self._wanted(path)
            self._path = printable(path)
        elif line.startswith(b'{"type":"end"'):
            self._close_file(binary=json.loads(line)["data"]["binary_offset"] is not None)
        elif b'"type":"summary"' in line:
            self.complete = True

    def _take_match(self, line: bytes) -> None:
        if self._skipping:
            return
        self._count_in_file += 1
        if len(self._kept) + len(self._in_file) < self._limit:
            data = json.loads(line)["data"]
            first = next(iter(data["submatches"]), {"start": 0})
            text = excerpt(_raw(data["lines"]), first["start"])
            self._in_file.append(GrepMatch(self._path, data["line_number"], text))

    def _close_file(self, *, binary: bool) -> None:
        if self._count_in_file and not binary:
            self._kept += self._in_file
            self.total += self._count_in_file
            self.files += 1
        self._in_file = []
        self._count_in_file = 0


class MatchCounter:
    """Reads `--count --null` output."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self.total = 0
        self.files = 0
        self._wanted = wanted

    def take(self, line: bytes) -> None:
        path, _, count = line.rpartition(b"\0")
        # With `--crlf`, ripgrep ends its own lines this way too.
        if count.rstrip(b"\r").isdigit() and self._wanted(path.decode("utf-8", "surrogateescape").removeprefix("./")):
            self.total += int(count)
            self.files += 1


def excerpt(line: bytes, start: int) -> str:
    """The line, or the part of it around the match that starts at this byte."""
    text = _decode(line).rstrip("\r\n")
    if len(text) <= MAX_LINE_CHARS:
        return text
    begin = min(max(0, len(_decode(line[:start])) - LEAD), len(text) - MAX_LINE_CHARS)
    end = begin + MAX_LINE_CHARS
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


def _raw(data: dict[str, Any]) -> bytes:
    """Ripgrep sends UTF-8 as text, and anything else as base64."""
    return base64.b64decode(data["bytes"]) if "bytes" in data else data["text"].encode()


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
