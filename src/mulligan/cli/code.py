"""`mulligan code`: a goal, and the changes that reach it."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.options import (
    AgencyOption,
    AgentOption,
    BaseUrlOption,
    ChatOption,
    JsonOption,
    ModelOption,
    ProjectOption,
    ProtocolOption,
)
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.configuration import Configuration

AGENT = "coder"


def code(
    goal: Annotated[str, typer.Argument(help="What to change; `-` reads it from standard input.")] = "",
    *,
    project: ProjectOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    agent: AgentOption = None,
    protocol: ProtocolOption = None,
    agency: AgencyOption = None,
    chat: ChatOption = None,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Go on with the --chat that a guard stopped, with a fresh budget.")
    ] = False,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Apply changes as they come, and run commands that would need your yes."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Change the project: the model reads, edits and runs commands; you approve.

    Edits are staged first. At the end you see them as a diff and say which are applied; without a terminal they wait
    for `mulligan changes`. Commands run in the project's folder, under a policy: some need your yes, some never run.
    Exit codes: 0 done, 2 usage or configuration, 3 stopped by a guard, 4 an edit was refused and not made good, 5 the
    model failed, 6 changes or a question wait for you, 130 aborted.
    """
    import asyncio

    from mulligan.configuration import load_configuration

    text = sys.stdin.read() if goal == "-" else goal
    if go_on and (text or not chat):
        raise ConfigurationError("--continue goes with --chat ID and takes no goal")
    if not go_on and not text.strip():
        raise ConfigurationError('there is no goal: mulligan code "rename load_config to read_config"')
    flags = {"model": model, "base_url": base_url, "protocol": protocol, "agency": agency}
    configuration = load_configuration(project, flags)
    raise typer.Exit(asyncio.run(_write(configuration, text, agent_name=agent, chat_id=chat, yes=yes, as_json=json)))


async def _write(
    configuration: "Configuration", goal: str, *, agent_name: str | None, chat_id: str | None, yes: bool, as_json: bool
) -> int:
    """Run the turn, let the person look at what it changed, and return the exit code."""
    from mulligan.cli.approval import consent_of
    from mulligan.cli.review import review
    from mulligan.cli.running import show_turn
    from mulligan.cli.sentences import FROM_CODE
    from mulligan.cli.viewers import pulling_beside, viewer_for
    from mulligan.wiring import open_house

    viewer = viewer_for(as_json=as_json, next_steps=FROM_CODE)
    person = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    async with open_house(configuration, tell=viewer.tell, pulling=pulling_beside) as house:
        chat = await house.store.find_chat(chat_id) if chat_id else None
        agent = house.agent(agent_name or (chat.agent if chat else AGENT))
        await house.ready(agent)
        chat = chat or await house.new_chat(goal, agent)
        consent = consent_of(viewer, yes=yes, person=person)
        work = house.answer(chat, goal, agent, viewer, consent) if goal else house.go_on(chat, agent, viewer, consent)
        exit_code = await show_turn(work, viewer)
        if viewer.ended and viewer.ended.pending and not as_json:
            return await review(house, chat, viewer, exit_code, person=person)
        return exit_code
