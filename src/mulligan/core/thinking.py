"""Separates thinking that a model writes into its text from the answer while it streams, for all known marks."""

import re
from typing import Literal

from mulligan.core.call_formats import beginnings
from mulligan.runtime.late_pattern import late_pattern
from mulligan.types.frozen import frozen
from mulligan.types.model_io import ReasoningDelta, TextDelta, TextWasReasoning


@frozen
class ThinkingMarks:
    family: str
    opening: str
    closing: str


MARKS = (
    ThinkingMarks("DeepSeek R1, Qwen 3, GLM, MiniMax and most others", "<think>", "</think>"),
    ThinkingMarks("prompts for Claude, EXAONE, Reka", "<thinking>", "</thinking>"),
    ThinkingMarks("EXAONE Deep, prompts for Gemini", "<thought>", "</thought>"),
    ThinkingMarks("Reflection, Skywork", "<reasoning>", "</reasoning>"),
    ThinkingMarks("Magistral, Ministral 3", "[THINK]", "[/THINK]"),
    ThinkingMarks("Seed-OSS", "<seed:think>", "</seed:think>"),
    ThinkingMarks("Gemma 4", "<|channel>thought", "<channel|>"),
    ThinkingMarks("Command A", "<|START_THINKING|>", "<|END_THINKING|>"),
    ThinkingMarks("Kimi-VL", "◁think▷", "◁/think▷"),
    ThinkingMarks("gpt-oss", "<|channel|>analysis<|message|>", "<|end|>"),
    ThinkingMarks("gpt-oss", "<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"),
)
_ANSWER_HEADERS = tuple(
    f"{before}<|channel|>{channel}<|message|>"
    for before in ("<|start|>assistant", "")
    for channel in ("final", "commentary")
)
"""gpt-oss writes every message into a channel: these are for the user."""
_BEGINNINGS = (*(each.opening for each in MARKS), *_ANSWER_HEADERS)
_NEXT_MESSAGE = "<|start|>assistant<|channel|>"
_UNOPENED = (*dict.fromkeys(each.closing for each in MARKS if each.closing != "<|end|>"), _NEXT_MESSAGE)
"""If one of these comes and no thinking was opened, everything before it was thinking: many templates put the opening
mark into the prompt, and some servers remove it."""
_UNOPENED_END = late_pattern("|".join(map(re.escape, _UNOPENED)))
_UNOPENED_BEGUN = late_pattern(rf"(?:{beginnings(_UNOPENED)})\Z")
_MESSAGE_END = late_pattern(r"<\|(?:end|return)\|>")
_MESSAGE_END_BEGUN = late_pattern(rf"(?:{beginnings(['<|end|>', '<|return|>'])})\Z")
_MAX_MARK_CHARS = 32
_FENCE = late_pattern(r"^[ \t]*+(?:`{3,}|~{3,})", re.MULTILINE)
_MAX_LEADING_SPACE = 64
"""White space allowed before the opening mark; a model that writes only blank lines must still be visible."""
_MAX_TRIES = 16
"""Closing marks to check: an answer about such marks may be full of them, and each check reads all text."""

ThinkingEvent = TextDelta | ReasoningDelta | TextWasReasoning


class ThinkingSplitter:
    """Takes the text of one reply, and gives answer and thinking, however it is split into chunks."""

    def __init__(self) -> None:
        self._held = ""
        self._place: Literal["start", "thinking", "between", "text"] = "start"
        self._closing = ""
        self._text_so_far: list[str] | None = []
        """The text so far, as long as it may turn out to be thinking."""
        self._in_channels = False
        """The reply uses channels, as gpt-oss does."""
        self._tries = 0
        self.opened = False
        """Marks were found before any text: their content was separated."""

    @property
    def holds(self) -> bool:
        """Something is held back, since it may be the beginning of a mark."""
        return bool(self._held)

    def feed(self, text: str) -> list[ThinkingEvent]:
        self._held += text
        events: list[ThinkingEvent] = []
        before = None
        while self._held and (self._place, self._held) != before:
            before = (self._place, self._held)
            match self._place:
                case "start":
                    self._find_opening()
                case "thinking":
                    events += self._reasoning()
                case "between":
                    self._held = self._held.lstrip()
                    self._place = "start" if self._held else "between"
                case "text":
                    events += self._text()
        return events

    def close(self) -> list[ThinkingEvent]:
        """What was held back when the reply ended."""
        held, self._held = self._held, ""
        if not held or self._place == "between":
            return []
        return [ReasoningDelta(held) if self._place == "thinking" else TextDelta(held)]

    def _find_opening(self) -> None:
        begun = self._held.lstrip()
        mark = next((each for each in MARKS if begun.startswith(each.opening)), None)
        header = next((each for each in _ANSWER_HEADERS if begun.startswith(each)), None)
        if mark:
            self._place, self._closing, self._text_so_far = "thinking", mark.closing, None
            self.opened = True
            self._in_channels = self._in_channels or mark.closing == "<|end|>"
            self._held = begun.removeprefix(mark.opening)
        elif header:
            self._place, self._in_channels, self._text_so_far = "text", True, None
            self.opened = True
            self._held = begun.removeprefix(header)
        elif len(self._held) > _MAX_LEADING_SPACE or not any(each.startswith(begun) for each in _BEGINNINGS):
            self._place = "text"
            if begun.startswith(("<|channel|>", "<|start|>")):
                self._in_channels, self._text_so_far = True, None

    def _reasoning(self) -> list[ThinkingEvent]:
        reasoning, closing, rest = self._held.partition(self._closing)
        if closing:
            self._place, self._held = "between", rest
        else:
            kept = _begun(self._closing, reasoning)
            reasoning, self._held = reasoning[: len(reasoning) - kept], reasoning[len(reasoning) - kept :]
        return [ReasoningDelta(reasoning)] if reasoning else []

    def _text(self) -> list[ThinkingEvent]:
        if self._in_channels:
            return self._message()
        if self._text_so_far is None:
            return self._text_of(len(self._held))
        end = _UNOPENED_END.search(self._held)
        if end is None:
            return self._text_except(_UNOPENED_BEGUN)
        before = "".join(self._text_so_far) + self._held[: end.start()]
        self._tries += 1
        if _in_code(before):
            events = self._text_of(end.end())
            self._text_so_far = self._text_so_far if self._tries < _MAX_TRIES else None
            return events
        self._text_so_far, self._place = None, "between"
        self._held = self._held[end.start() if end[0] == _NEXT_MESSAGE else end.end() :]
        return [TextWasReasoning(before.removesuffix("<|end|>"))] if before.strip() else []

    def _message(self) -> list[ThinkingEvent]:
        """A message in a channel of gpt-oss, up to its end."""
        end = _MESSAGE_END.search(self._held)
        if end is None:
            return self._text_except(_MESSAGE_END_BEGUN)
        events = self._text_of(end.start())
        self._held, self._place = self._held[len(end[0]) :], "between"
        return events

    def _text_except(self, begun: re.Pattern[str]) -> list[ThinkingEvent]:
        """Everything that can't be the beginning of such a mark."""
        found = begun.search(self._held, max(0, len(self._held) - _MAX_MARK_CHARS))
        return self._text_of(found.start() if found else len(self._held))

    def _text_of(self, size: int) -> list[ThinkingEvent]:
        text, self._held = self._held[:size], self._held[size:]
        if text and self._text_so_far is not None:
            self._text_so_far.append(text)
        return [TextDelta(text)] if text else []


def _in_code(text: str) -> bool:
    """Whether what follows is quoted: in a code fence, in inline code or in a string."""
    line = text[text.rfind("\n") + 1 :]
    return line.count("`") % 2 == 1 or line.endswith(('"', "'")) or len(_FENCE.findall(text)) % 2 == 1


def _begun(mark: str, text: str) -> int:
    """How many characters at the end may be the beginning of the mark."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)
