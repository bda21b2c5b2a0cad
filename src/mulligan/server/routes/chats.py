"""Chats and their turns."""

from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.server.dependencies import StateDep
from mulligan.server.frames.envelopes import Ask
from mulligan.server.state import NotFound
from mulligan.server.turns import begin_chat, begin_compaction, begin_continuation, begin_turn
from mulligan.server.views.bodies import Aborting, Accepted, AnswerToAsk
from mulligan.server.views.chat_bodies import ChatDetail, ChatView, NewMessage
from mulligan.server.views.chats import chat_detail, chat_list
from mulligan.types.sandbox import ExtraAccess
from mulligan.workspace.sandbox.grants import remember, remember_command

LAST_PLACE = 2**53
"""The largest integer that every client supports."""

router = APIRouter(tags=["chats"])


@router.get("/api/projects/{project_id}/chats")
async def chats(project_id: str, state: StateDep) -> list[ChatView]:
    """Most recently used first."""
    return await chat_list(state, state.project(project_id))


@router.post("/api/projects/{project_id}/chats", status_code=202)
async def new_chat(project_id: str, message: NewMessage, state: StateDep) -> Accepted:
    """Start a chat with its first message. An external agent works in the chat's own work tree."""
    return await begin_chat(state, state.project(project_id), message)


@router.get("/api/chats/{chat_id}")
async def chat(
    chat_id: str,
    state: StateDep,
    before: Annotated[int | None, Query(ge=0, le=LAST_PLACE, description="Only messages before this position.")] = None,
    after: Annotated[int | None, Query(ge=0, le=LAST_PLACE, description="Only messages after this position.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> ChatDetail:
    """A chat with its newest messages, those right before a position, or those right after one."""
    return await chat_detail(state, chat_id, before=before, after=after, limit=limit)


@router.post("/api/chats/{chat_id}/messages", status_code=202)
async def new_message(chat_id: str, message: NewMessage, state: StateDep) -> Accepted:
    """Send a message in a chat; also the answer to a question with which a turn paused.

    Another agent of the same kind, native or external, can take over the chat.
    """
    return await begin_turn(state, *await state.chat(chat_id), message)


@router.post("/api/chats/{chat_id}/continue", status_code=202)
async def go_on(chat_id: str, state: StateDep) -> Accepted:
    """Continue a turn that a guard stopped, with a fresh budget: at most three times in a row."""
    return await begin_continuation(state, *await state.chat(chat_id))


@router.post("/api/chats/{chat_id}/abort")
async def abort(chat_id: str, state: StateDep) -> Aborting:
    """Stop the running turn. It is closed when this returns."""
    _, found = await state.chat(chat_id)
    return Aborting(aborted=await state.work.abort(found.id))


@router.post("/api/chats/{chat_id}/compact", status_code=202)
async def compact(chat_id: str, state: StateDep) -> Accepted:
    """Summarize the chat so far, to free up the model's context."""
    return await begin_compaction(state, *await state.chat(chat_id))


@router.get("/api/asks")
async def asks(state: StateDep) -> list[Ask]:
    """Questions that work waits for."""
    return list(state.approvals.open_requests())


@router.post("/api/asks/{ask_id}")
async def answer(ask_id: str, given: AnswerToAsk, state: StateDep) -> Ask:
    """Answer yes, no, or always. The first answer counts."""
    ask = state.approvals.answer(ask_id, granted=given.granted, reason=given.reason.strip())
    if ask is None:
        raise NotFound("this question is no longer open: it was answered, or the work has ended")
    settings = state.project(ask.project_id).session.settings
    if given.granted and given.remember == "network" and ask.can_remember:
        remember(settings.home, settings.project, ExtraAccess(network=True))
    if given.granted and given.remember == "command" and ask.rule:
        remember_command(settings.home, settings.project, ask.rule)
    return ask
