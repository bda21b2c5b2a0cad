"""Whether an edit came out right."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bench.edits.corpus import Example
from mulligan.types.errors import EditRefused

Apply = Callable[[str, str, str], str]
"""Content, old and new; returns the new content or raises `EditRefused`."""

Verdict = Literal["right", "wrong", "refused"]

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Outcome:
    verdict: Verdict
    """Of an edit that must be refused, `right` says that it was."""
    exact: bool
    """To the byte."""
    seconds: float
    """Of the processor's time: other work on the machine does not count."""
    result: str | None
    """None if it was refused."""


def tried(apply: Apply, example: Example) -> Outcome:
    started = time.process_time()
    try:
        result = apply(example.content, example.old, example.new)
    except EditRefused:
        result = None
    seconds = time.process_time() - started
    return Outcome(judged(example, result), result == example.expected, seconds, result)


def judged(example: Example, result: str | None) -> Verdict:
    """Right: the bytes outside the span as they were, and inside it the lines that were meant.

    Two lines are the same if their indentation is the same to the byte and so are their tokens, in order. White space
    at a line's end or between tokens and blank lines don't matter; they do to `exact`.
    """
    if example.expects != "applied":
        left_alone = result is None or (example.expects == "unchanged" and result == example.content)
        return "right" if left_alone else "wrong"
    if result is None:
        return "refused"
    if result == example.expected:
        return "right"
    return "right" if _span(result, example) == _span(example.expected, example) else "wrong"


def _span(text: str, example: Example) -> list[tuple[str, list[str]]] | None:
    """The lines of the span, without what does not matter. None if anything around it was touched, or stuck to it."""
    above, below = example.above, example.below
    if not text.startswith(above) or not text.endswith(below) or len(text) < len(above) + len(below):
        return None
    span = text[len(above) : len(text) - len(below)]
    if below and span and span[-1] not in "\r\n":
        return None
    lines = span.splitlines()
    return [(line[: len(line) - len(line.lstrip())], _TOKEN.findall(line)) for line in lines if line.strip()]
