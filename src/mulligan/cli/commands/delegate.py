"""`mulligan delegate`: a goal for an external agent, in its own work tree."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.completion import complete_external_agents
from mulligan.cli.turn_command import TurnOptions, read_prompt, show_and_review, takes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mulligan.app.configuration import Configuration

MAX_LINE_CHARS = 600


AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="The agent that does it; `mulligan agents` lists external agents too.",
        autocompletion=complete_external_agents,
    ),
]
YesOption = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Grant the agent what it asks for unless it is denied. Changes stay pending."),
]


@takes("agent", "project", "chat", "image", "yes", "json", agent=AgentOption, yes=YesOption)
def delegate(
    goal: Annotated[
        str, typer.Argument(metavar="GOAL", help="What the agent should do; `-` reads it from standard input.")
    ] = "",
    *,
    options: TurnOptions,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model that the agent should use.")
    ] = None,
    through_proxy: Annotated[
        bool,
        typer.Option("--proxy", help="Let the agent use the model that Mulligan would use, behind Mulligan's guards."),
    ] = False,
) -> None:
    """Give a goal to another coding agent, in a work tree.

    The agent may be opencode, goose, qwen, claude, or one of your own. It works in the chat's own git work tree and
    doesn't touch your checkout. Mulligan takes a checkpoint before each turn; `mulligan restore` returns to it. The
    agent's changes come back as pending changes. The policy and you answer its requests; without a terminal and without
    --yes they are denied.
    """
    import asyncio

    example = 'mulligan delegate "make the tests pass" --agent NAME'
    text = read_prompt(goal, what="goal", example=example)
    configuration = options.configuration()
    work = _delegate_through_proxy if through_proxy else _delegate
    raise typer.Exit(asyncio.run(work(text, options, configuration, model=model)))


async def _delegate_through_proxy(
    goal: str, options: TurnOptions, configuration: "Configuration", *, model: str | None
) -> int:
    """The same, with a proxy between the agent and the model."""
    from mulligan.core.proxy.switches import SwitchedOff
    from mulligan.proxy.access import Access
    from mulligan.proxy.agent_setup import environment_of
    from mulligan.proxy.process import open_proxy, running_proxy
    from mulligan.runtime.serving import listening as network

    settings = configuration.settings.model_copy(update={"model": model or configuration.settings.model})
    environment_of(options.agent or "", "", "")  # refuse an agent that can't use it before anything starts
    listening = network.listen("127.0.0.1", 0)
    async with (
        open_proxy(
            settings,
            tell=_tell,
            access=Access(),
            switched_off=SwitchedOff(),
        ) as app,
        running_proxy(app, listening, settings),
    ):
        address = network.address(listening).rstrip("/")
        environ = environment_of(options.agent or "", address, app.upstream.choice.model)
        return await _delegate(goal, options, configuration, model=None, environ=environ)


def _tell(words: str) -> None:
    typer.echo(words, err=True)


async def _delegate(
    goal: str,
    options: TurnOptions,
    configuration: "Configuration",
    *,
    model: str | None,
    environ: "Mapping[str, str] | None" = None,
) -> int:
    """Run the turn, let the user review its changes, and return the exit code. `environ` is added to the agent's
    environment."""
    from contextlib import aclosing

    from mulligan.app.agents.external import load_external_agents
    from mulligan.app.delegated_turn import TurnCallbacks
    from mulligan.app.delegation import Delegations
    from mulligan.app.images import keep_image_files
    from mulligan.app.open_session import open_session
    from mulligan.cli.chat_agents import external_agent_name
    from mulligan.cli.interactive.approval import approver
    from mulligan.cli.text.safe_text import one_line
    from mulligan.cli.text.sentences import FROM_DELEGATE
    from mulligan.cli.views.turn_views import viewer_for

    viewer = viewer_for(as_json=options.json, next_steps=FROM_DELEGATE)
    agents = load_external_agents(configuration.external, configuration.user_file)
    if environ:
        agents = {
            name: agent.model_copy(update={"env": {**agent.env, **environ}}) if name == options.agent else agent
            for name, agent in agents.items()
        }
    async with open_session(configuration, tell=viewer.tell) as session:
        agent = options.agent
        if options.chat:
            agent = await external_agent_name(session, configuration, agents, agent, options.chat)
        approve = approver(viewer, f"{agent} asks: allow it?", yes=options.yes, interactive=options.interactive)
        # What is told may repeat an agent's words.
        callbacks = TurnCallbacks(viewer, lambda words: viewer.tell(one_line(words, MAX_LINE_CHARS)), approve)
        async with aclosing(Delegations(session, agents)) as delegations:
            images = await keep_image_files(session.store, options.image or (), goal)
            work = delegations.run(goal, agent, options.chat, model=model, callbacks=callbacks, images=images)
            return await show_and_review(
                session, work, viewer, options, interactive=options.interactive and not options.yes
            )
