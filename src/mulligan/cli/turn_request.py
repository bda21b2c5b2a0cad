"""What a person typed for a turn, and who goes on with a chat."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.session import Session
    from mulligan.types.agents import AgentSpec, ExternalAgent
    from mulligan.types.messages import Chat
    from mulligan.types.profiles import Agency, ToolProtocol


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A turn to run."""

    configuration: "Configuration"
    prompt: str
    """Empty where a chat's stopped turn goes on."""
    agent: str | None
    chat_id: str | None


def read_turn_request(
    typed: str,
    *,
    what: str,
    example: str,
    project: Path | None,
    model: str | None,
    base_url: str | None,
    agent: str | None,
    protocol: "ToolProtocol | None",
    agency: "Agency | None",
    chat: str | None,
    go_on: bool,
    network: bool | None = None,
) -> TurnRequest:
    """`what` is what the command takes: a question, a goal. Raises `ConfigurationError`."""
    from mulligan.app.configuration import load_configuration

    prompt = sys.stdin.read() if typed == "-" else typed
    if go_on and (prompt or not chat):
        raise ConfigurationError(f"--continue goes with --chat ID and takes no {what}")
    if not go_on and not prompt.strip():
        raise ConfigurationError(f"there is no {what}: {example}")
    flags = {"model": model, "base_url": base_url, "protocol": protocol, "agency": agency, "network": network}
    return TurnRequest(load_configuration(project, flags), prompt, agent, chat)


def native_agent(
    session: "Session", configuration: "Configuration", name: str | None, chat: "Chat | None"
) -> "AgentSpec":
    """The agent named, else the chat's, else the configured one. Raises `ConfigurationError`."""
    if name or chat is None or chat.agent in session.agents:
        return session.agent(name or (chat.agent if chat else None))
    from mulligan.app.agents.external import load_external_agents

    if chat.agent in load_external_agents(configuration.external, configuration.user_file):
        raise ConfigurationError(
            f"chat {chat.id} is with {chat.agent}, an external agent: go on with "
            f'`mulligan delegate --chat {chat.id} "…"`, or name one of these with --agent: {", ".join(session.agents)}'
        )
    raise ConfigurationError(
        f"chat {chat.id} was with {chat.agent}, and no agent has this name any more: "
        f"go on with another, by --agent: {', '.join(session.agents)}"
    )


async def external_agent_name(
    session: "Session",
    configuration: "Configuration",
    agents: "Mapping[str, ExternalAgent]",
    name: str | None,
    chat: str,
) -> str:
    """The agent named, else that of the chat whose id begins so. Raises `ConfigurationError`."""
    if name:
        return name
    known = await session.store.find_chat(chat)
    if known.agent in agents:
        return known.agent
    if known.agent in session.agents:
        raise ConfigurationError(
            f"chat {known.id} is with {known.agent}, an agent of Mulligan's own: go on with "
            f"`mulligan chat --chat {known.id}`, or name an external agent with --agent"
        )
    raise ConfigurationError(
        f"chat {known.id} was with {known.agent}, and no external agent has this name any more: put its table "
        f"[external.{known.agent}] back into {configuration.user_file}, or go on with another, by --agent: "
        f"{', '.join(agents)}"
    )
