"""Chats as pages see them: some of their messages, and their state."""

from collections.abc import Sequence

from mulligan.core.context_use import context_use
from mulligan.core.restore_marks import active_restores
from mulligan.core.step_budget import MAX_CONTINUES, why_not_continue
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.chat_bodies import ChatDetail, ChatView, ContextView, DeletedChat
from mulligan.server.views.checkpoints import checkpoint_view, restore_mark_view
from mulligan.store.chats import KEPT_DELETED
from mulligan.types.messages import Chat, Message, TurnMeta, UserMeta

UNDER_WAY = "a turn is running"


async def chat_list(state: ServerState, project: ServedProject) -> list[ChatView]:
    store = project.session.store
    # The coder's conversation of a run is shown with the run.
    chats = [chat for chat in await store.chats.list(project=str(project.path)) if chat.run_id is None]
    streaming = await store.messages.streaming_chats()
    return [chat_view(project, chat, busy=state.work.shows(chat.id) or chat.id in streaming) for chat in chats]


async def chat_detail(
    state: ServerState, chat_id: str, *, before: int | None, after: int | None, limit: int
) -> ChatDetail:
    """A chat with some of its messages. Nothing here grows with the chat: of the rest only the last turns are read."""
    # Before reading the store: what happens meanwhile comes as a frame with a higher number, so nothing is lost.
    seq, live, here = state.hub.seq, state.hub.live(chat_id), state.work.shows(chat_id)
    project, chat = await state.chat(chat_id)
    store = project.session.store
    page = await store.messages.page(chat_id, before=before, after=after, limit=limit)
    turns = await store.messages.newest_turns(chat_id, MAX_CONTINUES + 1)
    here = here or state.work.shows(chat_id)
    streaming = any(message.status == "streaming" for message in (*page.messages, *turns))
    refused = why_not_continue(turns)
    why_not = UNDER_WAY if here or streaming else refused.reason if refused else ""
    return ChatDetail(
        chat=chat_view(project, chat, busy=here or streaming),
        messages=page.messages,
        texts=_texts(page.messages),
        earlier=page.earlier,
        live=live,
        elsewhere=streaming and not here,
        seq=seq,
        context=_context(turns),
        asks=state.approvals.open_requests(chat_id=chat_id),
        can_continue=not why_not,
        continue_refused=why_not,
        checkpoints=tuple(checkpoint_view(each) for each in await store.checkpoints.list(chat_id=chat_id)),
        restores=tuple(map(restore_mark_view, active_restores(await store.restores.done(chat_id)))),
        pending=len(await store.changes.list(chat.project, statuses=("pending",), chat_id=chat_id)),
        queued=tuple(await store.queued.list(chat_id)),
    )


def deleted_chat_view(chat: Chat) -> DeletedChat:
    deleted_at = chat.deleted_at or 0.0
    return DeletedChat(id=chat.id, title=chat.title, deleted_at=deleted_at, purged_at=deleted_at + KEPT_DELETED)


def chat_view(project: ServedProject, chat: Chat, *, busy: bool) -> ChatView:
    return ChatView(
        id=chat.id,
        project_id=project.id,
        title=chat.title,
        agent=chat.agent,
        external=chat.agent in project.external,
        busy=busy,
        pinned=chat.pinned_at is not None,
        created_at=chat.created_at,
        updated_at=chat.updated_at,
    )


def _texts(messages: Sequence[Message]) -> dict[str, str]:
    return {
        message.id: message.metadata.text
        for message in messages
        if not isinstance(message.metadata, UserMeta | TurnMeta)
    }


def _context(turns: Sequence[Message]) -> ContextView | None:
    used = context_use(turns)
    return used and ContextView(tokens=used.tokens, length=used.length, parts=used.parts, estimated=used.estimated)
