"""Managing chats: name, pin, delete, export, fork and search them, and queue messages."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from mulligan.app.chat_export import export_of, to_json, to_markdown
from mulligan.server.chat_edits import fork_chat
from mulligan.server.chat_edits import resend as send_again
from mulligan.server.dependencies import StateDep
from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.message_queue import enqueue, publish_queue, send_next
from mulligan.server.state import NotFound
from mulligan.server.views.bodies import Accepted
from mulligan.server.views.chat_bodies import (
    ChatEdit,
    ChatView,
    DeletedChat,
    ForkFrom,
    NewMessage,
    QueuedEdit,
    Resend,
    SearchHitView,
)
from mulligan.server.views.chats import chat_view, deleted_chat_view
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import QueuedMessage

router = APIRouter(tags=["chats"])


@router.patch("/api/chats/{chat_id}")
async def edit_chat(chat_id: str, wanted: ChatEdit, state: StateDep) -> ChatView:
    """Rename or pin it."""
    project, chat = await state.chat(chat_id)
    chats = project.session.store.chats
    if wanted.title is not None:
        if not wanted.title.strip():
            raise ConfigurationError("the name is empty: give the chat one")
        await chats.rename(chat.id, wanted.title.strip())
    if wanted.pinned is not None:
        await chats.pin(chat.id, pinned=wanted.pinned)
    state.hub.publish(ChatChanged(), state.scope(project, chat_id=chat.id))
    return chat_view(project, await chats.find(chat.id), busy=state.work.shows(chat.id))


@router.delete("/api/chats/{chat_id}")
async def delete_chat(chat_id: str, state: StateDep) -> DeletedChat:
    """Hide it. For seven days it can be restored with everything that belongs to it; its pending changes stay
    pending."""
    project, chat = await state.chat(chat_id)
    store, scope = project.session.store, state.scope(project, chat_id=chat.id)
    async with state.work.reserved(scope):
        await store.messages.refuse_busy(chat.id)
        await store.chats.delete(chat.id)
    state.hub.publish(ChatChanged(), scope)
    deleted = await store.chats.list(project=str(project.path), deleted=True)
    return deleted_chat_view(next(each for each in deleted if each.id == chat.id))


@router.get("/api/projects/{project_id}/deleted-chats")
async def deleted_chats(project_id: str, state: StateDep) -> list[DeletedChat]:
    """Chats that can be restored, the last deleted first."""
    project = state.project(project_id)
    found = await project.session.store.chats.list(project=str(project.path), deleted=True)
    return [deleted_chat_view(each) for each in found if each.run_id is None]


@router.post("/api/projects/{project_id}/deleted-chats/{chat_id}/restore")
async def restore_chat(project_id: str, chat_id: str, state: StateDep) -> ChatView:
    """Restore a deleted chat."""
    project = state.project(project_id)
    chats = project.session.store.chats
    if chat_id not in {each.id for each in await chats.list(project=str(project.path), deleted=True)}:
        raise NotFound(f"there is no deleted chat {chat_id} here: it was restored, or purged")
    chat = await chats.restore_deleted(chat_id)
    state.hub.publish(ChatChanged(), state.scope(project, chat_id=chat.id))
    return chat_view(project, chat, busy=False)


@router.get("/api/chats/{chat_id}/export", response_class=Response)
async def export_chat(
    chat_id: str, state: StateDep, format_: Annotated[Literal["markdown", "json"], Query(alias="format")] = "markdown"
) -> Response:
    """The whole chat as a file: Markdown to read, JSON to archive."""
    project, chat = await state.chat(chat_id)
    export = await export_of(project.session.store, chat)
    written, kind, ending = (
        (to_markdown(export), "text/markdown; charset=utf-8", "md")
        if format_ == "markdown"
        else (to_json(export), "application/json", "json")
    )
    named = {"Content-Disposition": f'attachment; filename="chat-{chat.id[:12]}.{ending}"'}
    return Response(written.encode("utf-8", "replace"), media_type=kind, headers=named)


@router.post("/api/chats/{chat_id}/fork", status_code=201)
async def fork(chat_id: str, wanted: ForkFrom, state: StateDep) -> ChatView:
    """A new chat with the history up to a message. Pending changes and files stay with the old one."""
    project, chat = await state.chat(chat_id)
    return chat_view(project, await fork_chat(state, project, chat, wanted.message_id), busy=False)


@router.post("/api/chats/{chat_id}/resend", status_code=202)
async def resend(chat_id: str, again: Resend, state: StateDep) -> Accepted:
    """Send something in place of an earlier message: here, with files as they were then, or in a fork."""
    return await send_again(state, *await state.chat(chat_id), again)


@router.get("/api/projects/{project_id}/search")
async def search(
    project_id: str,
    state: StateDep,
    q: Annotated[str, Query(max_length=400, description="Words, or beginnings of words; all must occur.")],
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> list[SearchHitView]:
    """Search the messages of the project's chats, most recently used chats first."""
    project = state.project(project_id)
    hits = await project.session.store.search.find(str(project.path), q, limit=limit)
    return [
        SearchHitView(
            chat_id=hit.chat_id,
            chat_title=hit.chat_title,
            message_id=hit.message.id,
            seq=hit.message.seq,
            role=hit.message.role,
            created_at=hit.message.created_at,
            excerpt=hit.excerpt,
            marks=hit.marks,
        )
        for hit in hits
    ]


@router.post("/api/chats/{chat_id}/queue", status_code=202)
async def queue_message(chat_id: str, message: NewMessage, state: StateDep) -> QueuedMessage:
    """Queue a message until the running turn has ended well. If none is running, send it right away."""
    if not message.text.strip():
        raise ConfigurationError("the message is empty: write something")
    return await enqueue(state, *await state.chat(chat_id), message)


@router.post("/api/chats/{chat_id}/queue/send", status_code=202)
async def send_queued(chat_id: str, state: StateDep) -> Accepted:
    """Send the first queued message, however the last turn ended."""
    return await send_next(state, *await state.chat(chat_id))


@router.put("/api/chats/{chat_id}/queue/{queued_id}")
async def edit_queued(chat_id: str, queued_id: str, wanted: QueuedEdit, state: StateDep) -> QueuedMessage:
    project, chat = await state.chat(chat_id)
    edited = await project.session.store.queued.edit(queued_id, wanted.text)
    await publish_queue(state, project, chat.id)
    if edited is None:
        raise NotFound("this message is no longer queued: it was sent or removed")
    return edited


@router.delete("/api/chats/{chat_id}/queue/{queued_id}")
async def remove_queued(chat_id: str, queued_id: str, state: StateDep) -> QueuedMessage:
    project, chat = await state.chat(chat_id)
    taken = await project.session.store.queued.take(queued_id)
    await publish_queue(state, project, chat.id)
    if taken is None:
        raise NotFound("this message is no longer queued: it was sent or removed")
    return taken
