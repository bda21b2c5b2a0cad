"""The sections of a summary: parsed from a model's text, written in a fixed order within a length."""

import re
from collections.abc import Iterator, Mapping

SECTIONS = (
    "Goal",
    "Constraints & Preferences",
    "Done",
    "In Progress",
    "Blocked",
    "Key Decisions",
    "Next Steps",
    "Critical Context",
    "Relevant Files",
)
PROGRESS = ("Done", "In Progress", "Blocked")
"""Subheadings of Progress."""

Sections = Mapping[str, str]
"""The text under each heading; empty ones are left out."""

NONE = "(none)"


def read_sections(text: str) -> dict[str, str]:
    """The text under each heading of a summary. Lists of files read or changed are ignored."""
    found: dict[str, list[str]] = {}
    section: str | None = None
    for line in text.split("\n"):
        heading = _HEADING.fullmatch(line.strip())
        if heading:
            section = _NAMES[re.sub(r"\W+", " ", heading["name"].casefold()).strip()]
            line = heading["rest"] or ""  # noqa: PLW2901 - some write the text beside the heading
        if section in SECTIONS:
            found.setdefault(section, []).append(line.lstrip("# ") if line.lstrip().startswith("#") else line)
    texts = {name: _clean(lines) for name, lines in found.items()}
    return {name: text for name, text in texts.items() if text}


def write_sections(sections: Sections, char_limit: int) -> str:
    """The summary without its ledger: every heading in its order, within about this many characters."""
    fitted = _fit(dict(sections), char_limit)
    return "\n\n".join(f"{heading}\n{fitted.get(name, NONE)}" for name, heading in _headings())


def template() -> str:
    """The headings, as the request shows them to the model."""
    return "\n".join(heading for _, heading in _headings())


def _headings() -> Iterator[tuple[str, str]]:
    for name in SECTIONS:
        above = "## Progress\n" if name == PROGRESS[0] else ""
        yield name, f"{above}{'###' if name in PROGRESS else '##'} {name}"


_NAMES = {
    "goal": "Goal",
    "constraints preferences": "Constraints & Preferences",
    "constraints and preferences": "Constraints & Preferences",
    "constraints": "Constraints & Preferences",
    "progress": "Done",
    "done": "Done",
    "in progress": "In Progress",
    "blocked": "Blocked",
    "key decisions": "Key Decisions",
    "decisions": "Key Decisions",
    "next steps": "Next Steps",
    "critical context": "Critical Context",
    "relevant files": "Relevant Files",
    "files read": "",
    "files modified": "",
}
"""By heading text without markup. Empty ones are written by Mulligan itself."""

_NAME = "|".join(sorted((name.replace(" ", r"\W+") for name in _NAMES), key=len, reverse=True))
_HEADING = re.compile(
    rf"[#*\s]*+(?:\d++[.)]\s*+)?[#*\s]*+(?P<name>{_NAME})[*\s]*+(?:$|:[*\s]*(?P<rest>.*))", re.IGNORECASE
)
"""`## Goal`, `**Goal:**`, `Goal: find it`, `1. Goal`."""

_NOTHING = re.compile(r"[-*\s]*+(?:\(?none\)?|n/?a|nothing)?[.\s]*+", re.IGNORECASE)


def _clean(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines if not _NOTHING.fullmatch(line))


def _fit(sections: dict[str, str], char_limit: int) -> dict[str, str]:
    """Shorten the longest sections to a common length, by whole lines; of Done, the oldest lines are dropped first."""
    char_limit -= sum(len(heading) + len(NONE) + 3 for _, heading in _headings())
    limit = _common_length(sorted(map(len, sections.values())), char_limit)
    shorter = {name: _shortened(text, limit, oldest_go=name == "Done") for name, text in sections.items()}
    return {name: text for name, text in shorter.items() if text}


def _common_length(lengths: list[int], char_limit: int) -> int:
    """The length to which texts have to be cut to fit together."""
    for index, length in enumerate(lengths):
        share = char_limit // (len(lengths) - index)
        if length > share:
            return max(0, share)
        char_limit -= length
    return max(lengths, default=0)


def _shortened(text: str, limit: int, *, oldest_go: bool) -> str:
    if len(text) <= limit:
        return text
    if oldest_go:
        newest = text[len(text) - limit :]
        return newest.partition("\n")[2] or newest.lstrip()
    whole_lines = text[: limit + 1].rpartition("\n")[0]
    return whole_lines or text[:limit].rstrip()
