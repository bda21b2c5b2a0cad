"""Chats and their turns."""

from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.server.at_desk import AtDesk
from mulligan.server.envelopes import Ask
from mulligan.server.views import (
    Aborting,
    Accepted,
    AnswerToAsk,
    ChatDetail,
    ChatView,
    NewMessage,
)

router = APIRouter(tags=["chats"])


@router.get("/api/projects/{project_id}/chats")
async def chats(project_id: str, desk: AtDesk) -> list[ChatView]:
    """The most recently used first."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/chats", status_code=202)
async def new_chat(project_id: str, message: NewMessage, desk: AtDesk) -> Accepted:
    """Begin a chat with its first message. An external agent works in a work tree of the chat."""
    raise NotImplementedError


@router.get("/api/chats/{chat_id}")
async def chat(
    chat_id: str,
    desk: AtDesk,
    before: Annotated[int | None, Query(description="Only messages before this place.")] = None,
    after: Annotated[int | None, Query(description="Only messages after this place.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> ChatDetail:
    """A chat with its newest messages, or those before or after a place."""
    raise NotImplementedError


@router.post("/api/chats/{chat_id}/messages", status_code=202)
async def new_message(chat_id: str, message: NewMessage, desk: AtDesk) -> Accepted:
    """Say something in a chat; also the answer to a question with which a turn paused."""
    raise NotImplementedError


@router.post("/api/chats/{chat_id}/continue", status_code=202)
async def go_on(chat_id: str, desk: AtDesk) -> Accepted:
    """Go on with a turn that a guard stopped, with a fresh budget: at most three times in a row."""
    raise NotImplementedError


@router.post("/api/chats/{chat_id}/abort")
async def abort(chat_id: str, desk: AtDesk) -> Aborting:
    """Stop the turn under way. It is closed when this is answered."""
    raise NotImplementedError


@router.post("/api/chats/{chat_id}/compact", status_code=202)
async def compact(chat_id: str, desk: AtDesk) -> Accepted:
    """Sum up the chat so far, to make room in the model's context."""
    raise NotImplementedError


@router.get("/api/asks")
async def asks(desk: AtDesk) -> list[Ask]:
    """Questions that work waits for."""
    raise NotImplementedError


@router.post("/api/asks/{ask_id}")
async def answer(ask_id: str, given: AnswerToAsk, desk: AtDesk) -> Ask:
    raise NotImplementedError
