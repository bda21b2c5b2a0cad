"""A fix run: baseline, then planner, coder, verifier round and round, at most three times. One function a node.

The state is stored after every node, so that a run which was killed goes on from there. Where it goes next is decided
in `core/fix_runs/next_node`, by what was recorded.
"""

from collections.abc import Awaitable, Callable

from mulligan.core.fix_runs.next_node import (
    Conclude,
    NextStep,
    after_baseline,
    after_planner,
    before_coder,
    before_planner,
    before_verifier,
)
from mulligan.fixing.coder import run_coder
from mulligan.fixing.context import RunContext
from mulligan.fixing.finish import finish
from mulligan.fixing.planner import make_plan
from mulligan.fixing.recorder import RunRecorder
from mulligan.fixing.snitch import write_issue
from mulligan.fixing.verifier import run_baseline, verify
from mulligan.types.errors import ModelError
from mulligan.types.fixing import Node, RunState
from mulligan.types.run_frames import NodeEntered, PlanMade, RunEnd


async def run_fix(context: RunContext, state: RunState, *, apply: bool) -> RunEnd:
    """Take a run from where it stands to its end. `apply` applies a verified result, and no other.

    Being cancelled leaves the run as it was after its last node: it can be resumed.
    """
    while state.node != "done":
        context.emit(NodeEntered(run_id=state.id, node=state.node, cycle=state.cycle, attempts=state.history.attempts))
        state = await _step(context, state)
        await context.store.save_run(state)
    return await finish(context, state, apply=apply)


async def _step(context: RunContext, state: RunState) -> RunState:
    """One node. A model that fails ends the run, whatever the node."""
    recorder = RunRecorder(context, state)
    try:
        turn = await NODES[state.node](recorder)
    except ModelError as error:
        context.log("run_model_failed", run=state.id, node=state.node, error=error)
        turn = Conclude("failed", "model_error", str(error))
    return _turned(recorder.state, turn)


def _turned(state: RunState, turn: NextStep) -> RunState:
    """The state that goes on with what was decided. Every end but a verified one passes the snitch."""
    if not isinstance(turn, Conclude):
        return state.model_copy(update={"node": turn.node})
    ending = {"verdict": turn.verdict, "reason": turn.reason, "explanation": turn.explanation}
    node: Node = "done" if turn.verdict == "verified" or state.node == "snitch" else "snitch"
    return state.model_copy(update={**ending, "node": node})


async def _baseline(recorder: RunRecorder) -> NextStep:
    await run_baseline(recorder)
    return after_baseline(recorder.state, recorder.context.profile)


async def _planner(recorder: RunRecorder) -> NextStep:
    bound = before_planner(recorder.state)
    if isinstance(bound, Conclude):
        return bound
    plan = await make_plan(recorder)
    recorder.update(plan=plan, cycle=recorder.state.history.attempts + 1)
    recorder.context.emit(PlanMade(run_id=recorder.state.id, plan=plan))
    return after_planner(recorder.state, plan)


async def _coder(recorder: RunRecorder) -> NextStep:
    allowed = before_coder(recorder.state, recorder.context.profile)
    if isinstance(allowed, Conclude):
        return allowed
    await run_coder(recorder)
    return before_verifier(recorder.state)


async def _verifier(recorder: RunRecorder) -> NextStep:
    allowed = before_verifier(recorder.state)
    if isinstance(allowed, Conclude):
        return allowed
    return (await verify(recorder)).next_step


async def _snitch(recorder: RunRecorder) -> NextStep:
    state = recorder.state
    await write_issue(recorder.context.folder.project, state, now=recorder.context.clock())
    if state.verdict is None or state.reason is None:
        raise AssertionError("a run that has not ended has nothing to report")
    return Conclude(state.verdict, state.reason, state.explanation)


NODES: dict[Node, Callable[[RunRecorder], Awaitable[NextStep]]] = {
    "baseline": _baseline,
    "planner": _planner,
    "coder": _coder,
    "verifier": _verifier,
    "snitch": _snitch,
}
