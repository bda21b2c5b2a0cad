"""`mulligan agents`: who can answer."""

import typer

from mulligan.cli.options import JsonOption, ProjectOption


def agents(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List the agents: those built in, yours and the project's.

    An agent is a file NAME.md in .mulligan/agents of the project, or in agents of your Mulligan folder: settings
    between two lines of +++ (description, tools, steps, model), the prompt below them. In mulligan.toml it is a table
    [agents.NAME]. Choose one with `mulligan ask --agent NAME`.
    """
    from mulligan.cli.tables import print_table
    from mulligan.configuration import load_configuration
    from mulligan.wiring import known_agents

    known = known_agents(load_configuration(project, {})).values()
    if json:
        for agent in known:
            typer.echo(agent.model_dump_json())
        return
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
