"""Turns and runs that this server carries out: begun by a request, they go on whoever watches, until they end."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from mulligan.ports.outlets import Log
from mulligan.server.asks import OpenAsks
from mulligan.server.envelopes import ChatChanged, ServerFrame, WorkFailed
from mulligan.server.hub import FrameHub, Place
from mulligan.types.commands import Verdict
from mulligan.types.errors import ChatBusy, MulliganError
from mulligan.types.frames import Frame
from mulligan.types.run_frames import RunFrame


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where one piece of work is shown, and who is asked about it."""

    place: Place
    hub: FrameHub
    asks: OpenAsks

    def emit(self, frame: Frame | RunFrame | ServerFrame) -> None:
        self.hub.publish(frame, self.place)

    async def approve(self, what: str, verdict: Verdict) -> bool:
        return await self.asks.put(self.place, what, verdict)


Work = Callable[[Outlet], Coroutine[Any, Any, object]]


@dataclass(slots=True)
class LiveWork:
    """What is under way, by the id of its chat or run. One piece of work at a time for each."""

    hub: FrameHub
    asks: OpenAsks
    log: Log
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])

    def busy(self, key: str) -> bool:
        return key in self._tasks

    def begin(self, place: Place, work: Work) -> None:
        """Start it. Raises `ChatBusy` if something is under way for this chat or run."""
        key = place.key
        if key in self._tasks:
            raise ChatBusy("a turn is under way here: stop it, or wait until it has ended")
        self.hub.open_live(key)
        self._tasks[key] = asyncio.create_task(self._carry_out(key, place, work))

    async def abort(self, key: str) -> bool:
        """Stop it, and wait until it is closed. False if nothing was under way."""
        task = self._tasks.get(key)
        if task is None:
            return False
        task.cancel()
        await asyncio.wait([task])
        return True

    async def close(self) -> None:
        """Stop everything. Turns are closed as aborted."""
        await asyncio.gather(*(self.abort(key) for key in tuple(self._tasks)))

    async def _carry_out(self, key: str, place: Place, work: Work) -> None:
        outlet = Outlet(place, self.hub, self.asks)
        try:
            await work(outlet)
        except asyncio.CancelledError:
            pass  # the turn closed itself as aborted
        except MulliganError as error:
            outlet.emit(WorkFailed(error=str(error)))
        except Exception as error:  # noqa: BLE001 - our own fault: the page must hear of it, and the other work goes on
            self.log("work_failed", chat=place.chat_id, run=place.run_id, error=repr(error))
            outlet.emit(WorkFailed(error="Mulligan itself failed; its log says how."))
        finally:
            del self._tasks[key]
            self.hub.close_live(key)
            outlet.emit(ChatChanged())
