"""Queued messages: sent when the turn has ended well.

After a stop by a guard, an error, an abort or a question of the model they stay, since the user may no longer want to
send them; the user sends or removes them. The same goes for a restart of the server.
"""

import asyncio
from dataclasses import dataclass, field

from mulligan.server.frames.envelopes import Notice, QueueChanged
from mulligan.server.frames.hub import FrameScope
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.turns import begin_turn, images_of
from mulligan.server.views.bodies import Accepted
from mulligan.server.views.chat_bodies import GivenImage, NewMessage
from mulligan.types.errors import ChatBusy, MulliganError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat, QueuedMessage

GOES_ON = frozenset({"answered", "synthesized"})
"""The ends of a turn after which the next message is sent without asking."""


async def enqueue(state: ServerState, project: ServedProject, chat: Chat, message: NewMessage) -> QueuedMessage:
    """Append to the queue. If no turn is running any more, send it right away."""
    store = project.session.store
    images = await images_of(project, message.images)
    queued = await store.queued.add(chat.id, message.text, agent=message.agent, model=message.model, images=images)
    await publish_queue(state, project, chat.id)
    if not state.work.busy(chat.id) and len(await store.queued.list(chat.id)) == 1:
        # The turn has ended while the message was on its way.
        try:
            await send_next(state, project, chat)
        except ChatBusy:
            return queued
    return queued


async def send_next(state: ServerState, project: ServedProject, chat: Chat) -> Accepted:
    """Send the first queued message. If that fails, it stays queued. Raises what `begin_turn` does."""
    store = project.session.store
    waiting = await store.queued.list(chat.id)
    if not waiting:
        raise NotFound("no message is queued here any more")
    first = waiting[0]
    images = tuple(GivenImage(digest=each.image.digest, name=each.name) for each in first.images if each.image)
    message = NewMessage(text=first.text, agent=first.agent, model=first.model, images=images)
    accepted = await begin_turn(state, project, chat, message)
    # Only now: if the server is killed in between, it sends the message twice rather than never.
    await store.queued.take(first.id)
    await publish_queue(state, project, chat.id)
    return accepted


async def publish_queue(state: ServerState, project: ServedProject, chat_id: str) -> None:
    queued = tuple(await project.session.store.queued.list(chat_id))
    state.hub.publish(QueueChanged(queued=queued), state.scope(project, chat_id=chat_id))


@dataclass(slots=True)
class QueueSender:
    """Sends queued messages whenever a turn has ended well."""

    state: ServerState
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set["asyncio.Task[None]"])

    def after_turn(self, scope: FrameScope, end: TurnEnd | None) -> None:
        if end is None or end.stop_reason not in GOES_ON or end.only_announced or scope.chat_id is None:
            return
        task = asyncio.create_task(self._send(scope, scope.chat_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _send(self, scope: FrameScope, chat_id: str) -> None:
        try:
            project, chat = await self.state.chat(chat_id)
            await send_next(self.state, project, chat)
        except (NotFound, ChatBusy):
            return  # nothing is queued, or the user was faster
        except MulliganError as error:
            self.state.hub.publish(Notice(text=f"A queued message was not sent: {error}"), scope)
