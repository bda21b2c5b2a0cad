"""`mulligan acp` as a process: it serves the client at its standard input and output until that leaves."""

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mulligan.acp.stdio import StdioTransport, claim_stdio
from mulligan.types.turns import STOPS

if TYPE_CHECKING:
    from mulligan.acp.session_options import Mode


ANSWER_SECONDS = 5.0
"""For what was asked just before the end: it may be read although nothing more is sent."""


async def serve(flags: Mapping[str, Any], mode: "Mode") -> int:
    """Serve until the input ends, or until a signal; what is under way then is aborted and stored. The exit code."""
    loop = asyncio.get_running_loop()
    transport = StdioTransport(*claim_stdio())
    stopped = asyncio.Event()

    def stop() -> None:
        stopped.set()
        transport.end()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    # A second, while the client is greeted by nobody: it is read meanwhile, and nothing is lost.
    from acp import AgentSideConnection

    from mulligan.acp.agent import EditorAgent

    agent = EditorAgent(flags, mode)
    connection = AgentSideConnection(agent.as_agent(), transport, listening=False, use_unstable_protocol=True)
    try:
        await connection.listen()
        agent.cancel_all()
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                await transport.answered()
    finally:
        await agent.close()
        with suppress(ConnectionError):
            await connection.close()
        await agent.close()  # what a request that came last had still opened
    return STOPS["aborted"].exit_code if stopped.is_set() else 0
