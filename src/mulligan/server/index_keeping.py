"""Keeps the code indexes of the served projects up to date, and reports their progress."""

import asyncio
from collections.abc import Callable

from mulligan.server.frames.envelopes import IndexRead
from mulligan.server.frames.hub import FrameScope
from mulligan.server.state import ServedProject, ServerState
from mulligan.types.codecontext import IndexProgress
from mulligan.types.errors import MulliganError


class IndexKeeper:
    """Indexes nothing that nobody asked for: a server may serve projects that nobody opens."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._loop = asyncio.get_running_loop()
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        for project in state.projects.values():
            project.session.project_tools(project.path).on_index_progress = self._teller(project)

    def files_changed(self, project: ServedProject) -> None:
        """Index them before somebody asks. What changes meanwhile is read afterwards."""
        if project.id in self._under_way:
            self._again.add(project.id)
        elif project.session.project_tools(project.path).opened_index:
            self._under_way[project.id] = asyncio.create_task(self._refresh(project))

    async def close(self) -> None:
        tasks = [*self._under_way.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _refresh(self, project: ServedProject) -> None:
        try:
            while True:
                self._again.discard(project.id)
                await project.session.project_tools(project.path).index().refresh()
                if project.id not in self._again:
                    return
        except MulliganError as error:  # the next request reports it
            self._state.work.log("index_not_refreshed", project=project.path, error=error)
        finally:
            del self._under_way[project.id]

    def _teller(self, project: ServedProject) -> Callable[[IndexProgress], None]:
        def tell(now: IndexProgress) -> None:
            frame = IndexRead(read=now.read, of=now.of)
            self._loop.call_soon_threadsafe(self._state.hub.publish, frame, FrameScope(project.id))

        return tell
