"""Reads external agents from tables: built-in ones, and `[external.NAME]` in the user's `mulligan.toml`.

A table with a built-in agent's name overrides the fields it sets and keeps the rest, so that a user who only changes
the path doesn't lose the options that make the agent ask.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mulligan.core.external_commands import MODEL, PROMPT, SESSION
from mulligan.types.agents import ExternalAgent
from mulligan.types.base import InvalidRecord
from mulligan.types.errors import ConfigurationError

BUILT_IN = Path(__file__).with_name("external.toml")

_OURS = ("name", "source")
"""Fields that no table may set."""
_ADDED_TO = ("env", "model_env")
"""Fields where a later table overrides single entries."""


def load_external_agents(tables: Mapping[str, Mapping[str, Any]], file: Path) -> dict[str, ExternalAgent]:
    """All external agents by name, sorted. Raises `ConfigurationError` that names the file, the agent and the field."""
    built_in = tomllib.loads(BUILT_IN.read_text(encoding="utf-8"))
    agents = {name: _agent(name, table, "built in") for name, table in built_in.items()}
    for name, table in tables.items():
        agents[name] = _agent(name, _laid_over(built_in.get(name), table, name, file), str(file))
    return dict(sorted(agents.items()))


def _laid_over(
    built_in: Mapping[str, Any] | None, table: Mapping[str, Any], name: str, file: Path
) -> Mapping[str, Any]:
    if built_in is None:
        return table
    if "command" not in table and table.get("kind", built_in["kind"]) != built_in["kind"]:
        raise _wrong(name, str(file), "kind", f"its command speaks {built_in['kind']}; another kind needs a command")
    merged: dict[str, Any] = {
        field: {**built_in.get(field, {}), **table[field]} for field in _ADDED_TO if isinstance(table.get(field), dict)
    }
    if isinstance(table.get("leaves_behind"), list):
        merged["leaves_behind"] = [*built_in.get("leaves_behind", ()), *table["leaves_behind"]]
    return {**built_in, **table, **merged}


def _agent(name: str, table: Mapping[str, Any], source: str) -> ExternalAgent:
    for field in _OURS:
        if field in table:
            raise _wrong(name, source, field, "it can't be set")
    try:
        agent = ExternalAgent.model_validate({**table, "name": name, "source": source})
    except InvalidRecord as error:
        first = error.problems[0]
        raise _wrong(name, source, ".".join(map(str, first["loc"])), first["msg"]) from error
    program, *arguments = agent.command
    if program.startswith("~/"):
        program = str(Path(program).expanduser())
        agent = agent.model_copy(update={"command": (program, *arguments)})
    _check(agent)
    return agent


def _check(agent: ExternalAgent) -> None:
    """Errors that would otherwise only show up when the agent runs, in the middle of the user's work."""
    program = agent.command[0]
    if "/" in program and not Path(program).is_absolute():
        # It would be looked up in the work tree, where the repository's author chose what it is.
        raise _wrong(agent.name, agent.source, "command", f"{program} must be a name on PATH or an absolute path")
    if agent.kind != "one_shot":
        for field, hole in (("command", PROMPT), ("command", SESSION), ("resume_args", SESSION)):
            if any(hole in part for part in getattr(agent, field)):
                raise _wrong(agent.name, agent.source, field, f"only a one_shot agent has {hole}")
    if agent.model_args and not any(MODEL in part for part in agent.model_args):
        raise _wrong(agent.name, agent.source, "model_args", f"{MODEL} is missing")
    if agent.model_env and not any(MODEL in value for value in agent.model_env.values()):
        raise _wrong(agent.name, agent.source, "model_env", f"{MODEL} is missing")
    for pattern in agent.leaves_behind:
        if not pattern.strip("*/ ") or pattern.startswith(("!", "#")):
            # It would match everything the agent makes, or nothing.
            raise _wrong(agent.name, agent.source, "leaves_behind", f"{pattern!r} matches no files")
    if agent.resume_args and not any(SESSION in part for part in (*agent.command, *agent.resume_args)):
        raise _wrong(agent.name, agent.source, "resume_args", f"{SESSION} is missing")


def _wrong(name: str, source: str, field: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"the external agent {name} ({source}) is invalid: {field}: {what}")
