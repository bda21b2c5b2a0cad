"""The verifier: runs the project's own commands on what the coder made, and judges by what they say."""

from mulligan.core.fix_runs.next_node import Conclude, Judged, after_verifier
from mulligan.fixing.recorder import Records
from mulligan.types.fixing import Check
from mulligan.types.run_frames import CycleEnded


async def run_baseline(records: Records) -> None:
    """Run the commands on the untouched project: what is red now is not the coder's fault. No attempt."""
    tree = records.room.tree
    base = records.state.base or await tree.keep("before the run")
    records.update(base=base, start=base)
    await records.save()
    await tree.return_to(base)
    checks = await records.check_all("baseline")
    await tree.return_to(base)
    records.update(baseline=checks, standing=checks)


async def verify(records: Records) -> Judged:
    """Run the commands and keep or throw away the cycle's work. What the commands themselves leave lying is removed."""
    state, tree = records.state, records.room.tree
    made = state.made or state.start or state.base
    if made is None:
        raise AssertionError("a run is verified after its baseline")
    await tree.return_to(made)
    checks = await records.check_all("verify")
    judged = after_verifier(records.state, checks)
    if judged.keep:
        await tree.return_to(made)
        records.update(standing=checks, start=made)
    else:
        await _throw_away(records)
    _remember(records, judged, checks)
    return judged


async def _throw_away(records: Records) -> None:
    state, tree = records.state, records.room.tree
    if state.start and state.base:
        await tree.return_to(state.start)
        records.update(files=await tree.changed_since(state.base))


def _remember(records: Records, judged: Judged, checks: tuple[Check, ...]) -> None:
    state = records.state
    records.update(summary=judged.summary, made=None, taken_back=())
    if isinstance(judged.turn, Conclude):
        records.update(done=judged.turn.verdict == "verified")
        return
    codes = {run.command: run.exit_code for run in state.runs if run.purpose == "verify"}
    red = [check for check in checks if not check.passed]
    if not red:  # all green, with tests gone or skipped
        red = [checks[0].model_copy(update={"kind": "test_failure", "summary": judged.summary})]
    for number, check in enumerate(red):
        records.add_failure(check.command, codes.get(check.command), check, attempts=1 if number == 0 else 0)
    records.room.emit(CycleEnded(run_id=state.id, cycle=state.cycle, kept=judged.keep, summary=judged.summary))
