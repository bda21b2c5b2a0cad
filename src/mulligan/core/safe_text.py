"""Makes text from models and files safe for a terminal or a document."""

from mulligan.runtime.late_pattern import late_pattern

_ESCAPE_SEQUENCE = late_pattern(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links, the clipboard
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours and cursor moves
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # device strings
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = late_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All except tab and newline, and the marks that change the display order of text."""

_LONE_SURROGATE = late_pattern("[\ud800-\udfff]")


def safe_text(text: str) -> str:
    """The text without control sequences. A hostile file can't move the cursor or set colours."""
    text = _ESCAPE_SEQUENCE.sub("", text)
    return _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def one_line(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters of it."""
    line = " ".join(safe_text(text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
