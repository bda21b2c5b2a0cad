"""The verifier: runs the project's own commands on what the coder made, and judges by what they say."""

from mulligan.core.fix_runs.next_node import Conclude, Judged, after_verifier
from mulligan.fixing.recorder import RunRecorder
from mulligan.types.fixing import Check
from mulligan.types.run_frames import CycleEnded


async def run_baseline(recorder: RunRecorder) -> None:
    """Run the commands on the untouched project: what is red now is not the coder's fault. No attempt."""
    tree = recorder.context.tree
    base = recorder.state.base or await tree.keep("before the run")
    recorder.update(base=base, start=base)
    await recorder.save()
    await tree.return_to(base)
    checks = await recorder.check_all("baseline")
    await tree.return_to(base)
    recorder.update(baseline=checks, standing=checks)


async def verify(recorder: RunRecorder) -> Judged:
    """Run the commands and keep or throw away the cycle's work. What the commands themselves leave lying is removed."""
    state, tree = recorder.state, recorder.context.tree
    made = state.made or state.start or state.base
    if made is None:
        raise AssertionError("a run is verified after its baseline")
    await tree.return_to(made)
    checks = await recorder.check_all("verify")
    judged = after_verifier(recorder.state, checks)
    if judged.keep:
        await tree.return_to(made)
        recorder.update(standing=checks, start=made)
    else:
        await _throw_away(recorder)
    _remember(recorder, judged, checks)
    return judged


async def _throw_away(recorder: RunRecorder) -> None:
    state, tree = recorder.state, recorder.context.tree
    if state.start and state.base:
        await tree.return_to(state.start)
        recorder.update(files=await tree.changed_since(state.base))


def _remember(recorder: RunRecorder, judged: Judged, checks: tuple[Check, ...]) -> None:
    state = recorder.state
    recorder.update(summary=judged.summary, made=None, taken_back=())
    if isinstance(judged.next_step, Conclude):
        recorder.update(done=judged.next_step.verdict == "verified")
        return
    codes = {run.command: run.exit_code for run in state.runs if run.purpose == "verify"}
    red = [check for check in checks if not check.passed]
    if not red:  # all green, with tests gone or skipped
        red = [checks[0].model_copy(update={"kind": "test_failure", "summary": judged.summary})]
    for number, check in enumerate(red):
        recorder.add_failure(check.command, codes.get(check.command), check, attempts=1 if number == 0 else 0)
    recorder.context.emit(CycleEnded(run_id=state.id, cycle=state.cycle, kept=judged.keep, summary=judged.summary))
