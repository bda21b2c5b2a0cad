"""The end of a run: brings its result back as pending changes, writes its report, removes its tree."""

from collections.abc import Sequence

from mulligan.core.fix_runs.judging import evidence
from mulligan.core.permissions import ToolUse, judge_use
from mulligan.fixing.context import RunContext
from mulligan.types.changes import PendingChange
from mulligan.types.errors import MulliganError
from mulligan.types.run_frames import RunEnd
from mulligan.workspace.changes.pending import PendingChanges


async def finish(context: RunContext, *, apply: bool) -> RunEnd:
    """If killed halfway and run again, it ends the same: nothing is staged, applied or reported twice."""
    state = context.state
    diff = await context.tree.diff_since(state.base_snapshot) if state.base_snapshot else ""
    changes = await _import_work(context)
    applied = await _apply(context, changes) if apply and state.verdict == "verified" else 0
    context.update(ended_at=context.clock())
    ended = context.state
    report = context.folder.write(ended, diff=diff)
    await context.save()
    await context.runs.release(ended.id)
    await _clear_away(context)
    if ended.verdict is None or ended.reason is None:
        raise AssertionError("a run ends with a verdict and a reason")
    end = RunEnd(
        run_id=ended.id,
        verdict=ended.verdict,
        reason=ended.reason,
        explanation=ended.explanation,
        evidence=evidence(ended.baseline, ended.current_checks),
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


async def _import_work(context: RunContext) -> Sequence[PendingChange]:
    """The coder's kept work, without files that commands left behind."""
    state = context.state
    kept = state.coder_snapshot or state.attempt_snapshot or state.base_snapshot
    if kept:
        await context.tree.return_to(kept)
    imported = await context.tree.import_work(context.changes, state.project, state.chat_id)
    for apart in imported.skipped:
        context.note(f"Not brought back: {apart.path}: {apart.reason}.")
    # Includes those that a killed process had staged.
    return await context.changes.list(state.project, statuses=("pending",), chat_id=state.chat_id)


async def _apply(context: RunContext, changes: Sequence[PendingChange]) -> int:
    pending = PendingChanges(context.folder.project, context.changes, project=context.state.project)
    outcomes = await pending.apply([change for change in changes if await _may_apply(context, change)])
    for outcome in outcomes:
        if not outcome.success:
            context.note(outcome.message)
    return sum(outcome.success for outcome in outcomes)


async def _may_apply(context: RunContext, change: PendingChange) -> bool:
    """What the user's rules ask about stays pending if nobody says yes."""
    verdict = judge_use(ToolUse(f"{change.kind}_file", paths=(change.path,)), context.permissions)
    if verdict.decision != "ask" or not verdict.by_rules:
        return True
    return (await context.approve(f"apply the change of {change.path}", verdict)).granted


async def _clear_away(context: RunContext) -> None:
    """Remove the work tree if nothing in it would be lost."""
    try:
        gone = await context.tree.remove()
    except MulliganError as error:
        context.log("run_tree_left", run=context.state.id, error=error)
        gone = False
    if not gone:
        context.note(f"The work tree stays, with what was not brought back: {context.tree.folder}")
