"""The server under load: many chats that stream at once to two pages, and a chat that is very long.

`python -m bench server --seconds 10 --chats 5 --rate 20 --messages 1000` is a shorter run.
"""

import asyncio
import statistics
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from bench.harness import commit_all, project_of, serving, tell
from bench.long_chat import SHORT, Opened, open_chat, write_chat
from bench.results import Baseline, Figure, Yielded, at_least, at_most
from bench.streaming import Heard, Load, Streamed, stream
from mulligan.models.scripted.server import running

FILES = 20
MAX_MS = 100.0
"""From the model to a page, for 99 tokens of 100."""
MAX_GROWTH_MB = 24.0
"""From soon after the beginning to the end: frames that are kept for pages which come back, and the texts."""
MAX_MS_TO_OPEN = 1000.0


def add_options(parser: ArgumentParser) -> None:
    usual = Load()
    parser.add_argument("--chats", type=int, default=usual.chats)
    parser.add_argument("--rate", type=int, default=usual.rate, help="tokens a second for each chat")
    parser.add_argument("--seconds", type=float, default=usual.seconds)
    parser.add_argument("--messages", type=int, default=10_000, help="of the chat that is opened")


def measure(asked: Namespace) -> Iterator[Yielded]:
    load = Load(asked.chats, asked.rate, asked.seconds)
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home:
        commit_all(project)
        streamed, long, short = _played(load, asked.messages, project, Path(home))
    yield from _streaming(load, streamed)
    yield from _opening(asked.messages, long, short)


def _played(load: Load, messages: int, project: Path, home: Path) -> tuple[Streamed, Opened, Opened]:
    """All of it, on one server: it streams first, and then opens a long chat and a short one."""
    real = project.resolve()

    async def run() -> tuple[Streamed, Opened, Opened]:
        tell(f"a chat of {messages:,} messages is written")
        long, short = await write_chat(real, home, messages), await write_chat(real, home, SHORT)
        with (
            running(load.script()) as model,
            serving(real, home=home, base_url=model.base_url, model="scripted") as server,
        ):
            tell(f"{load.chats} chats stream for {load.seconds:g} s")
            streamed = await stream(load, server, model.base_url)
            tell("the long chat is opened")
            return streamed, await open_chat(server, long, messages), await open_chat(server, short, SHORT)

    return asyncio.run(run())


def _streaming(load: Load, got: Streamed) -> Iterator[Figure]:
    chats = f"{load.chats} chats at {load.rate} tokens a second for {load.seconds:g} s"
    yield from _missed("the page that stays", got.stays, load, got, note=chats)
    away = f"it lost its connection {got.drops.drops} times"
    yield from _missed("the page that comes and goes", got.drops, load, got, note=away)
    for word, percent, bound in (("median", 50, None), ("p99", 99, at_most(MAX_MS)), ("longest", 100, None)):
        bare = Baseline("bare client of the model", _percentile(got.bare, percent))
        yield Figure(f"model to page, {word}", _percentile(got.stays, percent), "ms", bound, bare)
    late = _percentile(got.drops, 99)
    yield Figure("model to the page that comes and goes, p99", late, "ms", note="with the time away")
    yield Figure("CPU of the server", got.cpu_seconds, "s", note=f"in {got.seconds:.1f} s")
    yield Figure("the server waited for a core", got.waited_seconds, "s", note="what a busy machine cost it")
    growth = f"{got.early_mb:.0f} MB after {load.early:g} s, {got.end_mb:.0f} MB at the end"
    yield Figure("memory, growth", got.end_mb - got.early_mb, "MB", at_most(MAX_GROWTH_MB), note=growth)


def _missed(who: str, heard: Heard, load: Load, got: Streamed, *, note: str) -> Iterator[Figure]:
    counted = (
        ("frames", heard.missed_frames(got.first, got.last), got.last - got.first + 1),
        ("tokens", heard.missed_tokens(load), load.chats * load.tokens),
    )
    for what, missed, sent in counted:
        name = f"{who}: {what} lost or doubled"
        yield Figure(name, missed.lost + missed.doubled, f"of {sent:,}", at_most(0), note=note)


def _opening(messages: int, long: Opened, short: Opened) -> Iterator[Figure]:
    what, beside = f"a chat of {messages:,} messages", f"{SHORT} messages"
    yield Figure(f"{what} opens, median", _median_ms(long), "ms", baseline=Baseline(beside, _median_ms(short)))
    yield Figure(f"{what} opens, p95", _p95_ms(long), "ms", at_most(MAX_MS_TO_OPEN), Baseline(beside, _p95_ms(short)))
    yield Figure("walk back to its first message", long.walked, "s", baseline=Baseline(beside, short.walked))
    complete = long.complete + short.complete
    yield Figure("chats of which every message came once, in order", complete, "of 2", at_least(2))


def _median_ms(opened: Opened) -> float:
    return statistics.median(opened.seconds) * 1000


def _p95_ms(opened: Opened) -> float:
    return statistics.quantiles(opened.seconds, n=20)[-1] * 1000


def _percentile(heard: Heard, percent: int) -> float:
    """In milliseconds; so many of 100 tokens were not older."""
    ages = sorted(heard.ages) or [float("inf")]
    return ages[min(len(ages) * percent // 100, len(ages) - 1)] * 1000
