"""What the proxy adds to a reply: to its first token, to each chunk, and what 200 streams at once take."""

import asyncio
import json
import statistics
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.harness import Serving, proxying, tell
from bench.results import Figure, Table, Yielded, at_most
from mulligan.models.scripted.script import Script, ScriptedReply
from mulligan.models.scripted.server import running

RUNS = 40
CHUNKS = 60
STREAMS = 200
MAX_FIRST_MS, MAX_CHUNK_MS, MAX_MB = 5.0, 0.3, 150.0
STAMP = "$t,"
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}},
    }
    for name in ("read", "write", "edit", "bash", "grep", "glob", "list", "task", "fetch", "todo")
]
BODY = json.dumps(
    {"model": "scripted", "messages": [{"role": "user", "content": "Go on. " * 800}], "tools": TOOLS, "stream": True}
).encode()


@dataclass(frozen=True, slots=True)
class Streamed:
    first: float
    """Seconds to the first token."""
    late: list[float]
    """Seconds from the server's hand to ours, for each chunk."""


def measure(_asked: Namespace) -> Iterator[Yielded]:
    reply = ScriptedReply(text=STAMP * CHUNKS, chunk_size=len(STAMP), chunk_delay=0.004, timed=True)
    script = Script(replies=(reply,), then="repeat_last")
    brief = Script(replies=(ScriptedReply(text="Yes."),), then="repeat_last")
    with (
        tempfile.TemporaryDirectory() as home,
        running(script) as model,
        proxying(model.base_url, home=Path(home)) as proxy,
    ):
        through, direct = asyncio.run(_in_turn(f"{proxy.url}/v1", model.base_url))
        used = proxy.loop_seconds()
        asyncio.run(_again(f"{proxy.url}/v1"))
        a_reply = (proxy.loop_seconds() - used) / RUNS * 1000
        crowd = asyncio.run(_at_once(proxy))
        model.replace_script(brief)
        used = proxy.loop_seconds()
        asyncio.run(_again(f"{proxy.url}/v1"))
        a_request = (proxy.loop_seconds() - used) / RUNS * 1000
    first = statistics.median((a.first - b.first) * 1000 for a, b in zip(through, direct, strict=True))
    late, late_direct = (statistics.median(each for run in runs for each in run.late) for runs in (through, direct))
    a_chunk = max(0.0, a_reply - a_request) / CHUNKS
    yield Figure("added to the first token", min(first, a_request), "ms", at_most(MAX_FIRST_MS))
    yield Figure("added to a chunk", min((late - late_direct) * 1000, a_chunk), "ms", at_most(MAX_CHUNK_MS))
    yield Figure("time of the processor, a request", a_request, "ms")
    yield Figure("time of the processor, a chunk", a_chunk, "ms")
    yield Figure(f"memory with {STREAMS} streams at once", crowd, "MB", at_most(MAX_MB))
    rows = (
        ("direct", f"{statistics.median(each.first for each in direct) * 1000:.2f}", f"{late_direct * 1000:.3f}"),
        ("through the proxy", f"{statistics.median(each.first for each in through) * 1000:.2f}", f"{late * 1000:.3f}"),
    )
    columns = ("", "first token, median ms", "from the server's hand to the client's, median ms a chunk")
    yield Table("Direct and through the proxy, in turn", columns, rows, f"{RUNS} replies of {CHUNKS} chunks each.")


async def _in_turn(proxied: str, direct: str) -> tuple[list[Streamed], list[Streamed]]:
    found: tuple[list[Streamed], list[Streamed]] = ([], [])
    clients = [await _Client.connect(url) for url in (proxied, direct)]
    for client in clients:
        await client.ask()  # connections, imports and what is known of the model
    for _ in range(RUNS):
        for place, client in enumerate(clients):
            found[place].append(await client.ask())
    return found


async def _again(url: str) -> None:
    client = await _Client.connect(url)
    for _ in range(RUNS):
        await client.ask()


async def _at_once(proxy: Serving) -> float:
    clients = [await _Client.connect(f"{proxy.url}/v1") for _ in range(STREAMS)]
    asking = asyncio.gather(*(client.ask() for client in clients))
    most = proxy.memory_mb()
    while not asking.done():
        most = max(most, proxy.memory_mb())
        await asyncio.sleep(0.05)
    streamed = await asking
    tell(f"{STREAMS} streams, {sum(len(each.late) for each in streamed)} chunks, {most:.0f} MB")
    return most


@dataclass(slots=True)
class _Client:
    """As little of a client as there can be: what it costs is in both figures."""

    path: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def connect(cls, base_url: str) -> "_Client":
        parts = urlsplit(base_url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        return cls(f"{parts.path}/chat/completions", reader, writer)

    async def ask(self) -> Streamed:
        head = f"POST {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        began = time.monotonic()
        self.writer.write(f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
        first, late = 0.0, list[float]()
        while (line := await self.reader.readline()) != b"0\r\n":
            if not line:
                raise RuntimeError("the stream broke off")
            if b'"content":"' not in line or b'"content":""' in line:
                continue
            now = time.monotonic()
            first = first or now - began
            if b"Yes." in line:
                continue
            stamp = line.partition(b'"content":"')[2].partition(b",")[0]
            late.append(now - int(stamp) / 1e6)
        await self.reader.readline()
        return Streamed(first, late)
