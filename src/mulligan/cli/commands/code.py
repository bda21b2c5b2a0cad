"""`mulligan code`: a goal, and the changes that reach it."""

import sys
from typing import Annotated

import typer

from mulligan.cli.options import (
    AgencyOption,
    AgentOption,
    BaseUrlOption,
    ChatOption,
    JsonOption,
    ModelOption,
    NetworkOption,
    ProjectOption,
    ProtocolOption,
)
from mulligan.cli.turn_request import TurnRequest, read_turn_request

AGENT = "coder"


def code(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What to change; `-` reads it from standard input.")] = "",
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
    network: NetworkOption = None,
    json: JsonOption = False,
) -> None:
    """Let the model change the project, and approve what it did.

    The model reads, edits and runs commands. Edits are staged first. At the end you see them as a diff and say which
    are applied; without a terminal they wait for `mulligan changes`. Commands run in a sandbox: what leaves it needs
    your yes, some never run.
    """
    import asyncio

    wanted = read_turn_request(
        goal,
        what="goal",
        example='mulligan code "rename load_config to read_config"',
        project=project,
        model=model,
        base_url=base_url,
        agent=agent,
        protocol=protocol,
        agency=agency,
        chat=chat,
        go_on=go_on,
        network=network,
    )
    raise typer.Exit(asyncio.run(_write(wanted, yes=yes, as_json=json)))


async def _write(wanted: TurnRequest, *, yes: bool, as_json: bool) -> int:
    """Run the turn, let the person look at what it changed, and return the exit code."""
    from mulligan.app.session import open_session
    from mulligan.cli.interactive.approval import consent_of
    from mulligan.cli.interactive.review import review
    from mulligan.cli.running import show_turn
    from mulligan.cli.text.sentences import FROM_CODE
    from mulligan.cli.turn_request import native_agent
    from mulligan.cli.views.turn_views import show_side_download, viewer_for

    viewer = viewer_for(as_json=as_json, next_steps=FROM_CODE)
    person = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    consent = consent_of(viewer, wanted.configuration.settings, yes=yes, person=person)
    async with open_session(wanted.configuration, tell=viewer.tell, pulling=show_side_download) as session:
        chat = await session.store.find_chat(wanted.chat_id) if wanted.chat_id else None
        agent = native_agent(session, wanted.configuration, wanted.agent or (None if chat else AGENT), chat)
        await session.ready(agent)
        chat = chat or await session.new_chat(wanted.prompt, agent)
        if wanted.prompt:
            work = session.answer(chat, wanted.prompt, agent, viewer, consent)
        else:
            work = session.continue_turn(chat, agent, viewer, consent)
        exit_code = await show_turn(work, viewer)
        if viewer.ended and viewer.ended.pending and not as_json:
            return await review(session, chat, viewer, exit_code, person=person)
        return exit_code
