"""Which of the three backends an agent uses."""

from pathlib import Path

from mulligan.backends.base import BackendSetup
from mulligan.ports.backends import AgentBackend
from mulligan.ports.callbacks import Log
from mulligan.types.agents import ExternalAgent


def make_backend(agent: ExternalAgent, model: str | None, *, log: Log, stderr_folder: Path) -> AgentBackend:
    """Starts nothing yet. Imports only what the agent's own backend needs."""
    setup = BackendSetup(agent, model, log, stderr_folder)
    match agent.kind:
        case "acp":
            from mulligan.backends.acp import AcpBackend

            return AcpBackend(setup)
        case "opencode_server":
            from mulligan.backends.opencode import OpencodeBackend

            return OpencodeBackend(setup)
        case "one_shot":
            from mulligan.backends.one_shot import OneShotBackend

            return OneShotBackend(setup)
