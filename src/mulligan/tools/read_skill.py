"""Read a skill, which says how something is done."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from mulligan.core.skills import Skill
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Outcome, Succeeded


class ReadSkillArguments(Record):
    name: str = field(min_length=1, description="Of the skill.")
    file: str | None = field(default=None, description="Read this file of the skill's folder instead.")


class ReadSkill:
    def __init__(self, skills: Sequence[Skill], read_file: Callable[[str, str], Awaitable[str]]) -> None:
        """`read_file` reads a file of a skill's folder: no other tool may read all of them."""
        self._skills = {each.name.lower(): each for each in skills}
        self._read_file = read_file
        self.spec = tool_spec("read_skill", "Read one of the skills that are listed above.", ReadSkillArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(ReadSkillArguments, arguments)
        name = asked.name.strip().strip("\"'`").lower()
        if name not in self._skills:
            there = ", ".join(each.name for each in self._skills.values())
            raise CallRejected("exec_error", f"There is no skill {name!r}. There are: {there}.")
        skill = self._skills[name]
        if asked.file:
            return Succeeded(f"{asked.file} of {skill.name}:\n\n{await self._read_file(skill.name, asked.file)}")
        how = "paths in it start at its folder, and read_skill reads them as `file`"
        return Succeeded(f"{skill.name} ({skill.source}; {how}):\n\n{skill.body}")
