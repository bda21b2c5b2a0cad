"""Parses a streaming reply that should be `{"tool": …, "arguments": …}` or `{"tool": "answer", "text": …}`."""

import json
import re
from collections.abc import Sequence
from typing import Literal

from mulligan.models.protocols.calls_in_text import TextCallReader
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, TextDelta

_WHOLE = re.compile(
    r"""(?: [^"\\]++
        | \\["\\/bfnrt]
        | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | \\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}
        )*+""",
    re.VERBOSE,
)
"""Up to where every character and escape is complete."""


class StreamedString:
    """The text after the opening quote, however the chunks are split; text after the closing quote is dropped."""

    def __init__(self) -> None:
        self._held = ""
        """The start of an escape. If the string is cut off there, it is dropped."""
        self._ended = False

    def feed(self, raw: str) -> str:
        """The text that this chunk completes."""
        text, at = self._held + raw, 0
        decoded: list[str] = []
        while at < len(text) and not self._ended:
            whole = _WHOLE.match(text, at)
            begun, at = at, whole.end() if whole else at
            decoded.append(_decode(text[begun:at]))
            if text.startswith('"', at):
                self._ended = True
            elif _BEGUN.fullmatch(text, at):
                break
            else:
                size, meant = _given_up(text, at)
                decoded.append(meant)
                at += size
        self._held = "" if self._ended else text[at:]
        return "".join(decoded)


def _given_up(text: str, at: int) -> tuple[int, str]:
    """An escape that JSON doesn't know. `\\d` is meant literally; half of a character is lost."""
    if _HALF.match(text, at):
        return 6, "\N{REPLACEMENT CHARACTER}"
    return 1, text[at]


def _decode(raw: str) -> str:
    return json.loads(f'"{raw}"', strict=False)


_HALF = re.compile(r"\\u[0-9a-fA-F]{4}")
_BEGUN = re.compile(
    r"(?:\\u?|\\u[0-9a-fA-F]{1,3}|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?"
)


_HEAD = re.compile(
    r'\s*\{\s*"tool"\s*:\s*"(?P<tool>[^"\\]{1,80})"\s*,\s*"(?:(?P<call>arguments)"\s*:\s*(?=\{)|(?P<answer>text)"\s*:\s*")'
)
_MAX_SPACE = 300
"""White space after a brace that is held back: models constrained by a schema are known to write it forever."""
_MAX_HEAD_CHARS = 300
"""With more white space than that, it is not a head."""


class ConstrainedReader:
    """One reply. Anything in another form is read as the text protocol would."""

    def __init__(self, tool_names: Sequence[str]) -> None:
        self._names = tool_names
        self._held = ""
        """The head so far; then the end of a call's arguments, which may be the object's own brace."""
        self._form: Literal["head", "answer", "call", "free"] = "head"
        self._string = StreamedString()
        self._free = TextCallReader(tool_names)

    @property
    def matches_schema(self) -> bool:
        """Whether the reply has the requested form."""
        return self._form in ("answer", "call")

    @property
    def has_text(self) -> bool:
        return self._form != "head" or bool(self._held.strip())

    def feed(self, text: str) -> list[ModelEvent]:
        match self._form:
            case "head":
                return self._read_head(text)
            case "answer":
                return _say(self._string.feed(text))
            case "call":
                return self._read_arguments(text)
            case "free":
                return self._free.feed(text)

    def finish(self, reason: str) -> list[ModelEvent]:
        match self._form:
            case "head":
                return [*self._free.feed(self._held), *self._free.finish(reason)]
            case "answer":
                return [Finished(reason)]
            case "call":
                # The brace that closes the reply is held back; with `length` or without it, the call is refused later.
                return [Finished("tool_calls" if reason == "stop" else reason)]
            case "free":
                return self._free.finish(reason)

    def _read_head(self, text: str) -> list[ModelEvent]:
        self._held += text
        head = _HEAD.match(self._held)
        if head is None:
            return self._go_free() if self._has_no_head() else []
        tool, rest, self._held = head["tool"], self._held[head.end() :], ""
        if head["answer"] and tool == "answer":
            self._form = "answer"
            return _say(self._string.feed(rest))
        if head["call"] and tool in self._names:
            self._form = "call"
            return [CallDelta(0, name=tool), *self._read_arguments(rest)]
        self._held = head[0] + rest
        return self._go_free()

    def _has_no_head(self) -> bool:
        return not "{".startswith(self._held.strip()[:1]) or len(self._held) > _MAX_HEAD_CHARS

    def _go_free(self) -> list[ModelEvent]:
        self._form = "free"
        held, self._held = self._held, ""
        return self._free.feed(held)

    def _read_arguments(self, text: str) -> list[ModelEvent]:
        self._held += text
        written = self._held.rstrip()
        held = written.endswith("}") and len(self._held) - len(written) <= _MAX_SPACE
        cut = len(written) - 1 if held else len(self._held)
        arguments, self._held = self._held[:cut], self._held[cut:]
        return [CallDelta(0, arguments=arguments)] if arguments else []


def _say(text: str) -> list[ModelEvent]:
    return [TextDelta(text)] if text else []
