"""`mulligan`, with turns that Mulligan drives kept from the code index: what the index is worth, measured."""

from dataclasses import replace
from typing import Any

from mulligan.__main__ import main
from mulligan.loop import guided
from mulligan.loop.plan import TurnPlan
from mulligan.types.frames import TurnEnd

run_with_index = guided.run_guided_turn


async def run_without(plan: TurnPlan, prompt: str, **rest: Any) -> TurnEnd:
    return await run_with_index(replace(plan, index=None), prompt, **rest)


guided.run_guided_turn = run_without
main()
