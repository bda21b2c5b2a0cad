"""Skills: instructions that a model reads when it needs them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.context_budget import CHARS_PER_TOKEN

LIST_TOKENS = 300
"""Tokens that their list may take of a request."""
DESCRIPTIONS = (140, 70, 35, 0)
"""Characters of each description: the most with which all skills fit."""
GUIDED_TOKENS = 250
"""Tokens that a skill may take of a request in guided mode: some eight seconds of reading for a slow model."""
ENOUGH = 2.0
"""What a message must share with a skill: its whole name, or two words of its description."""

_HEAD = "Skills say how some things are done. Before you do what one is for, read it with read_skill:"


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    description: str
    body: str
    source: str
    """Its file."""


def skill_list(skills: Sequence[Skill], chars_per_token: float) -> str:
    """Each with its description, if all of them fit. Of too many names, some are only counted."""
    char_limit = int(LIST_TOKENS * chars_per_token) - len(_HEAD)
    for longest in DESCRIPTIONS:
        lines = [_line(skill, longest) for skill in skills]
        if sum(len(line) + 1 for line in lines) <= char_limit:
            return "\n".join([_HEAD, *lines])
    names = ", ".join(skill.name for skill in skills)[:char_limit].rpartition(", ")[0]
    return f"{_HEAD}\n{names} and {len(skills) - names.count(', ') - 1} more"


def chosen_skill(skills: Sequence[Skill], message: str) -> Skill | None:
    """The skill that a message is about, for a model that can't choose itself. A word in more than two descriptions
    ("user", "wants") doesn't count."""
    from mulligan.core.retrieval.terms import asked_stems, stems  # only turns that Mulligan drives need it

    asked = asked_stems(message)
    descriptions = [set(stems(each.description)) for each in skills]
    often = {word for word, count in Counter(word for each in descriptions for word in each).items() if count > 2}
    fits: dict[int, tuple[float, int]] = {}
    for index, (skill, description) in enumerate(zip(skills, descriptions, strict=True)):
        name = set(stems(skill.name))
        common = 2 * len(name & asked) / max(1, len(name)) + len((description - name - often) & asked)
        if common >= ENOUGH:
            fits[index] = common, len(name & asked)  # of two whose whole names occur, the longer one
    return skills[max(fits, key=lambda index: fits[index])] if fits else None


def guided_skill(skill: Skill, message: str) -> str:
    """A skill for a small model: all of a short one, else the sections about the message."""
    from mulligan.core.instructions import relevant_part

    whole = skill.body.strip()
    shown = relevant_part(whole, message, int(GUIDED_TOKENS * CHARS_PER_TOKEN))
    return f"From the skill {skill.name}{'' if shown == whole else ', in part'}:\n{shown}"


def _line(skill: Skill, longest: int) -> str:
    about = " ".join(skill.description.split())
    if len(about) > longest:
        about = f"{about[: longest - 1]}…" if longest else ""
    return f"- {skill.name}: {about}" if about else f"- {skill.name}"
