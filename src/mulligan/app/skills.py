"""Adds the project's and the user's skills to a turn: their names in the prompt, and a tool that reads them.

For a guided model, the turn picks the skill that the question is about.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.context_budget import chars_per_token
from mulligan.core.front_matter import split_front_matter
from mulligan.core.permissions import reading_rules
from mulligan.core.skills import Skill, skill_list
from mulligan.loop.plan import TurnPlan
from mulligan.tools.read_skill import ReadSkill
from mulligan.types.errors import CallRejected
from mulligan.types.permissions import Permissions
from mulligan.workspace.files.prompt_files import PromptFile, prompt_files, read_prompt_file, sibling_file

if TYPE_CHECKING:
    from mulligan.app.ready_models import ReadyModel
    from mulligan.app.session import Session


def with_skills(session: "Session", plan: TurnPlan, project: Path, ready_model: "ReadyModel") -> TurnPlan:
    """The unchanged plan if there are none, or if instructions are off."""
    files = {each.name: each for each in prompt_files("skills", project, session.settings.home)}
    skills = known_skills(session, files.values())
    if not skills:
        return plan
    if ready_model.agency != "agent":
        return replace(plan, skills=tuple(skills))
    root, rules = project.resolve(), reading_rules(Permissions(session.settings.permissions).about_files())

    async def read_file(skill: str, name: str) -> str:
        path = await asyncio.to_thread(sibling_file, files[skill], name)
        if rules and path.is_relative_to(root):
            verdict = rules(path.relative_to(root).as_posix())
            if verdict.decision != "allow":
                raise CallRejected("permission_denied", f"{name} was not read. {verdict.reason}")
        try:
            return await asyncio.to_thread(read_prompt_file, replace(files[skill], path=path), session.mask)
        except OSError as error:
            raise CallRejected("exec_error", f"{name} can't be read: {error}.") from error

    return replace(
        plan,
        system=f"{plan.system}\n\n{skill_list(skills, chars_per_token(ready_model.profile))}",
        tools=tuple(sorted((*plan.tools, ReadSkill(skills, read_file)), key=lambda tool: tool.spec.name)),
    )


def known_skills(session: "Session", files: Iterable[PromptFile]) -> list[Skill]:
    found: list[Skill] = []
    for file in files:
        try:
            fields, body = split_front_matter(read_prompt_file(file, session.mask))
        except OSError as error:
            session.announce_once(f"the skill {file.name} can't be read ({file.source}): {error}")
            continue
        found.append(Skill(file.name, fields.get("description", ""), body, file.source))
    return found
