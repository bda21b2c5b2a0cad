"""`mulligan ask`: one question, one answer."""

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


def ask(
    prompt: Annotated[str, typer.Argument(help="The question; `-` reads it from standard input.")] = "",
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

    The model reads the project with tools; nothing is changed. Exit codes: 0 answered, 2 usage or configuration, 3
    stopped by a guard, 5 the model failed, 6 the model asks you something, 130 aborted.
    """
    import asyncio

    from mulligan.configuration import load_configuration

    text = sys.stdin.read() if prompt == "-" else prompt
    if go_on and (text or not chat):
        raise ConfigurationError("--continue goes with --chat ID and takes no question")
    if not go_on and not text.strip():
        raise ConfigurationError('there is no question: mulligan ask "where is the turn loop?"')
    flags = {"model": model, "base_url": base_url, "protocol": protocol, "agency": agency}
    configuration = load_configuration(project, flags)
    raise typer.Exit(asyncio.run(_answer(configuration, text, agent_name=agent, chat_id=chat, as_json=json)))


async def _answer(
    configuration: "Configuration", prompt: str, *, agent_name: str | None, chat_id: str | None, as_json: bool
) -> int:
    """Run the turn and return the exit code. Without a prompt, the chat's stopped turn goes on."""
    from mulligan.cli.running import show_turn
    from mulligan.cli.viewers import pulling_beside, viewer_for
    from mulligan.wiring import open_house

    viewer = viewer_for(as_json=as_json)
    async with open_house(configuration, tell=viewer.tell, pulling=pulling_beside) as house:
        chat = await house.store.find_chat(chat_id) if chat_id else None
        agent = house.agent(agent_name or (chat.agent if chat else None))
        await house.ready(agent)
        chat = chat or await house.new_chat(prompt, agent)
        work = house.answer(chat, prompt, agent, viewer) if prompt else house.go_on(chat, agent, viewer)
        return await show_turn(work, viewer)
