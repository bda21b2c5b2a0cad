"""Turns and runs that this server carries out: started by a request, they run until they end, even if nobody
watches."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mulligan.ports.callbacks import Log
from mulligan.server.approvals import ApprovalQueue
from mulligan.server.frames.envelopes import ChatChanged, Notice, ServerFrame, WorkFailed
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.types.commands import Approval, PolicyVerdict
from mulligan.types.errors import ChatBusy, MulliganError
from mulligan.types.frames import Frame, TurnEnd
from mulligan.types.run_frames import RunFrame

_AT: ContextVar[FrameScope | None] = ContextVar("at", default=None)


def current_scope() -> FrameScope | None:
    """The current piece of work in this context; None outside of any."""
    return _AT.get()


@dataclass(frozen=True, slots=True)
class WorkOutput:
    """Where one piece of work is shown, and who answers its questions."""

    scope: FrameScope
    hub: FrameHub
    approvals: ApprovalQueue
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """A turn's last frame is out: for viewers it has ended, though it may still be cleaning up."""
    ends: list[TurnEnd] = field(default_factory=list[TurnEnd])
    """How it ended; none if it broke."""

    def emit(self, frame: Frame | RunFrame | ServerFrame) -> None:
        if isinstance(frame, TurnEnd) and self.scope.run_id is None:
            self.over.set()
            self.ends.append(frame)
        self.hub.publish(frame, self.scope)

    def tell(self, words: str) -> None:
        self.emit(Notice(text=words))

    async def approve(self, what: str, verdict: PolicyVerdict) -> Approval:
        return await self.approvals.ask(self.scope, what, verdict)


Work = Callable[[WorkOutput], Coroutine[Any, Any, object]]
Begin = Callable[[Work], None]
AfterTurn = Callable[[FrameScope, TurnEnd | None], None]


def _nothing_follows(_place: FrameScope, _end: TurnEnd | None) -> None:
    """Until something sets it."""


@dataclass(frozen=True, slots=True)
class _UnderWay:
    task: asyncio.Task[None]
    output: WorkOutput


@dataclass(slots=True)
class LiveWork:
    """Running work, by the id of its chat or run. One piece of work at a time for each."""

    hub: FrameHub
    approvals: ApprovalQueue
    log: Log
    _under_way: dict[str, _UnderWay] = field(default_factory=dict[str, _UnderWay])
    after_turn: AfterTurn = _nothing_follows
    """Called when a chat's turn is completely done."""
    _reserved: set[str] = field(default_factory=set[str])

    def busy(self, key: str) -> bool:
        """Something is running here, or about to start."""
        return key in self._under_way or key in self._reserved

    def shows(self, key: str) -> bool:
        """Something is running here, and frames of it are still to come."""
        return key in self._reserved or (key in self._under_way and not self._under_way[key].output.over.is_set())

    def begin(self, scope: FrameScope, work: Work) -> None:
        """Start it. Raises `ChatBusy` if something is running for this chat or run."""
        self._refuse_busy(scope)
        self._start(scope, work)

    @asynccontextmanager
    async def reserved(self, scope: FrameScope) -> AsyncGenerator[Begin, None]:
        """Reserve the chat or run for a caller that has to check things first. Raises `ChatBusy` if something is
        running; waits for a turn whose end was already published."""
        while scope.key in self._under_way and not self.shows(scope.key):
            await asyncio.wait([self._under_way[scope.key].task])
        self._refuse_busy(scope)
        self._reserved.add(scope.key)
        try:
            yield partial(self._start, scope)
        finally:
            self._reserved.discard(scope.key)

    async def abort(self, key: str) -> bool:
        """Stop it, and wait until it is closed. False if nothing was running."""
        if key not in self._under_way:
            return False
        task = self._under_way[key].task
        if not task.cancelling():  # a second cancel would disturb it while it closes
            task.cancel()
        await asyncio.wait([task])
        return True

    async def close(self) -> None:
        """Stop everything. Turns are closed as aborted."""
        await asyncio.gather(*(self.abort(key) for key in tuple(self._under_way)))

    def _refuse_busy(self, scope: FrameScope) -> None:
        if self.busy(scope.key):
            raise ChatBusy("a turn is running here: stop it, or wait until it has ended")

    def _start(self, scope: FrameScope, work: Work) -> None:
        self.hub.open_live(scope.key)
        output = WorkOutput(scope, self.hub, self.approvals)
        task = asyncio.create_task(self._carry_out(output, work))
        self._under_way[scope.key] = _UnderWay(task, output)
        # Not in the task itself: one that is cancelled before it first runs never runs at all.
        task.add_done_callback(lambda _task: self._ended(output))

    async def _carry_out(self, output: WorkOutput, work: Work) -> None:
        scope = output.scope
        _AT.set(scope)
        try:
            await work(output)
        except asyncio.CancelledError:
            pass  # the turn closed itself as aborted
        except MulliganError as error:
            output.emit(WorkFailed(error=str(error)))
        except Exception as error:  # noqa: BLE001 - our own fault: the page must be told, and other work continues
            self.log("work_failed", chat=scope.chat_id, run=scope.run_id, error=repr(error))
            output.emit(WorkFailed(error="Mulligan itself failed; its log says how."))

    def _ended(self, output: WorkOutput) -> None:
        scope = output.scope
        del self._under_way[scope.key]
        self.hub.close_live(scope.key)
        self.hub.publish(ChatChanged(), scope)
        if scope.chat_id is not None and scope.run_id is None:
            self.after_turn(scope, output.ends[-1] if output.ends else None)
