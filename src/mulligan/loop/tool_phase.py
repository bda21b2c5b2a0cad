"""The calls of one reply, run side by side."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.repetition import call_record
from mulligan.ports import Log, Tool
from mulligan.types.errors import CallRejected
from mulligan.types.failures import CallOutcome
from mulligan.types.tool_calls import Failed, Outcome, RejectedCall, ToolCall

TOOL_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Ran:
    """A call and what came of it."""

    call: ToolCall | RejectedCall
    outcome: Outcome
    duration_ms: int


async def run_calls(
    calls: Sequence[ToolCall | RejectedCall],
    tools: Mapping[str, Tool],
    *,
    done: Callable[[Ran], None],
    log: Log,
) -> list[Ran]:
    """Run them all, in parallel; the result is in call order, `done` is told as each comes back.

    The same call twice in one reply runs once.
    """
    running: dict[tuple[str, str], asyncio.Task[Ran]] = {}

    async def run(call: ToolCall | RejectedCall) -> Ran:
        if isinstance(call, RejectedCall):
            ran = Ran(call, Failed(call.kind, call.message), 0)
        else:
            same = call_record(call.name, call.arguments, "", 0)
            key = (same.name, same.arguments)
            task = running.get(key) or running.setdefault(key, group.create_task(_run_one(call, tools[call.name], log)))
            first = await task
            ran = Ran(call, first.outcome, first.duration_ms)
        done(ran)
        return ran

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(call)) for call in calls]
    return [task.result() for task in tasks]


def outcome_kind(outcome: Outcome) -> CallOutcome:
    return outcome.kind if isinstance(outcome, Failed) else "success"


async def _run_one(call: ToolCall, tool: Tool, log: Log) -> Ran:
    started = time.monotonic()
    try:
        async with asyncio.timeout(TOOL_TIMEOUT):
            outcome = await tool.run(call.arguments)
    except CallRejected as rejected:
        outcome = Failed(rejected.kind, str(rejected))
    except TimeoutError:
        outcome = Failed("exec_error", f"{call.name} did not finish within {TOOL_TIMEOUT:.0f} s and was stopped.")
    except Exception as error:  # noqa: BLE001 - one broken tool must not take the turn down; it is logged in full
        log("tool_crashed", tool=call.name, arguments=call.arguments, error=error)
        outcome = Failed("exec_error", f"{call.name} failed inside Mulligan ({type(error).__name__}: {error}).")
    return Ran(call, outcome, round((time.monotonic() - started) * 1000))
