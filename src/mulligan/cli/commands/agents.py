"""`mulligan agents`: all agents, our own and external ones."""

from typing import TYPE_CHECKING

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.views.printing import print_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mulligan.app.agents.installed import InstalledProgram
    from mulligan.types.agents import AgentSpec, ExternalAgent


def agents(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List the agents that can answer or take a goal.

    Lists Mulligan's agents first (built in, yours and the project's), then external ones.

    An agent is a file NAME.md in .mulligan/agents of the project, or in agents of your Mulligan folder: settings
    between two lines of +++ (description, tools, steps, model), then the prompt. In mulligan.toml it is a table
    [agents.NAME]. Choose one with `mulligan ask --agent NAME`.

    An external agent is another program, for `mulligan delegate --agent NAME`. Add yours as a table [external.NAME] in
    the mulligan.toml of your Mulligan folder.
    """
    import asyncio

    from mulligan.app.agents.definitions import known_agents
    from mulligan.app.agents.external import load_external_agents
    from mulligan.app.agents.installed import find_installed
    from mulligan.app.configuration import load_configuration
    from mulligan.workspace.process import run_process

    configuration = load_configuration(project, {})
    external = list(load_external_agents(configuration.external, configuration.user_file).values())
    # Printed first, since asking programs for their versions takes up to 5 seconds.
    _print_native(list(known_agents(configuration).values()), as_json=json)
    _print_external(external, asyncio.run(find_installed(external, run_process)), as_json=json)


def _print_native(known: "Sequence[AgentSpec]", *, as_json: bool) -> None:
    print_list(
        known,
        as_json=as_json,
        fields=lambda agent: {"kind": "native", **agent.model_dump(mode="json")},
        headings=("name", "description", "steps", "tools", "model", "source"),
        row=lambda agent: (
            agent.name,
            agent.description,
            "any" if agent.steps is None else str(agent.steps),
            ", ".join(agent.tools) or "none",
            agent.model or "as configured",
            agent.source,
        ),
        ascii_only=False,
    )
    if not as_json:
        typer.echo()


def _print_external(
    known: "Sequence[ExternalAgent]", found: "Mapping[str, InstalledProgram]", *, as_json: bool
) -> None:
    print_list(
        known,
        as_json=as_json,
        fields=lambda agent: {
            # The environment may contain keys.
            **agent.model_dump(mode="json", exclude={"env", "model_env"}),
            "path": found[agent.name].path,
            "version": found[agent.name].version,
        },
        headings=("external", "description", "kind", "version", "found", "source"),
        row=lambda agent: (
            agent.name,
            agent.description,
            agent.kind,
            found[agent.name].version or "",
            found[agent.name].path or _absence(agent),
            agent.source,
        ),
        ascii_only=False,
    )


def _absence(agent: "ExternalAgent") -> str:
    return f"no; to install it: {agent.install}" if agent.install else f"no; there is no {agent.command[0]} on PATH"
