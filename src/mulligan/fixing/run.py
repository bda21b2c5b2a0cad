"""A fix run: baseline, then planner, coder, verifier in a loop, at most three times. One function per node.

The state is stored after every node, so that a killed run can resume from there. `core/fix_runs/next_node` decides
what comes next, from what was recorded.
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
from mulligan.fixing.snitch import write_issue
from mulligan.fixing.verifier import run_baseline, verify
from mulligan.types.errors import ModelError
from mulligan.types.fixing import Node, RunState
from mulligan.types.run_frames import NodeEntered, PlanMade, RunEnd


async def run_fix(context: RunContext, *, apply: bool) -> RunEnd:
    """Take a run from its current state to its end. `apply` applies the result only if it is verified.

    Cancellation leaves the run as it was after its last node: it can be resumed.
    """
    while (state := context.state).node != "done":
        attempts = state.history.attempts
        context.emit(NodeEntered(run_id=state.id, node=state.node, attempt=state.attempt, attempts=attempts))
        step = await _run_node(context, state.node)
        context.state = _moved(context.state, step)
        await context.save()
    return await finish(context, apply=apply)


async def _run_node(context: RunContext, node: Node) -> NextStep:
    """A failing model ends the run, in any node."""
    try:
        return await NODES[node](context)
    except ModelError as error:
        context.log("run_model_failed", run=context.state.id, node=node, error=error)
        return Conclude("failed", "model_error", str(error))


def _moved(state: RunState, step: NextStep) -> RunState:
    """The state after a decision. Every end except a verified one goes through the snitch."""
    if not isinstance(step, Conclude):
        return state.model_copy(update={"node": step.node})
    ending = {"verdict": step.verdict, "reason": step.reason, "explanation": step.explanation}
    node: Node = "done" if step.verdict == "verified" or state.node == "snitch" else "snitch"
    return state.model_copy(update={**ending, "node": node})


async def _baseline(context: RunContext) -> NextStep:
    await run_baseline(context)
    return after_baseline(context.state, context.profile)


async def _planner(context: RunContext) -> NextStep:
    bound = before_planner(context.state)
    if isinstance(bound, Conclude):
        return bound
    plan = await make_plan(context)
    context.update(plan=plan, attempt=context.state.history.attempts + 1)
    context.emit(PlanMade(run_id=context.state.id, plan=plan))
    step = after_planner(context.state, plan)
    if not isinstance(step, Conclude):
        context.record_attempt()
    return step


async def _coder(context: RunContext) -> NextStep:
    allowed = before_coder(context.state, context.profile)
    if isinstance(allowed, Conclude):
        return allowed
    await run_coder(context)
    return before_verifier(context.state)


async def _verifier(context: RunContext) -> NextStep:
    allowed = before_verifier(context.state)
    if isinstance(allowed, Conclude):
        return allowed
    return (await verify(context)).next_step


async def _snitch(context: RunContext) -> NextStep:
    state = context.state
    await write_issue(context.folder.project, state, now=context.clock())
    if state.verdict is None or state.reason is None:
        raise AssertionError("a run that has not ended has nothing to report")
    return Conclude(state.verdict, state.reason, state.explanation)


NODES: dict[Node, Callable[[RunContext], Awaitable[NextStep]]] = {
    "baseline": _baseline,
    "planner": _planner,
    "coder": _coder,
    "verifier": _verifier,
    "snitch": _snitch,
}
