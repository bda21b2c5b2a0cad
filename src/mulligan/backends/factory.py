"""Which of the three paths leads to an agent."""

from pathlib import Path

from mulligan.ports.backends import AgentBackend
from mulligan.ports.outlets import Log
from mulligan.types.agents import ExternalAgent


def make_backend(agent: ExternalAgent, model: str | None, *, log: Log, stderr_folder: Path) -> AgentBackend:
    """Nothing is started yet. Only what the agent's own path needs is loaded."""
    match agent.kind:
        case "acp":
            from mulligan.backends.acp import AcpBackend

            return AcpBackend(agent, model=model, log=log, stderr_folder=stderr_folder)
        case "opencode_server":
            from mulligan.backends.opencode import OpencodeBackend

            return OpencodeBackend(agent, model=model, log=log, stderr_folder=stderr_folder)
        case "one_shot":
            from mulligan.backends.one_shot import OneShotBackend

            return OneShotBackend(agent, model=model, log=log, stderr_folder=stderr_folder)
