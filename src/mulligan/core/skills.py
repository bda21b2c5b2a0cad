"""Skills: how something is done, written down for a model that reads it when it needs it."""

from collections.abc import Sequence
from dataclasses import dataclass

LIST_TOKENS = 300
"""What the list of them may take of a request."""
DESCRIPTIONS = (140, 70, 35, 0)
"""Characters of each that are shown: the most with which all skills fit."""

_HEAD = "Skills say how some things are done. Before you do what one is for, read it with read_skill:"


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    body: str
    source: str
    """Its file."""


def skill_list(skills: Sequence[Skill], chars_per_token: float) -> str:
    """Each with what it is for, as far as there is room for all. Of names that are too many, some are only counted."""
    room = int(LIST_TOKENS * chars_per_token) - len(_HEAD)
    for longest in DESCRIPTIONS:
        lines = [_line(skill, longest) for skill in skills]
        if sum(len(line) + 1 for line in lines) <= room:
            return "\n".join([_HEAD, *lines])
    names = ", ".join(skill.name for skill in skills)[:room].rpartition(", ")[0]
    return f"{_HEAD}\n{names} and {len(skills) - names.count(', ') - 1} more"


def _line(skill: Skill, longest: int) -> str:
    about = " ".join(skill.description.split())
    if len(about) > longest:
        about = f"{about[: longest - 1]}…" if longest else ""
    return f"- {skill.name}: {about}" if about else f"- {skill.name}"
