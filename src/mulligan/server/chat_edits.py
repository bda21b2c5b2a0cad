"""Sending a message again, and continuing from an earlier point."""

from mulligan.app.chat_truncation import first_checkpoint, truncate_chat
from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.restores import restore
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.turns import agent_for_turn, begin_turn, images_of
from mulligan.server.views.bodies import Accepted
from mulligan.server.views.chat_bodies import NewMessage, Resend
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat, Message


async def fork_chat(state: ServerState, project: ServedProject, chat: Chat, through: str | None) -> Chat:
    """A chat with the history up to a message, or with all of it."""
    if chat.agent in project.external:
        raise ConfigurationError(f"{chat.agent} keeps the conversation itself, so this chat can't be forked")
    before = None if through is None else (await _find(project, chat, through)).seq + 1
    return await _fork(state, project, chat, before)


async def resend(state: ServerState, project: ServedProject, chat: Chat, again: Resend) -> Accepted:
    """Drop a message of the user and everything after it, and send this instead."""
    asked = await _find(project, chat, again.message_id)
    if asked.role != "user":
        raise ConfigurationError("only your own messages can be sent again")
    message = NewMessage(text=again.text, agent=again.agent, model=again.model, images=again.images)
    # Before anything is dropped.
    await agent_for_turn(project, again.agent or chat.agent, again, await images_of(project, again.images))
    if again.where == "fork":
        if chat.agent in project.external:
            raise ConfigurationError(f"{chat.agent} keeps the conversation itself, so this chat can't be forked")
        chat = await _fork(state, project, chat, asked.seq)
        return await begin_turn(state, project, chat, message)
    await _go_back(state, project, chat, asked)
    return await begin_turn(state, project, chat, message)


async def _go_back(state: ServerState, project: ServedProject, chat: Chat, asked: Message) -> None:
    """Back to before a message. Files follow if turns since then may have changed them."""
    store, scope = project.session.store, state.scope(project, chat_id=chat.id)
    first = await first_checkpoint(store, chat, asked.seq)
    if first is not None:
        await restore(state, project, first)
    async with state.work.reserved(scope):
        if await truncate_chat(store, chat, asked.seq, remembering=chat.agent in project.external):
            state.hub.publish(ChatChanged(trimmed=True), scope)


async def _fork(state: ServerState, project: ServedProject, chat: Chat, before: int | None) -> Chat:
    made = await project.session.store.copies.fork(chat.id, before=before, title=f"{chat.title} (fork)")
    state.hub.publish(ChatChanged(), state.scope(project, chat_id=made.id))
    return made


async def _find(project: ServedProject, chat: Chat, message_id: str) -> Message:
    for each in await project.session.store.messages.list(chat.id):
        if each.id == message_id:
            return each
    raise NotFound(f"there is no message {message_id} in this chat")
