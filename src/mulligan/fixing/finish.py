"""The end of a run: its result returns to the project as pending changes, its report is written, its tree goes."""

from collections.abc import Sequence

from mulligan.core.fix_runs.judging import evidence
from mulligan.fixing.context import RunContext
from mulligan.types.changes import PendingChange
from mulligan.types.errors import MulliganError
from mulligan.types.fixing import RunState
from mulligan.types.run_frames import RunEnd, RunNote
from mulligan.workspace.changes.pending import PendingChanges


async def finish(context: RunContext, state: RunState, *, apply: bool) -> RunEnd:
    """Killed in between and run again, it ends the same: nothing is staged, applied or told twice."""
    diff = await context.tree.diff_since(state.base) if state.base else ""
    changes = await _bring_back(context, state)
    applied = await _apply(context, state, changes) if apply and state.verdict == "verified" else 0
    ended = state.model_copy(update={"ended_at": context.clock()})
    report = context.folder.write(ended, diff=diff)
    await context.store.save_run(ended)
    await context.store.release_run(ended.id)
    await _clear_away(context, ended)
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
    context.emit(end)
    return end


async def _bring_back(context: RunContext, state: RunState) -> Sequence[PendingChange]:
    """What the coder made and was kept, without what commands left lying."""
    kept = state.made or state.start or state.base
    if kept:
        await context.tree.return_to(kept)
    brought = await context.tree.bring_back(context.changes, state.project, state.chat_id)
    for apart in brought.skipped:
        context.emit(RunNote(run_id=state.id, text=f"Not brought back: {apart.path}: {apart.reason}."))
    # Those that a killed process had staged are among them.
    return await context.changes.changes(state.project, statuses=("pending",), chat_id=state.chat_id)


async def _apply(context: RunContext, state: RunState, changes: Sequence[PendingChange]) -> int:
    outcomes = await PendingChanges(context.folder.project, context.changes, project=state.project).apply(changes)
    for outcome in outcomes:
        if not outcome.success:
            context.emit(RunNote(run_id=state.id, text=outcome.message))
    return sum(outcome.success for outcome in outcomes)


async def _clear_away(context: RunContext, state: RunState) -> None:
    """The work tree goes if nothing in it would be lost."""
    try:
        gone = await context.tree.remove()
    except MulliganError as error:
        context.log("run_tree_left", run=state.id, error=error)
        gone = False
    if not gone:
        context.emit(
            RunNote(
                run_id=state.id, text=f"The work tree is left, with what was not brought back: {context.tree.folder}"
            )
        )
