"""Frames over a WebSocket, one connection per page; and over HTTP, for clients without one."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket
from fastapi.responses import Response
from starlette.websockets import WebSocketDisconnect

from mulligan.server.dependencies import StateDep
from mulligan.server.frames.envelopes import Hello, Pulse, SocketMessage
from mulligan.server.frames.hub import FrameHub, Posted, Subscription

GATHER = 0.015
"""Seconds between two messages. Frames that become due meanwhile go out together: nobody notices, and it saves work."""
SILENCE = 15.0
"""Seconds after which a page gets a heartbeat."""
MAX_BATCH = 500
"""Envelopes per message, so that a page that comes back after a while can start to draw."""
TOO_CHATTY = 100
"""Most messages from a page, which has nothing to send here."""
POLICY_VIOLATION = 1008

router = APIRouter(tags=["frames"])


@router.get("/api/frames", response_model=list[SocketMessage])
async def frames(
    state: StateDep,
    since: Annotated[int, Query(ge=0, description="The newest number that the client has.")] = 0,
    epoch: str = "",
) -> Response:
    """What a socket would send right away: a hello, then the frames since a number. Then connect to `/api/socket`."""
    page = state.hub.subscribe(since=since, epoch=epoch)
    state.hub.leave(page)
    messages = [_hello(state.hub, resync=page.resync)]
    if due := page.take(state.hub.kept):
        messages.append(_batch(due))
    return Response(f"[{','.join(messages)}]", media_type="application/json")


@router.websocket("/api/socket")
async def socket(websocket: WebSocket, state: StateDep, since: int | None = None, epoch: str = "") -> None:
    """Every frame, in order, each once. The client sends nothing."""
    await websocket.accept()
    page = state.hub.subscribe(since=since, epoch=epoch)
    ends = [asyncio.create_task(_tell(websocket, state.hub, page)), asyncio.create_task(_listen(websocket))]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        state.hub.leave(page)
        for each in ends:
            each.cancel()
        await asyncio.wait(ends)
    for each in ends:
        if not each.cancelled():
            each.result()


async def _tell(websocket: WebSocket, hub: FrameHub, page: Subscription) -> None:
    """Send what is due, until the page is gone."""
    now = asyncio.get_running_loop().time
    with suppress(WebSocketDisconnect):
        await websocket.send_text(_hello(hub, resync=page.resync))
        sent = 0.0
        while True:
            try:
                async with asyncio.timeout(SILENCE):
                    await page.due.wait()
            except TimeoutError:
                await websocket.send_text(Pulse(seq=page.since).model_dump_json())
                continue
            await asyncio.sleep(sent + GATHER - now())
            due = page.take(MAX_BATCH)
            await websocket.send_text(_hello(hub, resync=True) if due is None else _batch(due))
            sent = now()


async def _listen(websocket: WebSocket) -> None:
    """Until the page disconnects. What it sends is ignored, and sending too much closes the connection."""
    for _ in range(TOO_CHATTY):
        if (await websocket.receive())["type"] == "websocket.disconnect":
            return
    with suppress(WebSocketDisconnect):
        await websocket.close(POLICY_VIOLATION, "clients send nothing here")


def _hello(hub: FrameHub, *, resync: bool) -> str:
    return Hello(epoch=hub.epoch, seq=hub.seq, resync=resync).model_dump_json()


def _batch(due: Iterable[Posted]) -> str:
    """A `Batch`, assembled from serialized envelopes."""
    return f'{{"type":"frames","envelopes":[{",".join(each.json for each in due)}]}}'
