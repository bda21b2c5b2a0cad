"""Which agent continues a chat."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.session import Session
    from mulligan.types.agents import AgentSpec, ExternalAgent
    from mulligan.types.messages import Chat


def native_agent(
    session: "Session", configuration: "Configuration", name: str | None, chat: "Chat | None"
) -> "AgentSpec":
    """The named agent, else the chat's, else the configured one. Raises `ConfigurationError`."""
    if name or chat is None or chat.agent in session.agents:
        return session.agent(name or (chat.agent if chat else None))
    from mulligan.app.agents.external import load_external_agents

    if chat.agent in load_external_agents(configuration.external, configuration.user_file):
        raise ConfigurationError(
            f"chat {chat.id} is with {chat.agent}, an external agent: continue with "
            f'`mulligan delegate --chat {chat.id} "…"`, or name one of these with --agent: {", ".join(session.agents)}'
        )
    raise ConfigurationError(
        f"chat {chat.id} was with {chat.agent}, which no longer exists: "
        f"continue with another, using --agent: {', '.join(session.agents)}"
    )


async def external_agent_name(
    session: "Session",
    configuration: "Configuration",
    agents: "Mapping[str, ExternalAgent]",
    name: str | None,
    chat: str,
) -> str:
    """The named agent, else that of the chat whose id starts like this. Raises `ConfigurationError`."""
    if name:
        return name
    known = await session.store.chats.find(chat)
    if known.agent in agents:
        return known.agent
    if known.agent in session.agents:
        raise ConfigurationError(
            f"chat {known.id} is with {known.agent}, one of Mulligan's own agents: continue with "
            f"`mulligan chat --chat {known.id}`, or name an external agent with --agent"
        )
    raise ConfigurationError(
        f"chat {known.id} was with {known.agent}, which is no longer defined: put its table "
        f"[external.{known.agent}] back into {configuration.user_file}, or continue with another, using --agent: "
        f"{', '.join(agents)}"
    )
