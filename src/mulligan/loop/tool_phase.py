"""The tool phase of a step: the calls of one reply are repaired, run in parallel and recorded."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from mulligan.core.context_budget import clip_result
from mulligan.core.guards import Guards
from mulligan.core.instructions import NO_INSTRUCTIONS, FittedInstructions
from mulligan.core.prompts import UNCHANGED_NOTE
from mulligan.core.repetition import canonical
from mulligan.core.replies import Calls
from mulligan.core.secrets import Mask, masked_note
from mulligan.loop.folder_instructions import FolderInstructions
from mulligan.loop.record import TurnRecord
from mulligan.ports.callbacks import Log
from mulligan.ports.tools import Tool
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen, replace
from mulligan.types.messages import ToolCallPart, ToolResultPart
from mulligan.types.tool_calls import NO_TRACE, AwaitsAnswer, DoneCall, Failed, Outcome, RawCall, RejectedCall, ToolCall

MAX_ID_CHARS = 128
"""The longest ids from servers have about 50, and each is sent again with every request."""


@frozen
class RanCall:
    """A call and its outcome."""

    call: ToolCall | RejectedCall
    outcome: Outcome
    """As the model may see it, with secrets masked."""
    duration_ms: int
    masked: int = 0
    """How many secrets."""
    instructions: FittedInstructions = NO_INSTRUCTIONS
    """Instructions of the file's folders, if the model gets them with this call."""

    @property
    def done(self) -> DoneCall:
        return DoneCall(self.call.name, self.call.arguments, self.outcome)


async def run_tools(
    wanted: Calls,
    tools: Mapping[str, Tool],
    record: TurnRecord,
    guards: Guards,
    *,
    step: int,
    result_limit: int | None,
    mask: Mask,
    log: Log,
    instructions: FolderInstructions | None = None,
) -> list[RanCall]:
    """Run what the model asked for; everything is recorded in call order, whatever finished first."""
    from mulligan.core.tool_calls import read_calls  # not needed before the first reply

    specs = [tool.spec for tool in tools.values()]
    calls = read_calls(_with_ids(wanted.calls, step), specs, finish_reason=wanted.finish_reason)
    for call in calls:
        repairs = call.repairs if isinstance(call, ToolCall) else ()
        record.call(ToolCallPart(call_id=call.id, name=call.name, arguments=call.arguments, repairs=repairs))
    await record.save()
    results: dict[str, ToolResultPart] = {}

    def returned(ran: RanCall) -> None:
        results[ran.call.id] = part = _result(ran, guards, result_limit)
        record.returned(part)

    ran = await _run_all(calls, tools, returned, mask, log, instructions=instructions)
    for call in calls:
        record.result(results[call.id])
    await record.save()
    return ran


def _with_ids(raws: Sequence[RawCall], step: int) -> list[RawCall]:
    """Give every call of a step a unique id, whatever the server sent.

    Ours are nine letters and digits, because the templates of some Mistral models accept nothing else.
    """
    seen: set[str] = set()
    named: list[RawCall] = []
    for first, raw in enumerate(raws, 1):
        ours = (f"call{step:03}{number:02}" for number in count(first))
        fit = 0 < len(raw.id) <= MAX_ID_CHARS and raw.id not in seen
        unique = raw.id if fit else next(each for each in ours if each not in seen)
        seen.add(unique)
        named.append(RawCall(unique, raw.name, raw.arguments))
    return named


async def _run_all(
    calls: Sequence[ToolCall | RejectedCall],
    tools: Mapping[str, Tool],
    returned: Callable[[RanCall], None],
    mask: Mask,
    log: Log,
    *,
    instructions: FolderInstructions | None,
) -> list[RanCall]:
    """Run all calls in parallel. If a reply has the same call twice, it runs once."""
    running: dict[tuple[str, str], asyncio.Task[RanCall]] = {}

    async def run(call: ToolCall | RejectedCall) -> RanCall:
        if isinstance(call, RejectedCall):
            ran = RanCall(call, Failed(call.kind, call.message), 0)
        else:
            key = (call.name, canonical(call.arguments))
            if key not in running:
                running[key] = group.create_task(run_call(call, tools[call.name], mask, log))
            first = await running[key]
            ran = replace(first, call=call)
        if instructions and not isinstance(ran.outcome, Failed):
            ran = replace(ran, instructions=await instructions.for_call(call))
        returned(ran)
        return ran

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(call)) for call in calls]
    return [task.result() for task in tasks]


async def run_call(call: ToolCall, tool: Tool, mask: Mask, log: Log) -> RanCall:
    """Run a call. An error of the tool is returned as a failed outcome, never raised."""
    started = time.monotonic()
    try:
        async with asyncio.timeout(tool.spec.time_limit):
            outcome = await tool.run(call.arguments)
    except CallRejected as rejected:
        outcome = Failed(rejected.kind, str(rejected))
    except TimeoutError:
        outcome = Failed("exec_error", f"{call.name} did not finish within {tool.spec.time_limit:g} s and was stopped.")
    except Exception as error:  # noqa: BLE001 - one broken tool must not take the turn down; it is logged in full
        log("tool_crashed", tool=call.name, arguments=call.arguments, error=error)
        outcome = Failed("exec_error", f"{call.name} failed inside Mulligan ({type(error).__name__}: {error}).")
    # Only here, so that every tool's result is masked once, before it is cut, stored, shown or sent.
    shown = await asyncio.to_thread(mask, outcome.content)
    outcome = replace(outcome, content=shown.text)
    return RanCall(call, outcome, round((time.monotonic() - started) * 1000), shown.count)


def _result(ran: RanCall, guards: Guards, limit: int | None) -> ToolResultPart:
    content = ran.outcome.content if limit is None else clip_result(ran.outcome.content, limit)
    if ran.masked:
        content = f"{content}\n\n{masked_note(ran.masked)}"
    if ran.instructions.text:
        content = f"{content}\n\n{ran.instructions.text}"
    if guards.knows(ran.done):
        content = f"{content}\n\n{UNCHANGED_NOTE}"
    trace = NO_TRACE if isinstance(ran.outcome, AwaitsAnswer) else ran.outcome.trace
    return ToolResultPart(
        call_id=ran.call.id,
        name=ran.call.name,
        content=content,
        failure=ran.outcome.kind if isinstance(ran.outcome, Failed) else None,
        duration_ms=ran.duration_ms,
        masked=ran.masked,
        read=trace.read,
        changed=trace.changed,
        pending_seen=trace.pending_seen,
        pending_unseen=trace.pending_unseen,
        instructions=tuple(each.path for each in ran.instructions.sent),
    )
