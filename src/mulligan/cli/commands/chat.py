"""`mulligan chat`: a conversation at the terminal."""

from typing import TYPE_CHECKING

from mulligan.cli.turn_command import TurnOptions, at_terminal, takes
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration


@takes("project", "model", "base_url", "agent", "protocol", "agency", "thinking", "network", "chat")
def chat(*, options: TurnOptions) -> None:
    """Talk about the project in a conversation.

    Enter sends, Alt-Enter or Ctrl-J starts a new line, Ctrl-C stops the answer and keeps the chat. `/help` lists the
    commands. `mulligan chats` lists earlier chats; --chat ID continues one.
    """
    import asyncio

    if not at_terminal():
        raise ConfigurationError('chat needs a terminal; in a script, use: mulligan ask "…" (--chat ID continues)')
    asyncio.run(_talk(options, options.configuration()))


async def _talk(options: TurnOptions, configuration: "Configuration") -> None:
    from mulligan.app.open_session import open_session
    from mulligan.app.ready_models import Downloads
    from mulligan.cli.chat_agents import native_agent
    from mulligan.cli.interactive.conversation import Conversation
    from mulligan.cli.interactive.download_consent import download_consent
    from mulligan.cli.views.download_progress import showing_progress
    from mulligan.cli.views.screen import Screen

    screen = Screen()
    downloads = Downloads(showing_progress, download_consent(screen.tell, yes=False, interactive=True))
    async with open_session(configuration, tell=screen.tell, downloads=downloads) as session:
        known = await session.store.chats.find(options.chat) if options.chat else None
        agent = native_agent(session, configuration, options.agent, known)
        if known and known.agent != agent.name:
            await session.store.chats.set_agent(known.id, agent.name)
        # Before the user types anything: say what is missing, and ask whether to download a model.
        await session.check(agent, downloads=configuration.settings.downloads != "no")
        await Conversation(session, agent, known, screen).run()
