"""One prompt to opencode's server."""

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from mulligan.backends.opencode.api import RequestRefused
from mulligan.backends.opencode.feed import open_feed
from mulligan.backends.opencode.permissions import as_request
from mulligan.backends.opencode.server import OpencodeServer
from mulligan.backends.opencode.turn_reader import ServerTurnReader, is_answer
from mulligan.backends.time_limits import AgentTimeouts, TurnDeadline
from mulligan.ports.backends import Permit
from mulligan.ports.callbacks import Log
from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.runtime.process_trees import MarkedProcess
from mulligan.types.agents import AgentEvent
from mulligan.types.errors import BackendError
from mulligan.types.tool_calls import JsonObject

EMPTY_FEEDS = 5
"""Consecutive connections without any event, after which we give up."""
BETWEEN_FEEDS = 0.2
NOTICE_SECONDS = 0.3
"""Seconds until the server's death is noticed, which its connections show earlier."""
POLL_SECONDS = 0.1


class ServerTurn:
    """A turn of one session: `events`, then, if that was left before the end, `stop`."""

    def __init__(
        self,
        server: OpencodeServer,
        session: str,
        folder: Path,
        permit: Permit,
        *,
        name: str,
        limits: AgentTimeouts,
        log: Log,
    ) -> None:
        self.server = server
        self.before: frozenset[MarkedProcess] = frozenset()
        """Processes at its start: the server and its helpers."""
        self._api = server.api
        self._session = session
        self._folder = folder
        self._permit = permit
        self._name = name
        self._limits = limits
        self._log = log
        self._clock = asyncio.get_running_loop()
        self._deadline = TurnDeadline(limits, self._clock.time())
        self._began = int(time.time() * 1000)
        self._reader = ServerTurnReader(session, self._began)
        self._asked = False
        self._empty_feeds = 0
        self._answered: set[str] = set()

    async def events(self, text: str, model: JsonObject | None) -> AsyncGenerator[AgentEvent, None]:
        """What the agent does, with `AgentDone` as the last event. Raises `BackendError` if the server is lost."""
        while not self._reader.over:
            async with open_feed(self._api, self._folder) as feed:
                if self._asked:
                    for event in await self._missed():
                        yield event
                    await self._answer_open()
                else:
                    await self._ask(text, model)
                self._empty_feeds += 1
                while not self._reader.over and (frame := await feed.next()) is not None:
                    for event in self._events_in(frame):
                        yield event
                    if asked := self._reader.asked(frame):
                        await self._answer(asked)
                    self._look_at_the_clock()
            if not self._reader.over:
                await self._before_another_feed()
        for event in self._reader.close():
            yield event

    async def broken_off(self, error: BackendError) -> list[AgentEvent]:
        """The last events of a turn that did not end by itself."""
        await self.server.child.exited(NOTICE_SECONDS)
        return self._reader.close(self.server.has_ended or str(error))

    @property
    def is_over(self) -> bool:
        return self._reader.over

    async def stop(self) -> bool:
        """Abort the turn. Returns whether nothing of it continues; if not, the server has to be ended.

        The server accepts an abort of a prompt that it has not started, and then starts it anyway. So we repeat the
        abort until the turn has started and all its messages are closed.
        """
        if not self._asked:
            return True
        try:
            async with asyncio.timeout(self._limits.cancel):
                while True:
                    await self._api.abort(self._folder, self._session)
                    await self._reject_open()
                    if await self._has_stopped():
                        return True
                    await asyncio.sleep(POLL_SECONDS)
        except (TimeoutError, BackendError):
            return False

    async def _ask(self, text: str, model: JsonObject | None) -> None:
        self._asked = True  # even if the response is lost
        try:
            await self._api.prompt(self._folder, self._session, text, model)
        except RequestRefused:
            self._asked = False
            raise

    def _events_in(self, frame: JsonObject) -> list[AgentEvent]:
        self._empty_feeds = 0
        if self._reader.is_of_turn(frame):
            self._deadline.sign(self._clock.time())
        return self._reader.read(frame)

    def _look_at_the_clock(self) -> None:
        # The heartbeat keeps these close together.
        if why := self._deadline.overdue(self._clock.time()):
            raise BackendError(f"{self._name} {why}.")

    async def _before_another_feed(self) -> None:
        self._look_at_the_clock()
        if ended := self.server.has_ended:
            raise BackendError(ended)
        if self._empty_feeds >= EMPTY_FEEDS:
            raise BackendError(f"{self._name}'s server no longer tells what it does.")
        self._log("agent_events_reopened", agent=self._name, session=self._session, empty=self._empty_feeds)
        await self.server.child.exited(BETWEEN_FEEDS * self._empty_feeds)

    async def _missed(self) -> list[AgentEvent]:
        """What happened between two connections, and whether that was the end."""
        is_busy = await self._api.is_busy(self._folder, self._session)
        events = self._reader.catch_up(await self._api.messages(self._folder, self._session))
        self._reader.over = self._reader.over or (self._reader.started and not is_busy)
        return events

    async def _answer_open(self) -> None:
        for asked in await self._api.permissions(self._folder):
            if self._reader.is_asked_by_us(asked):
                await self._answer(asked)

    async def _answer(self, asked: JsonObject) -> None:
        permission = as_text(asked.get("id"))
        if permission in self._answered:
            return
        self._answered.add(permission)
        request = as_request(asked)
        self._deadline.question(self._clock.time())
        try:
            allow = await self._permit(request)
        except Exception as error:  # noqa: BLE001  whatever it was, the agent waits for an answer
            self._log("agent_permission_failed", agent=self._name, title=request.title, error=error)
            allow = False
        finally:
            self._deadline.answer(self._clock.time())
        await self._api.reply(self._folder, permission, allow=allow)

    async def _reject_open(self) -> None:
        """Reject open permission requests, because an open one blocks the next."""
        for asked in await self._api.permissions(self._folder):
            if self._reader.is_asked_by_us(asked):
                await self._api.reply(self._folder, as_text(asked.get("id")), allow=False)

    async def _has_stopped(self) -> bool:
        if await self._api.is_busy(self._folder, self._session):
            return False
        infos = [as_object(message.get("info")) for message in await self._api.messages(self._folder, self._session)]
        answers = [info for info in infos if is_answer(info, self._began)]
        return bool(answers) and all("completed" in as_object(info.get("time")) for info in answers)
