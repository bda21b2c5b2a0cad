"""The head of a definition on one line, and the first line of what is said about it."""

import re

LONGEST_SIGNATURE = 200
LONGEST_DOC = 160

_BEFORE_NAME = re.compile(r"[\w\s<>:]*")
"""Words such as `export default`, `pub` or `static`."""
_AFTER_HEAD = re.compile(r"(?:=>|[{:=;]|\b(?:do|then))$")


def signature(line_start: str, head: str) -> str:
    """What stands before the body, words in front of it on the same line included."""
    lead = line_start if _BEFORE_NAME.fullmatch(line_start) else ""
    text = _AFTER_HEAD.sub("", " ".join(f"{lead}{head}".split())).rstrip()
    return text if len(text) <= LONGEST_SIGNATURE else f"{text[:LONGEST_SIGNATURE]}…"


def docstring_line(text: str) -> str:
    """The first line of a Python docstring, given with its quotes."""
    inside = re.sub(r"^[A-Za-z]*(?:\"\"\"|'''|\"|')|(?:\"\"\"|'''|\"|')$", "", text.strip())
    return next((cut(line.strip()) for line in inside.split("\n") if line.strip()), "")


def cut(text: str) -> str:
    """At most so much of a line as is kept."""
    return text if len(text) <= LONGEST_DOC else f"{text[:LONGEST_DOC]}…"
