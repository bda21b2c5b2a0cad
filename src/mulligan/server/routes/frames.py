"""Frames over a WebSocket, one connection a page; and over HTTP, for a client without one."""

from typing import Annotated

from fastapi import APIRouter, Query, WebSocket

from mulligan.server.at_desk import AtDesk
from mulligan.server.envelopes import SocketMessage

router = APIRouter(tags=["frames"])


@router.get("/api/frames")
async def frames(
    desk: AtDesk,
    since: Annotated[int, Query(ge=0, description="The newest number that the client has.")] = 0,
    epoch: str = "",
) -> list[SocketMessage]:
    """What a socket would send at once: a hello, then the frames since a number. Then connect to `/api/socket`."""
    raise NotImplementedError


@router.websocket("/api/socket")
async def socket(websocket: WebSocket, desk: AtDesk, since: int | None = None, epoch: str = "") -> None:
    """Every frame, in order, each once. The client sends nothing."""
    raise NotImplementedError
