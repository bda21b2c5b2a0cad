"""The end of a run: its result returns to the project as pending changes, its report is written, its tree goes."""

from collections.abc import Sequence

from mulligan.core.fix_runs.judging import evidence
from mulligan.fixing.context import RunRoom
from mulligan.types.changes import PendingChange
from mulligan.types.errors import MulliganError
from mulligan.types.fixing import RunState
from mulligan.types.run_frames import RunEnd, RunNote
from mulligan.workspace.changes.pending import PendingChanges


async def finish(room: RunRoom, state: RunState, *, apply: bool) -> RunEnd:
    """Killed in between and run again, it ends the same: nothing is staged, applied or told twice."""
    diff = await room.tree.diff_since(state.base) if state.base else ""
    changes = await _bring_back(room, state)
    applied = await _apply(room, state, changes) if apply and state.verdict == "verified" else 0
    ended = state.model_copy(update={"ended_at": room.clock()})
    report = room.folder.write(ended, diff=diff)
    await room.store.save_run(ended)
    await room.store.release_run(ended.id)
    await _clear_away(room, ended)
    if ended.verdict is None or ended.reason is None:
        raise AssertionError("a run ends with a verdict and a reason")
    end = RunEnd(
        run_id=ended.id,
        verdict=ended.verdict,
        reason=ended.reason,
        explanation=ended.explanation,
        evidence=evidence(ended.baseline, ended.standing),
        failure_history=ended.history,
        done=ended.done,
        files=ended.files,
        pending=len(changes) - applied,
        applied=applied,
        report=str(report),
        spent=ended.spent,
        seconds=max(0.0, (ended.ended_at or 0.0) - ended.started_at),
    )
    room.emit(end)
    return end


async def _bring_back(room: RunRoom, state: RunState) -> Sequence[PendingChange]:
    """What the coder made and was kept, without what commands left lying."""
    kept = state.made or state.start or state.base
    if kept:
        await room.tree.return_to(kept)
    brought = await room.tree.bring_back(room.changes, state.project, state.chat_id)
    for apart in brought.apart:
        room.emit(RunNote(run_id=state.id, text=f"Not brought back: {apart.path}: {apart.reason}."))
    # Those that a killed process had staged are among them.
    return await room.changes.changes(state.project, statuses=("pending",), chat_id=state.chat_id)


async def _apply(room: RunRoom, state: RunState, changes: Sequence[PendingChange]) -> int:
    outcomes = await PendingChanges(room.folder.project, room.changes, project=state.project).apply(changes)
    for outcome in outcomes:
        if not outcome.success:
            room.emit(RunNote(run_id=state.id, text=outcome.message))
    return sum(outcome.success for outcome in outcomes)


async def _clear_away(room: RunRoom, state: RunState) -> None:
    """The work tree goes if nothing in it would be lost."""
    try:
        gone = await room.tree.remove()
    except MulliganError as error:
        room.log("run_tree_left", run=state.id, error=error)
        gone = False
    if not gone:
        room.emit(
            RunNote(run_id=state.id, text=f"The work tree is left, with what was not brought back: {room.tree.folder}")
        )
