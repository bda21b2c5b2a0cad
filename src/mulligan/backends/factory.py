"""Which of the three paths leads to an agent."""

from pathlib import Path

from mulligan.backends.base import BackendSetup
from mulligan.ports.backends import AgentBackend
from mulligan.ports.outlets import Log
from mulligan.types.agents import ExternalAgent


def make_backend(agent: ExternalAgent, model: str | None, *, log: Log, stderr_folder: Path) -> AgentBackend:
    """Nothing is started yet. Only what the agent's own path needs is loaded."""
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
