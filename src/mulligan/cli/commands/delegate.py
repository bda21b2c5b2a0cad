"""`mulligan delegate`: a goal for an external agent, in a work tree of its own."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.completion import complete_external_agents
from mulligan.cli.options import ChatOption, JsonOption, ProjectOption
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.cli.views.turn_views import Viewer
    from mulligan.ports.commands import Approve

LONGEST_LINE = 600


def delegate(
    goal: Annotated[
        str, typer.Argument(metavar="GOAL", help="What the agent is to do; `-` reads it from standard input.")
    ] = "",
    *,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="Who does it; `mulligan agents` lists external agents too.",
            autocompletion=complete_external_agents,
        ),
    ] = None,
    project: ProjectOption = None,
    chat: ChatOption = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model the agent is told to use.")
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Grant the agent what it asks for, unless it is denied. Changes still wait."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Hand a goal to another coding agent, in a work tree.

    That may be opencode, goose, qwen, claude, or one of your own. It works in a git work tree of the chat; your
    checkout is not touched. A checkpoint is taken before each turn, and `mulligan restore` brings files and chat back
    to it. What the agent made comes back as pending changes. Its requests go to a policy and to you; without a terminal
    and without --yes they are denied.
    """
    import asyncio

    from mulligan.app.configuration import load_configuration

    text = sys.stdin.read() if goal == "-" else goal
    if not text.strip():
        raise ConfigurationError('there is no goal: mulligan delegate "make the tests pass" --agent NAME')
    asked = _Asked(text, agent, chat, model, yes)
    raise typer.Exit(asyncio.run(_delegate(load_configuration(project, {}), asked, as_json=json)))


@dataclass(frozen=True, slots=True)
class _Asked:
    goal: str
    agent: str | None
    chat: str | None
    model: str | None
    yes: bool


async def _delegate(configuration: "Configuration", asked: _Asked, *, as_json: bool) -> int:
    """Run the turn, let the person look at what it changed, and return the exit code."""
    from contextlib import aclosing

    from mulligan.app.agents.external import load_external_agents
    from mulligan.app.delegated_turn import Outlets
    from mulligan.app.delegation import Delegations
    from mulligan.app.session import open_session
    from mulligan.cli.interactive.review import review
    from mulligan.cli.running import show_turn
    from mulligan.cli.text.safe_text import one_line
    from mulligan.cli.text.sentences import FROM_DELEGATE
    from mulligan.cli.turn_request import external_agent_name
    from mulligan.cli.views.turn_views import viewer_for

    viewer = viewer_for(as_json=as_json, next_steps=FROM_DELEGATE)
    person = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    agents = load_external_agents(configuration.external, configuration.user_file)
    async with open_session(configuration, tell=viewer.tell) as session:
        agent = asked.agent
        if asked.chat:
            agent = await external_agent_name(session, configuration, agents, agent, asked.chat)
        approve = _approve(viewer, agent, yes=asked.yes, person=person)
        # What is told may repeat an agent's words.
        outlets = Outlets(viewer, lambda words: viewer.tell(one_line(words, LONGEST_LINE)), approve)
        async with aclosing(Delegations(session, agents)) as delegations:
            work = delegations.run(asked.goal, agent, asked.chat, model=asked.model, outlets=outlets)
            exit_code = await show_turn(work, viewer)
            if viewer.ended and viewer.ended.pending and not as_json:
                chat = await session.store.find_chat(viewer.ended.chat_id)
                return await review(session, chat, viewer, exit_code, person=person and not asked.yes)
            return exit_code


def _approve(viewer: "Viewer", agent: str | None, *, yes: bool, person: bool) -> "Approve":
    from mulligan.app.project_tools import approve_all, deny_unasked
    from mulligan.cli.interactive.approval import AskAtTerminal
    from mulligan.cli.views.terminal_view import TerminalViewer

    if yes:
        return approve_all
    if person and isinstance(viewer, TerminalViewer):
        return AskAtTerminal(viewer, f"{agent} asks: allow it?")
    return deny_unasked
