"""The verifier: runs the project's own commands on the coder's work, and judges by their results."""

from mulligan.core.fix_runs.judging import unable_linters
from mulligan.core.fix_runs.next_node import Conclude, Judged, after_verifier
from mulligan.fixing.context import RunContext
from mulligan.types.fixing import Check
from mulligan.types.run_frames import AttemptEnded


async def run_baseline(context: RunContext) -> None:
    """Run the commands on the untouched project: what fails now is not the coder's fault. Not an attempt."""
    tree = context.tree
    base = context.state.base_snapshot or await tree.keep("before the run")
    context.update(base_snapshot=base, attempt_snapshot=base)
    await context.save()
    await tree.return_to(base)
    checks = await context.checks.run_all("baseline")
    await tree.return_to(base)
    unable = unable_linters(context.state.commands, checks)
    for check in unable:
        context.note(f"{check.command} can't run here and does not judge this run: {check.summary}")
    left_out = {check.command for check in unable}
    able = tuple(check for check in checks if check.command not in left_out)
    commands = tuple(each for each in context.state.commands if each.command not in left_out)
    context.update(commands=commands, baseline=able, current_checks=able)


async def verify(context: RunContext) -> Judged:
    """Run the commands, then keep or discard the attempt's work. Removes what the commands leave behind."""
    state, tree = context.state, context.tree
    made = state.coder_snapshot or state.attempt_snapshot or state.base_snapshot
    if made is None:
        raise AssertionError("a run is verified after its baseline")
    await tree.return_to(made)
    checks = await context.checks.run_all("verify")
    judged = after_verifier(context.state, checks)
    if judged.keep:
        await tree.return_to(made)
        context.update(current_checks=checks, attempt_snapshot=made)
    else:
        await _discard(context)
    _remember(context, judged, checks)
    return judged


async def _discard(context: RunContext) -> None:
    state, tree = context.state, context.tree
    if state.attempt_snapshot and state.base_snapshot:
        await tree.return_to(state.attempt_snapshot)
        context.update(files=await tree.changed_since(state.base_snapshot))


def _remember(context: RunContext, judged: Judged, checks: tuple[Check, ...]) -> None:
    state = context.state
    context.update(summary=judged.summary, coder_snapshot=None, restored_files=())
    passed = isinstance(judged.next_step, Conclude)
    outcome = "passed" if passed else "kept" if judged.keep else "discarded"
    context.record_attempt(checks=checks, outcome=outcome, summary=judged.summary)
    if isinstance(judged.next_step, Conclude):
        context.update(done=judged.next_step.verdict == "verified")
        return
    codes = {run.command: run.exit_code for run in state.runs if run.purpose == "verify"}
    red = [check for check in checks if not check.passed]
    if not red:  # all pass, but tests are missing or skipped
        red = [checks[0].model_copy(update={"kind": "test_failure", "summary": judged.summary})]
    for number, check in enumerate(red):
        context.add_failure(codes.get(check.command), check, attempts=1 if number == 0 else 0)
    context.emit(AttemptEnded(run_id=state.id, attempt=state.attempt, kept=judged.keep, summary=judged.summary))
