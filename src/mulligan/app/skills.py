"""Adds the project's and the user's skills to a turn: their names in the prompt, and a tool that reads them.

For a guided model, the turn picks the skill that the question is about.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.context_budget import chars_per_token
from mulligan.core.front_matter import split_front_matter
from mulligan.core.skills import Skill, skill_list
from mulligan.loop.plan import TurnPlan
from mulligan.tools.read_skill import ReadSkill
from mulligan.workspace.files.prompt_files import prompt_files, read_prompt_file

if TYPE_CHECKING:
    from mulligan.app.ready_models import ReadyModel
    from mulligan.app.session import Session


def with_skills(session: "Session", plan: TurnPlan, project: Path, answering: "ReadyModel") -> TurnPlan:
    """The unchanged plan if there are none, or if instructions are off."""
    skills = known_skills(session, project)
    if not skills:
        return plan
    if answering.agency != "agent":
        return replace(plan, skills=tuple(skills))
    return replace(
        plan,
        system=f"{plan.system}\n\n{skill_list(skills, chars_per_token(answering.profile))}",
        tools=tuple(sorted((*plan.tools, ReadSkill(skills)), key=lambda tool: tool.spec.name)),
    )


def known_skills(session: "Session", project: Path) -> list[Skill]:
    found: list[Skill] = []
    for file in prompt_files("skills", project, session.settings.home):
        try:
            fields, body = split_front_matter(read_prompt_file(file, session.mask))
        except OSError as error:
            session.announce_once(f"the skill {file.name} can't be read ({file.source}): {error}")
            continue
        found.append(Skill(file.name, fields.get("description", ""), body, file.source))
    return found
