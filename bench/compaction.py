"""The ledger over many compactions with a hostile model, and what the decision to compact costs."""

import asyncio
import random
import statistics
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.harness import tell
from bench.hostile_summaries import Outcome, conversation
from bench.results import Figure, Yielded, at_most
from mulligan.core.compaction.choosing import choose
from mulligan.core.compaction.limits import RequestFrame
from mulligan.core.context_budget import ContextBudget
from mulligan.core.payload import Unit, View, render
from mulligan.store.store import open_store
from mulligan.types.messages import StepStart, Text, ToolCallPart, ToolResultPart

CONVERSATIONS = 50
MESSAGES = 1_000
ROUNDS = 9


def measure(_asked: Namespace) -> Iterator[Yielded]:
    outcomes = asyncio.run(_conversations())
    compactions = sum(outcome.compactions for outcome in outcomes)
    unit = f"of {sum(outcome.kept for outcome in outcomes):,}"
    note = f"{len(outcomes)} conversations, {compactions} compactions"
    yield Figure("paths lost from the ledger", sum(len(each.lost) for each in outcomes), unit, at_most(0), note=note)
    yield Figure("paths invented", sum(len(each.invented) for each in outcomes), unit, at_most(0), note=note)
    tell(f"deciding, at {MESSAGES:,} messages")
    for way, milliseconds in _decisions().items():
        yield Figure(f"deciding at {MESSAGES:,} messages: {way}", milliseconds, "ms", note=f"median of {ROUNDS}")


async def _conversations() -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        store = await open_store(Path(folder, "mulligan.db"))
        try:
            tell(f"{CONVERSATIONS} conversations with a hostile model")
            return [await conversation(store, random.Random(seed)) for seed in range(CONVERSATIONS)]
        finally:
            await store.close()


def _decisions() -> dict[str, float]:
    reading = [_step(number, result="x" * 2000) for number in range(1, MESSAGES // 2)]
    talking = [_step(number, text="word " * 400) for number in range(1, MESSAGES // 2)]
    prompt = Unit((1, 0), (Text(text="Where is it?"),), prompt=True)
    messages = render("Be good.", [prompt, *reading], View())
    return {
        "it fits (asked at each step)": _time(lambda: ContextBudget(1_000_000).is_full(messages, (), None)),
        "hide old results": _time(lambda: choose([prompt, *reading], View(), _frame(300_000))),
        "sum up": _time(lambda: choose([prompt, *talking], View(), _frame(200_000))),
    }


def _frame(context: int) -> RequestFrame:
    return RequestFrame("Be good.", (), ContextBudget(context))


def _time(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


def _step(number: int, *, text: str = "", result: str = "ok") -> Unit:
    call = ToolCallPart(call_id="1", name="view_file", arguments={"path": f"src/module_{number}.py"})
    parts = (
        StepStart(step=number),
        Text(text=text),
        call,
        ToolResultPart(call_id="1", name="view_file", content=result),
    )
    return Unit((2, number), parts, prompt=False)
