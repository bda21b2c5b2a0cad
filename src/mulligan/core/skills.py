"""Skills: how something is done, written down for a model that reads it when it needs it."""

from collections.abc import Sequence
from dataclasses import dataclass

LIST_TOKENS = 300
"""What the list of them may take of a request."""
LONGEST_DESCRIPTION = 140
"""Characters."""

_HEAD = "Skills say how some things are done. Before you do what one is for, read it with read_skill:"


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    body: str
    source: str
    """Its file."""


def skill_list(skills: Sequence[Skill], chars_per_token: float) -> str:
    """Each with what it is for, as far as there is room; the others by their names, then only counted."""
    room = LIST_TOKENS * chars_per_token - len(_HEAD)
    lines: list[str] = []
    for place, skill in enumerate(skills):
        about = " ".join(skill.description.split())
        about = about if len(about) <= LONGEST_DESCRIPTION else f"{about[: LONGEST_DESCRIPTION - 1]}…"
        line = f"- {skill.name}: {about}" if about else f"- {skill.name}"
        if len(line) > room:
            lines.append(_others([each.name for each in skills[place:]], room))
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join([_HEAD, *lines])


def _others(names: Sequence[str], room: float) -> str:
    shown = len(names)
    while shown and len(", ".join(names[:shown])) + 20 > room:
        shown -= 1
    more = f" and {len(names) - shown} more" if shown < len(names) else ""
    return f"- {', '.join(names[:shown])}{more}" if shown else f"- and {len(names)} more"
