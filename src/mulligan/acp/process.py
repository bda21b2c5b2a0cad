"""`mulligan acp` as a process: serves the client on standard input and output until it disconnects."""

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mulligan.acp.stdio import StdioTransport, claim_stdio
from mulligan.runtime.memory_tuning import tune_gc_for_server
from mulligan.types.turns import STOPS

if TYPE_CHECKING:
    from mulligan.acp.session_options import Mode


ANSWER_SECONDS = 5.0
"""Seconds for requests just before the end: they may be read although nothing more is sent."""


async def serve(flags: Mapping[str, Any], mode: "Mode") -> int:
    """Serve until the input ends, or until a signal; then running work is aborted and stored. Returns the exit code."""
    loop = asyncio.get_running_loop()
    transport = StdioTransport(*claim_stdio())
    stopped = asyncio.Event()

    def stop() -> None:
        stopped.set()
        transport.end()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    # Takes a second, in which nobody answers the client; its input is buffered, and nothing is lost.
    from acp import AgentSideConnection

    from mulligan.acp.agent import EditorAgent

    agent = EditorAgent(flags, mode)
    connection = AgentSideConnection(agent.as_agent(), transport, listening=False, use_unstable_protocol=True)
    tune_gc_for_server()
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
        await agent.close()  # what the last request had still opened
    return STOPS["aborted"].exit_code if stopped.is_set() else 0
