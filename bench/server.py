"""The server under load: many chats that stream at once to two pages, and a chat that is very long.

`python -m bench server --seconds 10 --chats 5 --rate 20 --messages 1000` is a shorter run.
"""

import argparse
import asyncio
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.harness import print_table, project_of, serving
from bench.long_chat import SHORT, Opened, open_chat, write_chat
from bench.streaming import Heard, Load, Streamed, stream
from mulligan.models.scripted_server import running

FILES = 20
MOST_MS = 100.0
"""From the model to a page, for 99 tokens of 100."""
MOST_GROWTH_MB = 24.0
"""From soon after the beginning to the end: frames that are kept for pages which come back, and the texts."""
MOST_SECONDS_TO_OPEN = 1.0


def main(words: Sequence[str] = ()) -> bool:
    """True if nothing was lost and every bound was held."""
    asked = _options(words)
    load = Load(asked.chats, asked.rate, asked.seconds)
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home:
        _commit(project)
        streamed, long, short = measure(load, asked.messages, project, Path(home))
    held = _report_streaming(load, streamed)
    return _report_opening(asked.messages, long, short) and held


def measure(load: Load, messages: int, project: Path, home: Path) -> tuple[Streamed, Opened, Opened]:
    """All of it, on one server: it streams first, and then opens a long chat and a short one."""
    real = project.resolve()

    async def run() -> tuple[Streamed, Opened, Opened]:
        long, short = await write_chat(real, home, messages), await write_chat(real, home, SHORT)
        with (
            running(load.script()) as model,
            serving(real, home=home, base_url=model.base_url, model="scripted") as server,
        ):
            streamed = await stream(load, server, model.base_url)
            return streamed, await open_chat(server, long, messages), await open_chat(server, short, SHORT)

    return asyncio.run(run())


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench server")
    usual = Load()
    parser.add_argument("--chats", type=int, default=usual.chats)
    parser.add_argument("--rate", type=int, default=usual.rate, help="tokens a second for each chat")
    parser.add_argument("--seconds", type=float, default=usual.seconds)
    parser.add_argument("--messages", type=int, default=10_000, help="of the chat that is opened")
    return parser.parse_args(words)


def _commit(project: Path) -> None:
    identity = ["-c", "user.name=b", "-c", "user.email=b@localhost"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True)


def _report_streaming(load: Load, got: Streamed) -> bool:
    frames = got.last - got.first + 1
    p99 = _percentile(got.stays, 99)
    growth = got.end_mb - got.early_mb
    rows = [
        ("frames sent", frames, "-", "-", "-"),
        ("tokens sent to each page", load.chats * load.tokens, load.tokens, "-", "-"),
        *_missed_rows("the page that stays", got.stays, load, got),
        *_missed_rows(f"the page that lost its connection {got.drops.drops} times", got.drops, load, got),
        ("model to page, median ms", _ms(got.stays, 50), _ms(got.bare, 50), "-", "-"),
        ("model to page, p99 ms", _ms(got.stays, 99), _ms(got.bare, 99), f"{MOST_MS:g}", _holds(p99 <= MOST_MS)),
        ("model to page, longest ms", _ms(got.stays, 100), _ms(got.bare, 100), "-", "-"),
        ("the same p99 with the time away, ms", _ms(got.drops, 99), "-", "-", "-"),
        ("CPU of the server, seconds", f"{got.cpu_seconds:.1f} of {got.seconds:.1f}", "-", "-", "-"),
        ("it waited for a core, seconds", f"{got.waited_seconds:.1f}", "-", "-", "-"),
        (f"memory after {load.early:g} s, MB", f"{got.early_mb:.0f}", "-", "-", "-"),
        (
            "memory at the end, MB",
            f"{got.end_mb:.0f} ({growth:+.1f})",
            "-",
            f"+{MOST_GROWTH_MB:g}",
            _holds(growth <= MOST_GROWTH_MB),
        ),
    ]
    title = f"{load.chats} chats stream {load.rate} tokens a second each for {load.seconds:g} s"
    print_table(title, ("what", "through Mulligan", "bare client of the model", "at most", "holds"), rows)
    return all(row[-1] != "NO" for row in rows)


def _missed_rows(who: str, heard: Heard, load: Load, got: Streamed) -> list[tuple[object, ...]]:
    frames, tokens = heard.missed_frames(got.first, got.last), heard.missed_tokens(load)
    return [
        (f"{who}: frames lost, doubled", f"{frames.lost}, {frames.doubled}", "-", 0, _holds(frames.none)),
        (f"{who}: tokens lost, doubled", f"{tokens.lost}, {tokens.doubled}", "-", 0, _holds(tokens.none)),
    ]


def _report_opening(messages: int, long: Opened, short: Opened) -> bool:
    worst = statistics.quantiles(long.seconds, n=20)[-1]
    rows = [
        ("open, median ms", *(f"{statistics.median(each.seconds) * 1000:.1f}" for each in (long, short)), "-", "-"),
        (
            "open, p95 ms",
            f"{worst * 1000:.1f}",
            f"{statistics.quantiles(short.seconds, n=20)[-1] * 1000:.1f}",
            f"{MOST_SECONDS_TO_OPEN * 1000:g}",
            _holds(worst <= MOST_SECONDS_TO_OPEN),
        ),
        ("walk to the first message, s", f"{long.walked:.2f}", f"{short.walked:.2f}", "-", "-"),
        ("every message once, in order", _holds(long.complete), _holds(short.complete), "-", _holds(long.complete)),
    ]
    columns = ("what", f"{messages:,} messages", f"{SHORT} messages", "at most", "holds")
    print_table("A long chat is opened", columns, rows)
    return all(row[-1] != "NO" for row in rows)


def _ms(heard: Heard, percent: int) -> str:
    return f"{_percentile(heard, percent):.1f}"


def _percentile(heard: Heard, percent: int) -> float:
    """In milliseconds; so many of 100 tokens were not older."""
    ages = sorted(heard.ages) or [float("inf")]
    return ages[min(len(ages) * percent // 100, len(ages) - 1)] * 1000


def _holds(held: bool) -> str:  # noqa: FBT001 - a cell of a table
    return "yes" if held else "NO"
