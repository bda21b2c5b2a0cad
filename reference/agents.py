"""The page of agents, ours and others'."""

import shlex
from pathlib import Path

from mulligan.app.agents.definitions import load_agents
from mulligan.app.agents.external import load_external_agents
from mulligan.app.project_tools import can_write
from mulligan.core.step_budget import STEP_CEILING
from mulligan.runtime.field_meanings import meanings
from mulligan.types.agents import AgentSpec, BackendKind, ExternalAgent
from reference.markdown import code, code_block, folded, link, table
from reference.schemas import field_table

KINDS: dict[BackendKind, str] = {
    "acp": "a long-running process per chat that speaks the Agent Client Protocol",
    "opencode_server": "opencode's own server, over HTTP",
    "one_shot": "one command per turn; it can't ask, so its permissions are fixed in its command",
}
NOT_IN_A_TABLE = ("name", "source")
"""Fields that Mulligan fills in."""

INTRO = """\
Agents are data. `mulligan agents` lists the available ones. How to write your own: [agents](../agents.md),
[external agents](../external-agents.md)."""


def blocks() -> list[str]:
    ours = load_agents((), {}, Path())
    others = load_external_agents({}, Path())
    made = [
        INTRO,
        "## Built in",
        table(
            ("agent", "permissions", "steps per turn", "description"),
            ((_linked(each.name), _may(each), _steps(each), each.description) for each in ours.values()),
        ),
    ]
    for agent in ours.values():
        made += _ours(agent)
    made += [
        "### Fields of `[agents.NAME]`",
        "In a project's `mulligan.toml`, or between the marks at the top of `NAME.md`:",
    ]
    made += [_fields(AgentSpec), "## External"]
    made += [
        "Mulligan looks for the first word of each command on `PATH`. Use one with `mulligan delegate --agent NAME`.",
        table(("kind", "protocol"), ((code(kind), words) for kind, words in KINDS.items())),
        table(
            ("agent", "kind", "description"),
            ((_linked(each.name), code(each.kind), each.description) for each in others.values()),
        ),
    ]
    for agent in others.values():
        made += _external(agent)
    return [*made, "### Fields of `[external.NAME]`", "In `mulligan.toml` in Mulligan's home:", _fields(ExternalAgent)]


def _ours(agent: AgentSpec) -> list[str]:
    tools = ", ".join(link(code(name), "tools.md", name) for name in sorted(agent.tools))
    return [
        f"### {code(agent.name)}",
        agent.description,
        f"Tools: {tools}.",
        folded("Its prompt", code_block(agent.prompt, "text")),
    ]


def _external(agent: ExternalAgent) -> list[str]:
    found = f"{code(agent.command[0])} on `PATH`"
    version = shlex.join((agent.command[0], *agent.version_args)) if agent.version_args else ""
    rows = (
        ("kind", code(agent.kind)),
        ("found by", found + (f", version from {code(version)}" if version else "; it does not report a version")),
        ("to install", code(agent.install) if agent.install else ""),
        ("in its environment", "<br>".join(code(f"{name}={value}") for name, value in agent.env.items())),
        ("session mode", code(agent.mode) if agent.mode else ""),
        ("with `--model`", _model(agent)),
        ("output format", code(agent.format) if agent.kind == "one_shot" else ""),
        ("to continue", code(_typed(agent.resume_args)) if agent.resume_args else ""),
        ("leaves behind", ", ".join(map(code, agent.leaves_behind))),
    )
    return [
        f"### {code(agent.name)}",
        f"{agent.description}.",
        code_block(_command(agent.command), "sh"),
        table(("", ""), (row for row in rows if row[1])),
    ]


def _model(agent: ExternalAgent) -> str:
    arguments = [_typed(agent.model_args)] if agent.model_args else []
    return ", ".join(map(code, arguments + [f"{name}={value}" for name, value in agent.model_env.items()]))


def _command(words: tuple[str, ...]) -> str:
    """As typed in a shell. A long command takes several lines."""
    lines = [""]
    for quoted in map(_quoted, words):
        if len(lines[-1]) + len(quoted) > 100:
            lines.append("   ")
        lines[-1] += f" {quoted}" if lines[-1] else quoted
    return " \\\n".join(lines)


def _typed(words: tuple[str, ...]) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """What stands in braces is filled in."""
    return word if word.startswith("{") else shlex.quote(word)


def _linked(name: str) -> str:
    return link(code(name), "", name)


def _may(agent: AgentSpec) -> str:
    return "edits and runs commands" if can_write(agent) else "reads"


def _steps(agent: AgentSpec) -> str:
    return str(STEP_CEILING if agent.steps is None else agent.steps)


def _fields(kind: type[AgentSpec] | type[ExternalAgent]) -> str:
    schema = kind.model_json_schema()
    named = {name: each for name, each in schema["properties"].items() if name not in NOT_IN_A_TABLE}
    return field_table({**schema, "properties": named}, meanings(kind), sent=True)
