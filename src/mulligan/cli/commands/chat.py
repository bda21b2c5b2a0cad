"""`mulligan chat`: a conversation at the terminal."""

import sys
from typing import TYPE_CHECKING

from mulligan.cli.options import (
    AgencyOption,
    AgentOption,
    BaseUrlOption,
    ChatOption,
    ModelOption,
    NetworkOption,
    ProjectOption,
    ProtocolOption,
)
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration


def chat(
    *,
    project: ProjectOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    agent: AgentOption = None,
    protocol: ProtocolOption = None,
    agency: AgencyOption = None,
    network: NetworkOption = None,
    chat: ChatOption = None,
) -> None:
    """Talk about the project, message by message.

    Enter sends, Alt-Enter or Ctrl-J begins a new line, Ctrl-C stops the answer and keeps the chat. `/help` lists what
    else can be typed. `mulligan chats` lists earlier chats; --chat ID goes on with one.
    """
    import asyncio

    from mulligan.app.configuration import load_configuration

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigurationError('chat needs a terminal; in a script, use: mulligan ask "…" (with --chat ID to go on)')
    flags = {"model": model, "base_url": base_url, "protocol": protocol, "agency": agency, "network": network}
    configuration = load_configuration(project, flags)
    asyncio.run(_talk(configuration, agent_name=agent, chat_id=chat))


async def _talk(configuration: "Configuration", *, agent_name: str | None, chat_id: str | None) -> None:
    from mulligan.app.session import open_session
    from mulligan.cli.interactive.conversation import Conversation
    from mulligan.cli.turn_request import native_agent
    from mulligan.cli.views.download_progress import showing_progress
    from mulligan.cli.views.screen import Screen

    screen = Screen()
    async with open_session(configuration, tell=screen.tell, pulling=showing_progress) as session:
        known = await session.store.find_chat(chat_id) if chat_id else None
        agent = native_agent(session, configuration, agent_name, known)
        if known and known.agent != agent.name:
            await session.store.set_agent(known.id, agent.name)
        await Conversation(session, agent, known, screen).run()
