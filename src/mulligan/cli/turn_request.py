"""What a person typed for a turn, read and checked before anything is opened."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
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
