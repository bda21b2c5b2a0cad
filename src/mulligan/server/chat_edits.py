"""Saying something again, or going on from an earlier place."""

from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.restores import restore
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.turns import answering, begin_turn
from mulligan.server.views.bodies import Accepted, NewMessage, Resend
from mulligan.types.checkpoints import Checkpoint
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat, Message


async def fork_chat(state: ServerState, project: ServedProject, chat: Chat, through: str | None) -> Chat:
    """A chat with the history up to a message, or with all of it."""
    if chat.agent in project.external:
        raise ConfigurationError(f"{chat.agent} keeps the conversation itself, so this chat can't be forked")
    before = None if through is None else (await _find(project, chat, through)).seq + 1
    return await _fork(state, project, chat, before)


async def resend(state: ServerState, project: ServedProject, chat: Chat, again: Resend) -> Accepted:
    """Leave behind a message of the person and all that followed it, and say this instead."""
    asked = await _find(project, chat, again.message_id)
    if asked.role != "user":
        raise ConfigurationError("only what you said can be said again")
    message = NewMessage(text=again.text, agent=again.agent, model=again.model)
    # Before anything is left behind.
    await answering(project, again.agent or chat.agent, again.model)
    if again.where == "fork":
        if chat.agent in project.external:
            raise ConfigurationError(f"{chat.agent} keeps the conversation itself, so this chat can't be forked")
        chat = await _fork(state, project, chat, asked.seq)
        return await begin_turn(state, project, chat, message)
    await _go_back(state, project, chat, asked)
    return await begin_turn(state, project, chat, message)


async def _go_back(state: ServerState, project: ServedProject, chat: Chat, asked: Message) -> None:
    """To where the chat stood before a message. Files follow, where turns since then may have changed them."""
    store, place = project.session.store, state.scope(project, chat_id=chat.id)
    first = await _first_checkpoint(project, chat, asked.seq)
    if first is not None:
        await restore(state, project, first)
    async with state.work.reserved(place):
        left = [each for each in await store.messages.list(chat.id) if each.seq >= asked.seq]
        if not left:
            return
        ids = {each.id for each in left}
        changed = await store.changes.list(chat.project, statuses=("pending", "applied"), chat_id=chat.id)
        if any(each.message_id in ids for each in changed):
            raise ConfigurationError(
                "files were changed since then, and there is no checkpoint to return to: say it again in a new chat"
            )
        if chat.agent in project.external:
            raise ConfigurationError(f"{chat.agent} remembers what was said, and there is no checkpoint to return to")
        await store.copies.rewind(chat.id, before=asked.seq)
        state.hub.publish(ChatChanged(trimmed=True), place)


async def _first_checkpoint(project: ServedProject, chat: Chat, seq: int) -> Checkpoint | None:
    """Of the first turn from a place on that has one."""
    store = project.session.store
    places = {each.id: each.seq for each in await store.messages.list(chat.id) if each.seq >= seq}
    kept = await store.checkpoints.list(chat_id=chat.id)
    found = [each for each in kept if each.kind == "turn" and each.message_id in places]
    return min(found, key=lambda each: places[each.message_id or ""], default=None)


async def _fork(state: ServerState, project: ServedProject, chat: Chat, before: int | None) -> Chat:
    made = await project.session.store.copies.fork(chat.id, before=before, title=f"{chat.title} (fork)")
    state.hub.publish(ChatChanged(), state.scope(project, chat_id=made.id))
    return made


async def _find(project: ServedProject, chat: Chat, message_id: str) -> Message:
    for each in await project.session.store.messages.list(chat.id):
        if each.id == message_id:
            return each
    raise NotFound(f"there is no message {message_id} in this chat")
