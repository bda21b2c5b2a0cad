"""The coder of a cycle: a turn with tools, or under guided agency the portfolio of narrow questions.

Either works in the run's work tree. What the run is judged by is as it was when the coder is done.
"""

from mulligan.core.fix_runs.guarded_files import judges_the_run
from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.planning import coder_prompt
from mulligan.core.program_repair.brief_text import brief_text
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.fixing.guided_coder import repair
from mulligan.fixing.recorder import Records
from mulligan.fixing.tool_limits import RecordedCommands, limited
from mulligan.fixing.worktree_trial import TreeBench
from mulligan.types.errors import ModelError
from mulligan.types.turns import StopReason
from mulligan.workspace.files.masked_files import MaskedFiles


async def work(records: Records) -> None:
    """One cycle's changes, from the moment the cycle began. Raises `ModelError`."""
    state, tree = records.state, records.room.tree
    start = state.start or state.base
    if start is None or state.base is None:
        raise AssertionError("a coder begins after the baseline")
    # A killed coder's half-done work goes first.
    await tree.return_to(start)
    if state.agency == "guided" and failing_tests(state.standing):
        await _answer_questions(records)
    else:
        await _take_turn(records)
    await _take_back(records, state.base)
    made = await tree.keep(f"cycle {state.cycle}, as it was made")
    records.update(made=made, files=await tree.changed_since(state.base))


async def _answer_questions(records: Records) -> None:
    state = records.state
    attempt = state.history.attempts + 1
    done = await repair(TreeBench(records), state.standing, attempt=attempt, tried=state.tried, say=records.note)
    records.update(tried=done.tried)
    records.note(done.sentence)


async def _take_turn(records: Records) -> None:
    room, state = records.room, records.state
    brief = await gather_brief(
        state.goal,
        state.standing,
        files=MaskedFiles(room.tree.files, room.mask),
        index=room.index() if failing_tests(state.standing) else None,
        budget_tokens=room.brief_tokens,
        chars_per_token=room.chars_per_token,
        attempt=state.history.attempts + 1,
    )
    end = await room.coder_turn(
        # A new attempt is a new conversation: what was tried and thrown away is in its prompt.
        state.chat_id if state.cycle == 1 else None,
        coder_prompt(state, brief_text(brief)),
        steps=room.profile.coder_steps - state.spent.steps,
        commands=RecordedCommands(room.tree, records),
        limited=limited(records),
    )
    records.used_model(end.steps, end.usage)
    records.update(spent=records.state.spent.model_copy(update={"steps": state.spent.steps + end.steps}))
    _go_up(end.stop_reason, end.explanation)


async def _take_back(records: Records, base: str) -> None:
    """Tests, runner settings and what defines the commands are as at the start, whatever the coder did."""
    tree = records.room.tree
    # Rules that ignore files go first: a file hidden by them would be seen by the commands and not by us.
    guarded = {path: "it hides files" for path in await tree.changed_since(base) if path.endswith(".gitignore")}
    await tree.take_back(base, guarded)
    before = await tree.paths_at(base)
    for path in await tree.changed_since(base):
        why = judges_the_run(path, records.state.commands, existed=path in before)
        if why:
            guarded[path] = why
    if guarded:
        await tree.take_back(base, guarded)
        told = ", ".join(f"{path} ({why})" for path, why in guarded.items())
        records.note(f"Taken back, since the run is judged by it: {told}.")
    records.update(taken_back=tuple(guarded))


def _go_up(reason: StopReason, explanation: str) -> None:
    """A guard that stopped the turn leaves its work to the verifier; a model that failed ends the run."""
    if reason == "model_error":
        raise ModelError(explanation)
