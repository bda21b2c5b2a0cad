"""Opening and closing a session with a live agent. Imports the SDK."""

from pathlib import Path

from acp.schema import SessionModeState

from mulligan.backends.acp.link import AgentConnection
from mulligan.ports.outlets import Log
from mulligan.types.errors import BackendError


async def load_session(link: AgentConnection, folder: Path, session: str, mode: str | None, log: Log) -> None:
    """Go on in a session of earlier. Raises `BackendError` if the agent can't."""
    if not (link.hello.agent_capabilities and link.hello.agent_capabilities.load_session):
        raise BackendError(f"{link.name} can't load sessions.")
    request = link.connection.load_session(str(folder), session, [])
    response = await link.call(request, within=link.limits.session, to="load the session")
    await _set_mode(link, session, response.modes, mode, log)


async def new_session(link: AgentConnection, folder: Path, mode: str | None, log: Log) -> str:
    """Raises `BackendError`."""
    request = link.connection.new_session(str(folder), mcp_servers=[])
    response = await link.call(request, within=link.limits.session, to="open a session")
    await _set_mode(link, response.session_id, response.modes, mode, log)
    return response.session_id


async def close_session(link: AgentConnection, session: str) -> None:
    """Tell the agent, if it wants to know. Raises `BackendError`."""
    capabilities = link.hello.agent_capabilities
    if capabilities and capabilities.session_capabilities and capabilities.session_capabilities.close is not None:
        await link.call(link.connection.close_session(session), within=link.limits.cancel, to="close the session")


async def _set_mode(
    link: AgentConnection, session: str, modes: SessionModeState | None, wanted: str | None, log: Log
) -> None:
    """An agent that keeps a mode in which it asks nobody is not used: failing to set it is an error."""
    if wanted is None or (modes and modes.current_mode_id == wanted):
        return
    offered = [mode.id for mode in modes.available_modes] if modes else []
    if wanted not in offered:
        log("agent_mode_not_offered", agent=link.name, mode=wanted, offered=offered)
        return
    request = link.connection.set_session_mode(session_id=session, mode_id=wanted)
    await link.call(request, within=link.limits.session, to=f"set the mode {wanted}")
