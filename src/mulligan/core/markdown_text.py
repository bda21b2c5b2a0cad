"""Embeds text of models, commands and users in generated Markdown, so that it can't end or begin a block."""

import re

from mulligan.runtime.late_pattern import late_pattern

_UNSEEN = late_pattern("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Control characters, line ends, direction marks and lone surrogates."""

_UNSEEN_IN_BLOCKS = late_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""The same without tab and newline."""

_MARKUP = (
    (late_pattern(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE), ""),  # fences
    (late_pattern(r"^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+", re.MULTILINE), ""),  # headings, quotes, lists
    (late_pattern(r"!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)"), r"\1"),  # links
    (late_pattern(r"\*\*|`+"), ""),
    (late_pattern(r"(?<![\w*])\*(\S[^*\n]{0,200}?)\*(?![\w*])"), r"\1"),
)

_OBEYED = late_pattern(r"([\\`*_{}\[\]<>#|~&$])")


def plain(text: str, limit: int = 400) -> str:
    """The text on one line, at most `limit` characters, without active Markdown."""
    return _OBEYED.sub(r"\\\1", clean_line(text, limit))


def code(text: str, limit: int = 400) -> str:
    """The text as inline code."""
    line = clean_line(text, limit) or " "
    mark = "`" * (1 + _longest_run(line))
    return f"{mark} {line} {mark}" if "`" in line else f"{mark}{line}{mark}"


def fenced(text: str, language: str = "") -> str:
    """The text as a code block, with a fence longer than any within."""
    clean = _UNSEEN_IN_BLOCKS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n")).rstrip("\n")
    fence = "`" * max(3, 1 + _longest_run(clean))
    return f"{fence}{language}\n{clean}\n{fence}"


def clean_line(text: str, limit: int) -> str:
    line = " ".join(_UNSEEN.sub(" ", text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def without_comments(text: str) -> str:
    """Without HTML comments; an unclosed one goes on to the end."""
    shown, *commented = text.split("<!--")
    return shown + "".join(each.partition("-->")[2] for each in commented)


def without_markup(text: str) -> str:
    """The words alone, for a one-line preview. Names such as `__init__` stay whole."""
    for pattern, kept in _MARKUP:
        text = pattern.sub(kept, text)
    return text


def _longest_run(text: str) -> int:
    """The longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
