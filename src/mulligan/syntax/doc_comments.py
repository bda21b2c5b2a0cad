"""The signature of a definition on one line, and the first line of its documentation."""

import re
from collections.abc import Sequence

MAX_SIGNATURE_CHARS = 200
MAX_DOC_CHARS = 160

_BEFORE_NAME = re.compile(r"[\w\s<>:]*")
"""Words such as `export default`, `pub` or `static`."""
_AFTER_HEAD = re.compile(r"(?:=>|[{:=;]|\b(?:do|then))$")


def signature(line_start: str, head: str) -> str:
    """The text before the body, including words in front of it on the same line."""
    lead = line_start if _BEFORE_NAME.fullmatch(line_start) else ""
    text = _AFTER_HEAD.sub("", " ".join(f"{lead}{head}".split())).rstrip()
    return text if len(text) <= MAX_SIGNATURE_CHARS else f"{text[:MAX_SIGNATURE_CHARS]}…"


def docstring_line(text: str) -> str:
    """The first line of a Python docstring, given with its quotes."""
    inside = re.sub(r"^[A-Za-z]*(?:\"\"\"|'''|\"|')|(?:\"\"\"|'''|\"|')$", "", text.strip())
    return next((cut(line.strip()) for line in inside.split("\n") if line.strip()), "")


def cut(text: str) -> str:
    """Shorten a line to the length that is stored."""
    return text if len(text) <= MAX_DOC_CHARS else f"{text[:MAX_DOC_CHARS]}…"


_ANNOTATION = re.compile(r"\s*+(?:@\w|#!?\[|\[\w[^\]]*\]\s*$|template\s*<|\)\s*$)")
_OPENS = re.compile(r"/\*+!?|\*+/|\*|//[/!]?|#+!?|--+|<!--|\"\"\"|'''")
_CLOSES = ("*/", "-->", '"""', "'''")
_NO_WORDS = re.compile(r"[\W_]*$|@\w+|<\?php|-\*-|coding[:=]|eslint|prettier|noqa|pylint|type:|!/|\$Id|SPDX|ts-check")
_LICENSE = re.compile(r"copyright|licen[sc]e|all rights reserved|permission is hereby|redistribution", re.IGNORECASE)
_TAG = re.compile(r"</?(?:summary|para|p|c|b|i|code|see[^<>]*+|remarks)\s*+/?>")


FARTHEST = 200
"""Most rows of a comment, because every symbol searches back through them."""


def comment_above(rows: Sequence[str], row: int, marks: tuple[str, ...]) -> str:
    """The first line of the comment right above a row, skipping annotations in between."""
    last = row - 1
    while (
        last > row - FARTHEST
        and last >= 0
        and _ANNOTATION.match(rows[last])
        and not rows[last].lstrip().startswith(marks)
    ):
        last -= 1
    first = _comment_start(rows, last, marks)
    return _first_words(rows[first : last + 1]) if first is not None else ""


def comment_at_top(rows: Sequence[str], marks: tuple[str, ...]) -> str:
    """The description of a file in its first comment."""
    comment: list[str] = []
    in_block = False
    for row in rows[:60]:
        text = row.strip()
        if text.startswith(("#!", "<?php")):
            continue
        if not in_block and text and not text.startswith((*marks, "/*")):
            break
        in_block = (in_block or text.startswith("/*")) and "*/" not in text
        comment.append(row)
    licensed = any(_LICENSE.search(row) for row in comment)
    return "" if licensed else _first_words(comment)


def _comment_start(rows: Sequence[str], last: int, marks: tuple[str, ...]) -> int | None:
    if last < 0:
        return None
    text = rows[last].strip()
    if text.endswith("*/"):
        for row in range(last, max(-1, last - FARTHEST), -1):
            if "/*" in rows[row]:
                return row if rows[row].lstrip().startswith("/*") else None
        return None
    first = last + 1
    while first > max(0, last - FARTHEST) and rows[first - 1].lstrip().startswith(marks):
        first -= 1
    return first if first <= last else None


def _first_words(rows: Sequence[str]) -> str:
    for row in rows:
        text = _TAG.sub("", _without_marks(row)).strip()
        if text and not _NO_WORDS.match(text):
            return cut(text)
    return ""


def _without_marks(row: str) -> str:
    """The text without the marks that open and close a comment."""
    text = row.strip()
    if opened := _OPENS.match(text):
        text = text[opened.end() :].strip()
    closed = next((mark for mark in _CLOSES if text.endswith(mark)), "")
    text = text.removesuffix(closed)
    return (text.rstrip("*") if closed == "*/" else text).strip()
