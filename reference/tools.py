"""The page of tools."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from mulligan.app.agents.definitions import load_agents
from mulligan.app.project_tools import WRITING
from mulligan.core.next_move import SYNTHESIS_TOOLS
from mulligan.tools.arguments import brief_schema, schema_name
from mulligan.tools.find_tools import FindTools
from mulligan.tools.read_skill import ReadSkill
from mulligan.tools.registry import build_code_tools, build_tools
from mulligan.tools.update_todos import UpdateTodos
from mulligan.tools.use_tool import UseTool
from mulligan.tools.writing_tools import build_writing_tools
from mulligan.types.agents import AgentSpec
from mulligan.types.base import Record
from mulligan.types.mcp import Catalog
from mulligan.types.permissions import Permissions
from mulligan.types.tool_calls import ToolSpec
from reference.markdown import bullets, code, link, table
from reference.schemas import Schema, value_words

INTRO = """\
What a model can call. The model sees names, descriptions and parameters exactly as written here. [Agents](agents.md)
list their tools. If [MCP servers](../mcp.md) are available, every agent also gets `find_tools` and `use_tool`."""


GIVEN = {
    "read_skill": "Every agent has it if there are [skills](../chat.md)",
    "update_todos": "An agent that [follows a plan](../chat.md) has it",
}
"""Tools that no agent names."""


def blocks() -> list[str]:
    agents = load_agents((), {}, Path())
    made = [
        INTRO,
        table(
            ("tool", "description"),
            ((link(code(each.name), "", each.name), each.description) for each in tool_specs()),
        ),
    ]
    for spec in tool_specs():
        made += [
            f"## {code(spec.name)}",
            spec.description,
            _parameters(spec.parameters),
            _remarks(spec, [agent for agent in agents.values() if spec.name in agent.tools]),
        ]
    return made


def written_schemas() -> str:
    """The argument schemas of all tools, as read at startup."""
    kinds = (each for each in Record.__subclasses__() if each.__module__.startswith("mulligan.tools."))
    schemas = {schema_name(each): brief_schema(each) for each in kinds if each.__name__.endswith("Arguments")}
    return json.dumps(dict(sorted(schemas.items())), indent=1, ensure_ascii=False) + "\n"


def tool_specs() -> list[ToolSpec]:
    """All tools, sorted. Only their descriptions are used, so they are built without dependencies."""
    nothing = cast("Any", _Nothing())
    writing = build_writing_tools(nothing, nothing, nothing, nothing, Permissions, project="")
    tools = build_tools(nothing) | build_code_tools(nothing) | writing
    reaching = (FindTools(nothing).spec, UseTool(nothing, nothing, Permissions).spec)
    told = [*(tool.spec for tool in tools.values()), *(replace(each, description=_head(each)) for each in reaching)]
    return sorted([*told, ReadSkill((), _no_file).spec, UpdateTodos().spec], key=lambda spec: spec.name)


def _head(spec: ToolSpec) -> str:
    """Without the tools of servers that it lists."""
    return spec.description.partition("\n")[0]


class _Nothing:
    def known(self) -> Catalog:
        return Catalog(())

    async def pending_count(self) -> int:
        return 0


def _parameters(schema: Schema) -> str:
    required = schema.get("required", ())
    rows = [
        (code(name), value_words(_flat(each)), "required" if name in required else "", each.get("description", ""))
        for name, each in schema["properties"].items()
    ]
    return table(("parameter", "value", "", "meaning"), rows) or "No parameters."


def _flat(schema: Schema) -> Schema:
    """Names the fields of objects in a list, since they are described nowhere else."""
    fields = schema.get("items", {}).get("properties")
    return {"type": "array", "items": {"$ref": f"objects with {', '.join(map(code, fields))}"}} if fields else schema


def _remarks(spec: ToolSpec, agents: list[AgentSpec]) -> str:
    having = ", ".join(link(code(agent.name), "agents.md", agent.name) for agent in agents)
    words = [GIVEN.get(spec.name) or f"Agents that have it: {having or 'no built-in agent'}"]
    if spec.name in WRITING:
        words.append("An agent with this tool counts as one that writes")
    if spec.name in SYNTHESIS_TOOLS:
        words.append("After a call, the model writes an answer from the files behind the result, and the turn ends")
    if spec.time_limit is not None:
        words.append(f"A call is stopped after {spec.time_limit:g} seconds")
    return bullets(words)


async def _no_file(_skill: str, _name: str) -> str:
    """Nobody calls it: only its description is shown."""
    return ""
