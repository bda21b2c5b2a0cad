"""A server that many chats use for a long time: whether its memory stays, its frames are in order, what it costs.

`python -m bench soak --minutes 6` is a shorter run.
"""

import asyncio
import json
import statistics
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from websockets.asyncio.client import connect

from bench.harness import Serving, commit_all, project_of, serving, tell
from bench.results import BenchFailed, Figure, Table, Yielded, at_most
from mulligan.models.scripted.model import Script, ScriptedReply
from mulligan.models.scripted.server import running

FILES = 20
SETTLED = 300.0
"""Seconds, or a half of a shorter time: then everything has been used once, the sweeper too, which comes every minute,
and as many frames are kept as ever. Memory is compared with what it is at the end."""
MAX_GROWTH_MB = 5.0
TURNS = 5
"""Of a chat; then another one takes its place. What a turn holds grows with its chat, and is no leak."""
LOOK_EVERY = 5.0
ENDS = {"turn_end", "work_failed"}


@dataclass(frozen=True, slots=True)
class Soak:
    chats: int = 50
    rate: int = 10
    """Tokens a second for each."""
    turn_seconds: float = 20.0
    minutes: float = 30.0

    def script(self) -> Script:
        """Every turn says something for as long as a turn takes."""
        words = "".join(f"{number:06d}:$t " for number in range(1, round(self.rate * self.turn_seconds) + 1))
        return Script(
            replies=(ScriptedReply(text=words, chunk_size=10, timed=True, chunk_delay=1 / self.rate),),
            then="repeat_last",
        )


@dataclass(slots=True)
class Seen:
    """What a page got, counted and not kept."""

    newest: int = 0
    frames: int = 0
    out_of_order: int = 0
    turns: int = 0
    failed: int = 0
    memory: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """Seconds since the beginning, and MB of the server."""

    def take(self, envelope: dict[str, Any]) -> str | None:
        """The chat whose turn ended with it."""
        self.out_of_order += bool(self.newest and envelope["seq"] != self.newest + 1)
        self.newest = envelope["seq"]
        self.frames += 1
        kind = envelope["frame"]["type"]
        self.failed += kind == "work_failed" or envelope["frame"].get("stop_reason", "answered") != "answered"
        self.turns += kind == "turn_end"
        return envelope["chat_id"] if kind in ENDS else None


def add_options(parser: ArgumentParser) -> None:
    usual = Soak()
    parser.add_argument("--minutes", type=float, default=usual.minutes)
    parser.add_argument("--chats", type=int, default=usual.chats)
    parser.add_argument("--rate", type=int, default=usual.rate, help="tokens a second for each chat")


def measure(asked: Namespace) -> Iterator[Yielded]:
    soak = Soak(asked.chats, asked.rate, minutes=asked.minutes)
    with (
        project_of(FILES) as project,
        tempfile.TemporaryDirectory() as home,
        running(soak.script()) as model,
    ):
        commit_all(project)
        with serving(project.resolve(), home=Path(home), base_url=model.base_url, model="scripted") as server:
            cpu, started = server.cpu_seconds(), time.monotonic()
            seen = asyncio.run(_soaked(soak, server))
            seconds, cpu = time.monotonic() - started, server.cpu_seconds() - cpu
    yield from _figures(soak, seen, seconds, cpu)


async def _soaked(soak: Soak, server: Serving) -> Seen:
    """Begin all chats, say something in each whenever it has answered, and look at the server meanwhile."""
    seen = Seen()
    until = time.monotonic() + soak.minutes * 60
    # Not reused: the server closes idle connections, and may do so just as the next request is sent.
    limits = httpx2.Limits(max_keepalive_connections=0)
    async with httpx2.AsyncClient(base_url=server.url, timeout=60.0, limits=limits) as client:
        at = (await client.get("/api/server")).json()
        address = f"{server.url.replace('http', 'ws', 1)}/api/socket?since={at['seq']}&epoch={at['epoch']}"
        # Without pings: on a busy machine half an hour must not end with one that is late.
        page = connect(address, proxy=None, max_size=None, ping_interval=None)
        async with page as socket, asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(server, seen))
            project = at["projects"][0]["id"]
            for _ in range(soak.chats):
                await _begin(client, project)
            open_chats = soak.chats
            turns: Counter[str] = Counter()
            while open_chats:
                message = json.loads(await socket.recv())
                for envelope in message["envelopes"] if message["type"] == "frames" else ():
                    ended = seen.take(envelope)
                    if not ended:
                        continue
                    turns[ended] += 1
                    if time.monotonic() >= until:
                        open_chats -= 1
                    elif turns[ended] < TURNS:
                        group.create_task(_say(client, ended))
                    else:
                        group.create_task(_begin(client, project))
            watching.cancel()
    return seen


async def _begin(client: httpx2.AsyncClient, project: str) -> None:
    (await client.post(f"/api/projects/{project}/chats", json={"text": "Look at it."})).raise_for_status()


async def _say(client: httpx2.AsyncClient, chat: str) -> None:
    """A turn that has ended may still be on its way out."""
    for _ in range(50):
        answer = await client.post(f"/api/chats/{chat}/messages", json={"text": "And now?"})
        if answer.status_code != 409:
            answer.raise_for_status()
            return
        await asyncio.sleep(0.1)
    raise BenchFailed(f"the turn of chat {chat} ended, but the chat stays busy")


async def _watch(server: Serving, seen: Seen) -> None:
    started, told = time.monotonic(), 0
    while True:
        now = time.monotonic() - started
        seen.memory.append((now, server.memory_mb()))
        if now // 60 > told:
            told = int(now // 60)
            tell(f"{told} min: {seen.memory[-1][1]:.1f} MB, {seen.turns} turns, {seen.frames:,} frames")
        await asyncio.sleep(LOOK_EVERY)


def _figures(soak: Soak, seen: Seen, seconds: float, cpu: float) -> Iterator[Yielded]:
    after = min(SETTLED, soak.minutes * 30)
    settled = _around(seen.memory, after, after + soak.minutes * 3)
    end = _around(seen.memory, soak.minutes * 60 * 0.95, float("inf"))
    note = f"{settled:.1f} MB after {after / 60:.1f} min, {end:.1f} MB in the end"
    chats = f"{soak.chats} chats at {soak.rate} tokens a second for {soak.minutes:g} min"
    yield Figure("memory, growth once all is used", end - settled, "MB", at_most(MAX_GROWTH_MB), note=note)
    yield Figure(
        "frames out of order, lost or doubled", seen.out_of_order, f"of {seen.frames:,}", at_most(0), note=chats
    )
    yield Figure("turns that did not end in an answer", seen.failed, f"of {seen.turns:,}", at_most(0))
    yield Figure("CPU of the server", cpu / seconds * 100, "% of a core", note=f"{cpu:.0f} s in {seconds:.0f} s")
    rows = [
        (f"{soak.minutes * part:.1f}", _around(seen.memory, *_window(soak, part)))
        for part in (0.1, 0.25, 0.5, 0.75, 0.95)
    ]
    yield Table("Memory of the server", ("after, min", "MB"), tuple((when, round(mb, 1)) for when, mb in rows))


def _window(soak: Soak, part: float) -> tuple[float, float]:
    return soak.minutes * 60 * part, soak.minutes * 60 * (part + 0.05)


def _around(memory: list[tuple[float, float]], first: float, last: float) -> float:
    """The median of what was seen in a stretch of time, or what was seen last before it."""
    inside = [mb for when, mb in memory if first <= when <= last]
    return statistics.median(inside) if inside else [mb for when, mb in memory if when <= first][-1]
