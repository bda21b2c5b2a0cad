"""A chat of very many messages: how long a page waits for it, and for all that came before."""

import time
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench.harness import Serving
from mulligan.store.store import open_store
from mulligan.types.messages import Part, StepStart, Text, ToolCallPart, ToolResultPart, TurnMeta, UserMeta

RUNS = 50
SHORT = 100
"""Messages of the chat that the long one is held against: what one page shows at first."""


@dataclass(frozen=True, slots=True)
class Opened:
    """One chat."""

    seconds: list[float]
    """To its newest messages, for each time it was opened."""
    walked: float
    """Seconds to its first message, page by page."""
    complete: bool
    """Every message came, once and in order."""


async def write_chat(project: Path, home: Path, messages: int) -> str:
    """Turns with a call each, so many messages in all. Returns the chat's id."""
    store = await open_store(home / "mulligan.db")
    try:
        chat = await store.chats.create(project=str(project), agent="ask", title=f"{messages} messages")
        meta = TurnMeta(agent="ask", model="scripted", stop_reason="answered", steps=2, context_tokens=4000)
        for number in range(messages // 2):
            asked = (Text(text=f"What does function_{number} do?"),)
            await store.messages.add(chat.id, role="user", metadata=UserMeta(), parts=asked)
            await store.messages.add(chat.id, role="assistant", metadata=meta, parts=_turn(number))
    finally:
        await store.close()
    return chat.id


async def open_chat(server: Serving, chat_id: str, messages: int) -> Opened:
    """Open it over and over, then walk back to its beginning."""
    path = f"/api/chats/{chat_id}"
    async with httpx2.AsyncClient(base_url=server.url, timeout=60.0) as client:
        times: list[float] = []
        for _ in range(RUNS):
            started = time.perf_counter()
            (await client.get(path)).raise_for_status()
            times.append(time.perf_counter() - started)
        started = time.perf_counter()
        places = await _walk(client, path)
        return Opened(times, time.perf_counter() - started, _follow_each_other(places, messages))


async def _walk(client: httpx2.AsyncClient, path: str) -> list[int]:
    """The places of all messages, from the last page to the first."""
    page = (await client.get(path)).json()
    places = [message["seq"] for message in page["messages"]]
    while page["earlier"]:
        page = (await client.get(path, params={"before": places[0]})).json()
        places = [message["seq"] for message in page["messages"]] + places
    return places


def _follow_each_other(places: list[int], messages: int) -> bool:
    return len(places) == messages and places == list(range(places[0], places[0] + messages))


def _turn(number: int) -> tuple[Part, ...]:
    call = f"call_{number}"
    return (
        StepStart(step=1),
        ToolCallPart(call_id=call, name="view_file", arguments={"path": f"file_{number}.py"}),
        ToolResultPart(call_id=call, name="view_file", content=f"def function_{number}():\n    return 1\n" * 40),
        StepStart(step=2),
        Text(text=f"`function_{number}` returns 1 to whoever calls it. " * 16),
    )
