"""The server process: its state, the background tasks, and uvicorn around both."""

import asyncio
import socket
from collections.abc import Callable, Sequence

from mulligan.app.configuration import Configuration
from mulligan.runtime.memory_tuning import limit_malloc_arenas, tune_gc_for_server
from mulligan.runtime.serving.listening import ended_by_signals, logged, serving
from mulligan.server.access.middleware import AccessPolicy, with_access_checks
from mulligan.server.app import make_app
from mulligan.server.background import background_tasks
from mulligan.server.state import open_server_state


async def serve(
    configurations: Sequence[Configuration],
    listening: socket.socket,
    guard: AccessPolicy,
    ready: Callable[[], None],
    *,
    fleet: str | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Then turns are aborted and closed, and nothing that was started keeps running."""
    limit_malloc_arenas()
    with ended_by_signals() as ended:
        async with open_server_state(configurations, fleet=fleet) as state, background_tasks(state):
            app = with_access_checks(make_app(state, guard.gate), guard)
            with logged(state.work.log):
                async with serving(app, listening) as answered:
                    ready()
                    tune_gc_for_server()
                    await asyncio.wait([answered, ended], return_when=asyncio.FIRST_COMPLETED)
                    # Requests that wait for an index would keep the server from ending.
                    for project in state.projects.values():
                        project.session.project_tools(project.path).close()
                    closing = asyncio.create_task(state.work.close())
                await closing
