"""The server process: its state, the background tasks, and uvicorn around both."""

import asyncio
import socket
from collections.abc import Callable, Sequence

from mulligan.app.configuration import Configuration
from mulligan.runtime.long_life import keep_memory_flat, use_one_pool
from mulligan.runtime.serving.listening import answering, ended_by_signals, logged
from mulligan.server.access.middleware import Guard, with_access_checks
from mulligan.server.app import make_app
from mulligan.server.background import background_tasks
from mulligan.server.state import open_server_state


async def serve(
    configurations: Sequence[Configuration],
    listening: socket.socket,
    guard: Guard,
    ready: Callable[[], None],
    *,
    fleet: str | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Then turns are aborted and closed, and nothing that was started keeps running."""
    use_one_pool()
    with ended_by_signals() as ended:
        async with open_server_state(configurations, fleet=fleet) as state, background_tasks(state):
            app = with_access_checks(make_app(state, guard.gate), guard)
            with logged(state.work.log):
                async with answering(app, listening) as answered:
                    ready()
                    keep_memory_flat()
                    await asyncio.wait([answered, ended], return_when=asyncio.FIRST_COMPLETED)
                    # Requests that wait for an index would keep the server from ending.
                    for project in state.projects.values():
                        project.session.project_tools(project.path).close()
                    closing = asyncio.create_task(state.work.close())
                await closing
