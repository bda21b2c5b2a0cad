"""`mulligan ask`: one question, one answer."""

from typing import Annotated

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
from mulligan.cli.turn_request import TurnRequest, read_turn_request


def ask(
    prompt: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What to ask; `-` reads it from standard input.")
    ] = "",
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
    json: JsonOption = False,
) -> None:
    """Ask a question about the project and print the answer.

    The model reads the project with tools; nothing is changed. The answer goes to standard output, all else to
    standard error. The chat is kept: its id is told at the end, and --chat goes on with it.
    """
    import asyncio

    wanted = read_turn_request(
        prompt,
        what="question",
        example='mulligan ask "where is the turn loop?"',
        project=project,
        model=model,
        base_url=base_url,
        agent=agent,
        protocol=protocol,
        agency=agency,
        chat=chat,
        go_on=go_on,
    )
    raise typer.Exit(asyncio.run(_answer(wanted, as_json=json)))


async def _answer(wanted: TurnRequest, *, as_json: bool) -> int:
    """Run the turn and return the exit code. Without a prompt, the chat's stopped turn goes on."""
    from mulligan.app.session import open_session
    from mulligan.cli.running import show_turn
    from mulligan.cli.turn_request import native_agent
    from mulligan.cli.views.turn_views import show_side_download, viewer_for

    viewer = viewer_for(as_json=as_json)
    async with open_session(wanted.configuration, tell=viewer.tell, pulling=show_side_download) as session:
        chat = await session.store.find_chat(wanted.chat_id) if wanted.chat_id else None
        agent = native_agent(session, wanted.configuration, wanted.agent, chat)
        await session.ready(agent)
        chat = chat or await session.new_chat(wanted.prompt, agent)
        go_on = not wanted.prompt
        work = (
            session.continue_turn(chat, agent, viewer) if go_on else session.answer(chat, wanted.prompt, agent, viewer)
        )
        return await show_turn(work, viewer)
