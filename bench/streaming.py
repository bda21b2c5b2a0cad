"""Many chats that stream at once, and two pages that listen: one stays, the other keeps losing its connection.

Every token says its number and when it left the model, so a page knows what is missing and how old it is.
"""

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import httpx2
from websockets.asyncio.client import ClientConnection, connect

from bench.harness import Serving
from mulligan.models.scripted.model import Script, ScriptedReply

TOKEN = re.compile(r"(\d{6}):(\d+) ")
ENDS = {"turn_end", "work_failed"}
AWAY = 0.3
"""Seconds for which a page that lost its connection has none."""
PATIENCE = 60.0
"""Seconds after the last token was due. What is not there by then is lost."""


@dataclass(frozen=True, slots=True)
class Load:
    chats: int = 20
    rate: int = 50
    """Tokens a second for each."""
    seconds: float = 60.0

    @property
    def tokens(self) -> int:
        """For each chat."""
        return max(1, round(self.rate * self.seconds))

    @property
    def early(self) -> float:
        """Seconds after which memory is looked at first: everything has been used by then."""
        return min(10.0, self.seconds / 2)

    @property
    def drop_every(self) -> float:
        """Seconds for which the second page has a connection."""
        return min(3.0, self.seconds / 4)

    def script(self) -> Script:
        """Some 17 characters a token, as the time stands in it: four times as many as is usual."""
        words = [f"{number:06d}:$t " for number in range(1, self.tokens + 1)]
        reply = ScriptedReply(text="".join(words), chunk_size=len(words[0]), chunk_delay=1 / self.rate, timed=True)
        return Script(replies=(reply,), then="repeat_last")


@dataclass(frozen=True, slots=True)
class Missed:
    lost: int
    doubled: int
    """Or out of order."""

    @property
    def none(self) -> bool:
        return self == Missed(0, 0)


@dataclass(slots=True)
class Heard:
    """What one client got, in the order it came."""

    numbers: list[int] = field(default_factory=list[int])
    """Of frames."""
    tokens: dict[str, list[int]] = field(default_factory=lambda: defaultdict[str, list[int]](list))
    """By chat."""
    ages: list[float] = field(default_factory=list[float])
    """Seconds from the model to here, for each token."""
    ended: set[str] = field(default_factory=set[str])
    """Chats whose turn has."""
    drops: int = 0
    _rest: dict[str, str] = field(default_factory=lambda: defaultdict[str, str](str))

    @property
    def newest(self) -> int:
        return self.numbers[-1] if self.numbers else 0

    def take(self, envelopes: Iterable[dict[str, Any]], now: float) -> None:
        for envelope in envelopes:
            self.numbers.append(envelope["seq"])
            frame = envelope["frame"]
            if frame["type"] == "text_delta":
                self.listen(envelope["chat_id"], frame["text"], now)
            elif frame["type"] in ENDS:
                self.ended.add(envelope["chat_id"])

    def listen(self, chat: str, text: str, now: float) -> None:
        text = self._rest.pop(chat, "") + text
        end = 0
        for found in TOKEN.finditer(text):
            self.tokens[chat].append(int(found[1]))
            self.ages.append(now - int(found[2]) / 1_000_000)
            end = found.end()
        if end < len(text):
            self._rest[chat] = text[end:]

    def missed_frames(self, first: int, last: int) -> Missed:
        return missed([number for number in self.numbers if first <= number <= last], first, last)

    def missed_tokens(self, load: Load) -> Missed:
        each = [missed(tokens, 1, load.tokens) for tokens in self.tokens.values()]
        unheard = (load.chats - len(each)) * load.tokens
        return Missed(sum(one.lost for one in each) + unheard, sum(one.doubled for one in each))


@dataclass(frozen=True, slots=True)
class Streamed:
    """What came of it."""

    first: int
    """The number of the first frame."""
    last: int
    stays: Heard
    drops: Heard
    bare: Heard
    """A client that reads from the model itself."""
    seconds: float
    cpu_seconds: float
    """Of the server."""
    waited_seconds: float
    """For a core, by the server."""
    early_mb: float
    """The server's memory soon after the beginning."""
    end_mb: float


def missed(numbers: Sequence[int], first: int, last: int) -> Missed:
    """Each from first to last should be there once, in order."""
    lost = last - first + 1 - len(set(numbers))
    return Missed(lost, sum(after <= before for before, after in pairwise(numbers)))


async def stream(load: Load, server: Serving, model_url: str) -> Streamed:
    """Begin all chats, listen until they have ended, and look at the server meanwhile."""
    stays, drops, bare = Heard(), Heard(), Heard()
    async with httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE) as client, asyncio.TaskGroup() as listening:
        at = (await client.get("/api/server")).json()
        socket = _Socket(f"{server.url.replace('http', 'ws', 1)}/api/socket", at["epoch"], at["seq"])
        tasks = [
            listening.create_task(_stay(socket, stays)),
            listening.create_task(_come_and_go(socket, drops, load.drop_every)),
        ]
        cpu, waited, started = server.cpu_seconds(), server.waited_seconds(), time.monotonic()
        reading = listening.create_task(_read_from_model(model_url, bare))
        early_mb = listening.create_task(_memory_after(load.early, server))
        await asyncio.gather(*(_begin(client, at["projects"][0]["id"], number) for number in range(load.chats)))
        deadline = started + load.seconds + PATIENCE
        await _until(lambda: len(stays.ended) == load.chats, deadline)
        seconds, end_mb = time.monotonic() - started, server.memory_mb()
        cpu, waited = server.cpu_seconds() - cpu, server.waited_seconds() - waited
        last = (await client.get("/api/server")).json()["seq"]
        await _until(lambda: min(stays.newest, drops.newest) >= last and reading.done(), deadline)
        for task in (*tasks, reading):
            task.cancel()
    return Streamed(at["seq"] + 1, last, stays, drops, bare, seconds, cpu, waited, early_mb.result(), end_mb)


@dataclass(frozen=True, slots=True)
class _Socket:
    address: str
    epoch: str
    seq: int
    """The newest number before anything began."""

    def since(self, heard: Heard) -> connect:
        number = heard.newest or self.seq
        return connect(f"{self.address}?since={number}&epoch={self.epoch}", proxy=None, max_size=None)


async def _stay(socket: _Socket, heard: Heard) -> None:
    async with socket.since(heard) as connection:
        await _hear(connection, heard)


async def _come_and_go(socket: _Socket, heard: Heard, drop_every: float) -> None:
    while True:
        async with socket.since(heard) as connection:
            with suppress(TimeoutError):
                async with asyncio.timeout(drop_every):
                    await _hear(connection, heard)
            # As a network does: without a word, and with what is on its way.
            connection.transport.abort()
        heard.drops += 1
        await asyncio.sleep(AWAY)


async def _hear(connection: ClientConnection, heard: Heard) -> None:
    while True:
        received = await connection.recv()
        now = time.monotonic()
        message = json.loads(received)
        if message["type"] == "frames":
            heard.take(message["envelopes"], now)


async def _read_from_model(base_url: str, heard: Heard) -> None:
    """As a bare client does: no agent, no store, no page."""
    where = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    body = json.dumps({"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "Go on."}]})
    head = f"POST {where.path}/chat/completions HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write((head + body).encode())
    try:
        while not (line := await reader.readline()).startswith(b"data: [DONE]"):
            heard.listen("bare", line.decode(), time.monotonic())
    finally:
        writer.close()


async def _begin(client: httpx2.AsyncClient, project: str, number: int) -> None:
    answer = await client.post(f"/api/projects/{project}/chats", json={"text": f"Count, for chat {number}."})
    answer.raise_for_status()


async def _memory_after(seconds: float, server: Serving) -> float:
    await asyncio.sleep(seconds)
    return server.memory_mb()


async def _until(reached: Callable[[], bool], deadline: float) -> None:
    while not reached() and time.monotonic() < deadline:  # noqa: ASYNC110 - an event would need one for each condition
        await asyncio.sleep(0.05)
