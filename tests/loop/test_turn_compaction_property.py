"""Whatever a model writes as summaries, over any number of compactions: no path that was read is lost, none made up."""

import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace

import pytest

from bench.hostile_summaries import HostileModel, conversation
from mulligan.core.compaction.asking import SYSTEM
from mulligan.core.context_budget import ContextBudget
from mulligan.core.payload import compacted_view, units_of
from mulligan.core.provenance import ledger_of, split_ledger
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, ModelRequest, SystemText, TextDelta
from tests.loop.turn_bench import Bench


@pytest.mark.parametrize("first", range(0, 50, 5))
async def test_random_conversations_keep_their_ledger(bench: Bench, first: int) -> None:
    for seed in range(first, first + 5):
        outcome = await conversation(bench.store, random.Random(seed))
        assert 1 <= outcome.compactions <= 12
        assert (seed, outcome.lost, outcome.invented) == (seed, set(), set())


@dataclass
class Reader:
    """A model that reads file after file, some of which are not there, and is hostile as a writer of summaries."""

    chance: random.Random
    files: int
    name: str = "reader"
    asked: int = 0
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        if request.messages[0] == SystemText(SYSTEM):
            async for event in HostileModel(self.chance).stream(request):
                yield event
            return
        self.asked += 1
        words = " ".join(f"thought{self.asked}n{word}" for word in range(self.chance.randint(1, 150)))
        yield TextDelta(f"{words}\n")
        if self.asked > self.files:
            yield Finished("stop")
            return
        missing = "" if self.asked % 5 else "missing_"
        yield CallDelta(0, "", "view_file", f'{{"path": "{missing}f{self.asked}.py"}}')
        yield Finished("tool_calls")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("context", [4096, 8192, 200_000])
async def test_one_long_turn_keeps_its_ledger_and_fits_at_every_step(bench: Bench, seed: int, context: int) -> None:
    chance = random.Random(seed)
    for number in range(1, 41):
        lines = [f"value_{number}_{line} = {line}" for line in range(chance.randint(1, context // 60))]
        (bench.project / f"f{number}.py").write_text("\n".join(lines))
    model = Reader(chance, files=40)
    budget = ContextBudget(context)
    plan = replace(bench.plan(model), budget=lambda: budget)
    end = await bench.start(plan, "Which value is the answer?")
    assert (end.stop_reason, end.steps) == ("answered", 41)
    assert not any(budget.is_full(request.messages, request.tools, None) for request in model.requests)
    history = await bench.messages()
    view = compacted_view(history)
    listed = split_ledger(view.summary or "")[1].read
    shown = ledger_of(part for unit in units_of(history) if unit.position > view.covered for part in unit.parts).read
    assert listed | shown == {f"f{number}.py" for number in range(1, 41) if number % 5}
