"""A fix run: baseline, then planner, coder, verifier round and round, at most three times. One function a node.

The state is stored after every node, so that a run which was killed goes on from there. Where it goes next is decided
in `core/fix_runs/next_node`, by what was recorded.
"""

from collections.abc import Awaitable, Callable

from mulligan.core.fix_runs.next_node import (
    Conclude,
    Turn,
    after_baseline,
    after_planner,
    before_coder,
    before_planner,
    before_verifier,
)
from mulligan.fixing.coder import work
from mulligan.fixing.context import RunRoom
from mulligan.fixing.finish import finish
from mulligan.fixing.planner import make_plan
from mulligan.fixing.recorder import Records
from mulligan.fixing.snitch import write_issue
from mulligan.fixing.verifier import run_baseline, verify
from mulligan.types.errors import ModelError
from mulligan.types.fixing import Node, RunState
from mulligan.types.run_frames import NodeEntered, PlanMade, RunEnd


async def run_fix(room: RunRoom, state: RunState, *, apply: bool) -> RunEnd:
    """Take a run from where it stands to its end. `apply` applies a verified result, and no other.

    Being cancelled leaves the run as it was after its last node: it can be resumed.
    """
    while state.node != "done":
        room.emit(NodeEntered(run_id=state.id, node=state.node, cycle=state.cycle, attempts=state.history.attempts))
        state = await _step(room, state)
        await room.store.save_run(state)
    return await finish(room, state, apply=apply)


async def _step(room: RunRoom, state: RunState) -> RunState:
    """One node. A model that fails ends the run, whatever the node."""
    records = Records(room, state)
    try:
        turn = await NODES[state.node](records)
    except ModelError as error:
        room.log("run_model_failed", run=state.id, node=state.node, error=error)
        turn = Conclude("failed", "model_error", str(error))
    return _turned(records.state, turn)


def _turned(state: RunState, turn: Turn) -> RunState:
    """The state that goes on with what was decided. Every end but a verified one passes the snitch."""
    if not isinstance(turn, Conclude):
        return state.model_copy(update={"node": turn.node})
    ending = {"verdict": turn.verdict, "reason": turn.reason, "explanation": turn.explanation}
    node: Node = "done" if turn.verdict == "verified" or state.node == "snitch" else "snitch"
    return state.model_copy(update={**ending, "node": node})


async def _baseline(records: Records) -> Turn:
    await run_baseline(records)
    return after_baseline(records.state, records.room.profile)


async def _planner(records: Records) -> Turn:
    bound = before_planner(records.state)
    if isinstance(bound, Conclude):
        return bound
    plan = await make_plan(records)
    records.update(plan=plan, cycle=records.state.history.attempts + 1)
    records.room.emit(PlanMade(run_id=records.state.id, plan=plan))
    return after_planner(records.state, plan)


async def _coder(records: Records) -> Turn:
    allowed = before_coder(records.state, records.room.profile)
    if isinstance(allowed, Conclude):
        return allowed
    await work(records)
    return before_verifier(records.state)


async def _verifier(records: Records) -> Turn:
    allowed = before_verifier(records.state)
    if isinstance(allowed, Conclude):
        return allowed
    return (await verify(records)).turn


async def _snitch(records: Records) -> Turn:
    state = records.state
    await write_issue(records.room.folder.project, state, now=records.room.clock())
    if state.verdict is None or state.reason is None:
        raise AssertionError("a run that has not ended has nothing to report")
    return Conclude(state.verdict, state.reason, state.explanation)


NODES: dict[Node, Callable[[Records], Awaitable[Turn]]] = {
    "baseline": _baseline,
    "planner": _planner,
    "coder": _coder,
    "verifier": _verifier,
    "snitch": _snitch,
}
