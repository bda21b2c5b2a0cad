"""`mulligan agents`: who can answer, and to whom work can be handed."""

from typing import TYPE_CHECKING

import typer

from mulligan.cli.options import JsonOption, ProjectOption

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mulligan.app.agents.installed import InstalledProgram
    from mulligan.types.agents import AgentSpec, ExternalAgent


def agents(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List the agents that can answer or take a goal.

    First come those of Mulligan: built in, yours and the project's. Then come external ones.

    An agent is a file NAME.md in .mulligan/agents of the project, or in agents of your Mulligan folder: settings
    between two lines of +++ (description, tools, steps, model), the prompt below them. In mulligan.toml it is a table
    [agents.NAME]. Choose one with `mulligan ask --agent NAME`.

    An external agent is another program, for `mulligan delegate --agent NAME`. Add yours as a table [external.NAME] in
    the mulligan.toml of your Mulligan folder.
    """
    import asyncio

    from mulligan.app.agents.external import load_external_agents
    from mulligan.app.agents.installed import find_installed
    from mulligan.app.configuration import load_configuration
    from mulligan.app.session import known_agents
    from mulligan.workspace.process import run_process

    configuration = load_configuration(project, {})
    external = load_external_agents(configuration.external, configuration.user_file).values()
    # First, since asking programs for their versions takes up to 5 seconds.
    _print_native(known_agents(configuration).values(), as_json=json)
    _print_external(external, asyncio.run(find_installed(external, run_process)), as_json=json)


def _print_native(known: "Collection[AgentSpec]", *, as_json: bool) -> None:
    if as_json:
        for agent in known:
            _print_object({"kind": "native", **agent.model_dump(mode="json")})
        return
    from mulligan.cli.views.tables import print_table

    rows = [
        (
            agent.name,
            agent.description,
            "any" if agent.steps is None else str(agent.steps),
            ", ".join(agent.tools) or "none",
            agent.model or "as configured",
            agent.source,
        )
        for agent in known
    ]
    print_table(("name", "description", "steps", "tools", "model", "source"), rows)
    typer.echo()


def _print_external(
    known: "Collection[ExternalAgent]", found: "Mapping[str, InstalledProgram]", *, as_json: bool
) -> None:
    if as_json:
        for agent in known:
            # Environments may hold keys.
            said = agent.model_dump(mode="json", exclude={"env", "model_env"})
            _print_object({**said, "path": found[agent.name].path, "version": found[agent.name].version})
        return
    from mulligan.cli.views.tables import print_table

    rows = [
        (
            agent.name,
            agent.description,
            agent.kind,
            found[agent.name].version or "",
            found[agent.name].path or _absence(agent),
            agent.source,
        )
        for agent in known
    ]
    print_table(("external", "description", "kind", "version", "found", "source"), rows)


def _absence(agent: "ExternalAgent") -> str:
    return f"no; to get it: {agent.install}" if agent.install else f"no; there is no {agent.command[0]} on PATH"


def _print_object(values: "Mapping[str, object]") -> None:
    import json

    typer.echo(json.dumps(values, ensure_ascii=False))
