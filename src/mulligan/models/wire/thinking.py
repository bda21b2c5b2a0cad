"""Tells apart what a model thinks and what it says, where both come as one text."""

from typing import Literal

from mulligan.types.model_io import ReasoningDelta, TextDelta

OPENING = "<think>"
CLOSING = "</think>"
_MOST_HELD = 64
"""White space that may stand before the opening tag; a model that writes only blank lines must still be seen."""


class ThinkSplitter:
    """Splits `<think>…</think>` off the beginning of a reply, wherever the chunks may fall."""

    def __init__(self) -> None:
        self._held = ""
        self._place: Literal["start", "thinking", "between", "text"] = "start"

    def feed(self, text: str) -> list[TextDelta | ReasoningDelta]:
        self._held += text
        events: list[TextDelta | ReasoningDelta] = []
        if self._place == "start":
            self._find_opening()
        if self._place == "thinking":
            events += self._reasoning()
        if self._place == "between":
            self._held = self._held.lstrip()
            self._place = "text" if self._held else "between"
        if self._place == "text" and self._held:
            events.append(TextDelta(self._release()))
        return events

    def close(self) -> list[TextDelta | ReasoningDelta]:
        """What was held back when the reply ended."""
        held = self._release()
        if not held or self._place == "between":
            return []
        return [ReasoningDelta(held) if self._place == "thinking" else TextDelta(held)]

    def _find_opening(self) -> None:
        begun = self._held.lstrip()
        if begun.startswith(OPENING):
            self._place, self._held = "thinking", begun.removeprefix(OPENING)
        elif not OPENING.startswith(begun) or len(self._held) > _MOST_HELD:
            self._place = "text"

    def _reasoning(self) -> list[TextDelta | ReasoningDelta]:
        reasoning, closing, rest = self._held.partition(CLOSING)
        if closing:
            self._place, self._held = "between", rest
        else:
            kept = _beginning_of(CLOSING, at_end_of=reasoning)
            reasoning, self._held = reasoning[: len(reasoning) - kept], reasoning[len(reasoning) - kept :]
        return [ReasoningDelta(reasoning)] if reasoning else []

    def _release(self) -> str:
        held, self._held = self._held, ""
        return held


def _beginning_of(tag: str, *, at_end_of: str) -> int:
    """How many characters at the end may be the beginning of the tag."""
    return next((size for size in range(len(tag) - 1, 0, -1) if at_end_of.endswith(tag[:size])), 0)
