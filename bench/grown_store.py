"""A store that has grown for years: many chats, a very long one, gigabytes of tool results.

`python -m bench grown --gigabytes 5` is the whole of it; what is usual takes a minute.
"""

import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from bench.harness import tell
from bench.results import Figure, Yielded, at_most
from mulligan.store.store import SqlStore, open_store
from mulligan.types.messages import StepStart, Text, ToolResultPart, TurnMeta, UserMeta
from mulligan.types.sentinels import Compacted

PROJECT = "/project"
RUNS = 9
LONG, SHORT = "c0long", "c0short"
LAST_PART = 60
"""Messages of the long chat that its last summary does not stand for."""
RESULT = 20_000
"""Characters of a tool's result."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--chats", type=int, default=5_000)
    parser.add_argument("--messages", type=int, default=10_000, help="of one chat")
    parser.add_argument("--gigabytes", type=float, default=0.5, help="of the whole database")


def measure(asked: Namespace) -> Iterator[Yielded]:
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(_measured(Path(folder, "mulligan.db"), asked))


async def _measured(file: Path, asked: Namespace) -> list[Yielded]:
    tell(f"a database of {asked.chats:,} chats and {asked.gigabytes:g} GB is written")
    await (await open_store(file)).close()
    size = f"{_fill(file, asked.chats, asked.messages, round(asked.gigabytes * 1e9)) / 1e9:.2f} GB"
    opened = await _times(lambda: _opened(file))
    store = await open_store(file)
    try:
        long, short = await _times(lambda: store.messages.recent(LONG)), await _times(lambda: _recent(store, SHORT))
        first_search = (await _times(lambda: store.search.find(PROJECT, "needle", limit=20), 1))[0]
        figures = (
            ("the store opens", opened, 200.0, size),
            ("all chats are listed", await _times(lambda: store.chats.list(project=PROJECT)), 500.0, ""),
            ("the last page of the long chat", await _times(lambda: store.messages.page(LONG, limit=100)), 100.0, ""),
            ("the long chat goes on: what a turn reads", long, 50.0, f"{asked.messages:,} messages, summed up once"),
            ("the same in a chat of as many messages as are left of it", short, None, f"{LAST_PART} messages"),
            ("a word is found", await _times(lambda: store.search.find(PROJECT, "needle", limit=20)), 500.0, ""),
        )
    finally:
        await store.close()
    told: list[Yielded] = [
        Figure(name, statistics.median(taken) * 1000, "ms", at_most(most) if most else None, note=note)
        for name, taken, most, note in figures
    ]
    return [*told, Figure("the first search, which makes the index", first_search, "s")]


async def _opened(file: Path) -> None:
    store = await open_store(file)
    await store.messages.sweep()
    await store.close()


async def _recent(store: SqlStore, chat: str) -> None:
    await store.messages.recent(chat)


async def _times(work: Callable[[], Awaitable[object]], runs: int = RUNS) -> list[float]:
    taken: list[float] = []
    for _ in range(runs):
        started = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - started)
    return taken


def _fill(file: Path, chats: int, messages: int, size: int) -> int:
    """Straight into the tables: by the product's own way it would take hours. Returns the size that came of it."""
    others = max(0, size - messages * 300) // RESULT
    """Results of tools, spread over the other chats."""
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA synchronous = OFF")
        _write_chat(database, LONG, messages, summed_up=messages - LAST_PART)
        _write_chat(database, SHORT, LAST_PART)
        for number in range(chats - 2):
            each = 2 * max(1, round(others / max(1, chats - 2)))
            _write_chat(database, f"c{number + 1:08d}", each, result="x = 1\n" * (RESULT // 6))
    database.close()
    return file.stat().st_size


def _write_chat(
    database: sqlite3.Connection, chat: str, messages: int, *, summed_up: int | None = None, result: str = ""
) -> None:
    now = 1_700_000_000.0
    database.execute(
        "INSERT INTO chats (id, project, title, agent, next_seq, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (chat, PROJECT, f"About {chat}", "default", messages + 2, now, now),
    )
    rows: list[tuple[object, ...]] = []
    parts: list[tuple[object, ...]] = []
    for seq in range(1, messages + 1):
        asked = seq % 2 == 1
        metadata = UserMeta() if asked else TurnMeta(agent="default", model="m", stop_reason="answered", steps=1)
        rows.append(_row(chat, seq, "user" if asked else "assistant", metadata.model_dump_json(exclude_none=True), now))
        said = f"What about {seq}? {'needle' if seq == 41 else ''}" if asked else f"It is {seq}."
        bodies = [Text(text=said)] if asked else [StepStart(step=1), *_results(result), Text(text=said)]
        parts += [
            (f"{chat}-{seq}", place, body.kind, body.model_dump_json(exclude_none=True))
            for place, body in enumerate(bodies)
        ]
    if summed_up:
        done = Compacted(how="summary", tokens_before=9000, tokens_after=900, through_seq=summed_up)
        rows.append(_row(chat, messages + 1, "system", done.model_dump_json(exclude_none=True), now))
        parts.append((f"{chat}-{messages + 1}", 0, "text", json.dumps({"kind": "text", "text": "## Goal\nIt."})))
    database.executemany(
        "INSERT INTO messages (id, chat_id, seq, role, status, metadata, beat_at, created_at)"
        " VALUES (?, ?, ?, ?, 'complete', ?, ?, ?)",
        rows,
    )
    database.executemany("INSERT INTO parts (message_id, place, kind, body) VALUES (?, ?, ?, ?)", parts)


def _row(chat: str, seq: int, role: str, metadata: str, now: float) -> tuple[object, ...]:
    return f"{chat}-{seq}", chat, seq, role, metadata, now, now


def _results(text: str) -> list[ToolResultPart]:
    return [ToolResultPart(call_id="c", name="view_file", content=text)] if text else []
