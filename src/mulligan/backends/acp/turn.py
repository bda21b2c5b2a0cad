"""One prompt: its queued events, its open questions, and how long it may take. Imports the SDK."""

import asyncio
from collections.abc import Collection

from acp.schema import ToolCallUpdate

from mulligan.backends.acp.permissions import as_request
from mulligan.backends.acp.updates import UpdateReader
from mulligan.backends.time_limits import AgentTimeouts, TurnDeadline
from mulligan.ports.backends import Permit
from mulligan.ports.callbacks import Log
from mulligan.runtime.process_trees import MarkedProcess
from mulligan.types.agents import AgentDone, AgentEvent, PermissionRequest
from mulligan.types.tool_calls import JsonObject

ROOM = 1000
"""Most queued events. Then the agent has to wait too: we stop reading its output."""


class Turn:
    """From the prompt to `AgentDone`, or until it is aborted."""

    def __init__(
        self, agent: str, session: str, permit: Permit, *, limits: AgentTimeouts, log: Log, stale: Collection[str]
    ) -> None:
        self.session = session
        self.reader = UpdateReader(session, stale)
        self.over = False
        """Nothing that arrives from now on belongs to it."""
        self.asking: asyncio.Task[None] | None = None
        """The agent's response to the prompt."""
        self.before: frozenset[MarkedProcess] = frozenset()
        """Processes at its start: the agent and its helpers."""
        self._agent = agent
        self._permit = permit
        self._log = log
        self._events: asyncio.Queue[AgentEvent] = asyncio.Queue(ROOM)
        self._taken = False
        self._clock = asyncio.get_running_loop()
        self._withdrawn: asyncio.Future[None] = self._clock.create_future()
        self._deadline = TurnDeadline(limits, self._clock.time())
        self._questions = 0

    @property
    def has_open_question(self) -> bool:
        return self._questions > 0

    async def update(self, params: JsonObject) -> None:
        """Handle an update from the agent."""
        self._deadline.sign(self._clock.time())
        for event in self.reader.read(params):
            await self._put(event)

    async def next_event(self) -> AgentEvent:
        """Wait for the next event. `AgentDone` is the last; it comes from here if the agent takes too long."""
        if self._taken:
            self._events.task_done()
            self._taken = False
        while True:
            try:
                async with asyncio.timeout_at(self._deadline.next_look(self._clock.time())):
                    event = await self._events.get()
            except TimeoutError:
                if why := self._deadline.overdue(self._clock.time()):
                    return AgentDone("failed", f"{self._agent} {why}.")
            else:
                self._taken = True
                return event

    async def finish(self, done: AgentDone) -> None:
        """The agent has answered."""
        for event in self.reader.close("completed" if done.how == "finished" else "failed"):
            await self._put(event)
        await self._put(done)

    async def ask(self, call: ToolCallUpdate) -> bool | None:
        """Whether the agent may make this call. None if the turn ended before anybody answered."""
        if self.over:
            return None
        request = as_request(self.reader.see(call))
        for event in self.reader.announce():
            await self._put(event)
        answer = asyncio.create_task(self._answer(request))
        self._questions += 1
        self._deadline.question(self._clock.time())
        try:
            await asyncio.wait([answer, self._withdrawn], return_when=asyncio.FIRST_COMPLETED)
            return answer.result() if answer.done() and not answer.cancelled() else None
        finally:
            answer.cancel()
            self._questions -= 1
            self._deadline.answer(self._clock.time())

    def abandon(self) -> None:
        """Release everything that waits: events, and a reader that waits for space. Open questions stay until
        `withdraw`."""
        self.over = True
        while not self._events.empty():
            self._events.get_nowait()

    def withdraw(self) -> None:
        """End the open questions without an answer."""
        if not self._withdrawn.done():
            self._withdrawn.set_result(None)

    async def _put(self, event: AgentEvent) -> None:
        if not self.over:
            await self._events.put(event)

    async def _answer(self, request: PermissionRequest) -> bool:
        # Show what led to the question first.
        await self._events.join()
        try:
            return await self._permit(request)
        except Exception as error:  # noqa: BLE001  whatever it was, the agent waits for an answer
            self._log("agent_permission_failed", agent=self._agent, title=request.title, error=error)
            return False
