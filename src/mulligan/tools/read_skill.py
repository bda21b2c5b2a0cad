"""Read a skill, which says how something is done."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from mulligan.core.skills import Skill
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Outcome, Succeeded


class ReadSkillArguments(Record):
    name: str = Field(min_length=1, description="Of the skill.")


class ReadSkill:
    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = {each.name.lower(): each for each in skills}
        self.spec = tool_spec("read_skill", "Read one of the skills that are listed above.", ReadSkillArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        name = read_arguments(ReadSkillArguments, arguments).name.strip().strip("\"'`").lower()
        if name not in self._skills:
            there = ", ".join(each.name for each in self._skills.values())
            raise CallRejected("exec_error", f"There is no skill {name!r}. There are: {there}.")
        skill = self._skills[name]
        return Succeeded(f"{skill.name} ({skill.source}; paths in it start at its folder):\n\n{skill.body}")
