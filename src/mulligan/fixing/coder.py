"""The coder of a cycle: a turn with tools, or under guided agency the portfolio of narrow questions.

Either works in the run's work tree. What the run is judged by is as it was when the coder is done.
"""

from mulligan.core.fix_runs.guarded_files import judges_the_run
from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.planning import coder_prompt
from mulligan.core.program_repair.brief import brief_text
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.fixing.guided_coder import run_guided_coder
from mulligan.fixing.recorder import RunRecorder
from mulligan.fixing.tool_limits import RecordedCommands, limited
from mulligan.fixing.worktree_trial import WorktreeTrial
from mulligan.types.errors import ModelError
from mulligan.types.turns import StopReason
from mulligan.workspace.files.masked_files import MaskedFiles


async def run_coder(recorder: RunRecorder) -> None:
    """One cycle's changes, from the moment the cycle began. Raises `ModelError`."""
    state, tree = recorder.state, recorder.context.tree
    start = state.start or state.base
    if start is None or state.base is None:
        raise AssertionError("a coder begins after the baseline")
    # A killed coder's half-done work goes first.
    await tree.return_to(start)
    if state.agency == "guided" and failing_tests(state.standing):
        await _answer_questions(recorder)
    else:
        await _take_turn(recorder)
    await _take_back(recorder, state.base)
    made = await tree.keep(f"cycle {state.cycle}, as it was made")
    recorder.update(made=made, files=await tree.changed_since(state.base))


async def _answer_questions(recorder: RunRecorder) -> None:
    state = recorder.state
    attempt = state.history.attempts + 1
    done = await run_guided_coder(
        WorktreeTrial(recorder), state.standing, attempt=attempt, tried=state.tried, say=recorder.note
    )
    recorder.update(tried=done.tried)
    recorder.note(done.sentence)


async def _take_turn(recorder: RunRecorder) -> None:
    context, state = recorder.context, recorder.state
    brief = await gather_brief(
        state.goal,
        state.standing,
        files=MaskedFiles(context.tree.files, context.mask),
        index=context.index() if failing_tests(state.standing) else None,
        budget_tokens=context.brief_tokens,
        chars_per_token=context.chars_per_token,
        attempt=state.history.attempts + 1,
    )
    end = await context.coder_turn(
        # A new attempt is a new conversation: what was tried and thrown away is in its prompt.
        state.chat_id if state.cycle == 1 else None,
        coder_prompt(state, brief_text(brief)),
        steps=context.profile.coder_steps - state.spent.steps,
        commands=RecordedCommands(context.tree, recorder),
        limited=limited(recorder),
    )
    recorder.record_model_use(end.steps, end.usage)
    recorder.update(spent=recorder.state.spent.model_copy(update={"steps": state.spent.steps + end.steps}))
    _raise_model_error(end.stop_reason, end.explanation)


async def _take_back(recorder: RunRecorder, base: str) -> None:
    """Tests, runner settings and what defines the commands are as at the start, whatever the coder did."""
    tree = recorder.context.tree
    # Rules that ignore files go first: a file hidden by them would be seen by the commands and not by us.
    guarded = {path: "it hides files" for path in await tree.changed_since(base) if path.endswith(".gitignore")}
    await tree.take_back(base, guarded)
    before = await tree.paths_at(base)
    for path in await tree.changed_since(base):
        why = judges_the_run(path, recorder.state.commands, existed=path in before)
        if why:
            guarded[path] = why
    if guarded:
        await tree.take_back(base, guarded)
        told = ", ".join(f"{path} ({why})" for path, why in guarded.items())
        recorder.note(f"Taken back, since the run is judged by it: {told}.")
    recorder.update(taken_back=tuple(guarded))


def _raise_model_error(reason: StopReason, explanation: str) -> None:
    """A guard that stopped the turn leaves its work to the verifier; a model that failed ends the run."""
    if reason == "model_error":
        raise ModelError(explanation)
