"""The coder of an attempt: a turn with tools, or under guided agency narrow questions.

Both work in the run's work tree. Files that judge the run are restored when the coder is done.
"""

from mulligan.core.diffs.cutting import cut_diff
from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.planning import coder_prompt
from mulligan.core.program_repair.brief import brief_text
from mulligan.fixing.context import RunContext
from mulligan.fixing.guided_coder import run_guided_coder
from mulligan.fixing.tool_limits import RecordedCommands, limited
from mulligan.types.errors import ModelError

EDIT = "edit_file"
"""The tool that hooks are told about when the guided coder changes a file."""
STORED_DIFF = 60_000
"""Most characters of an attempt's diff to keep."""


async def run_coder(context: RunContext) -> None:
    """One attempt's changes, since the attempt started. Raises `ModelError`."""
    state, tree = context.state, context.tree
    start = state.attempt_snapshot or state.base_snapshot
    if start is None or state.base_snapshot is None:
        raise AssertionError("a coder begins after the baseline")
    # First remove the unfinished work of a killed coder, except what a guided one gained.
    await tree.return_to(state.coder_snapshot or start)
    failed: ModelError | None = None
    if state.agency == "guided" and failing_tests(state.current_checks):
        if not state.coder_snapshot:
            failed = await _answer_questions(context)
        await _ask_hooks(context, start)
    else:
        await _take_turn(context)
    await _restore_judging_files(context, state.base_snapshot)
    made = await tree.keep(f"attempt {state.attempt}, as it was made")
    context.update(coder_snapshot=made, files=await tree.changed_since(state.base_snapshot))
    # Masked, since later attempts see it.
    diff = cut_diff(context.mask(await tree.diff_since(start)).text, STORED_DIFF)
    context.record_attempt(files=await tree.changed_since(start), diff=diff)
    if failed:
        raise failed


async def _answer_questions(context: RunContext) -> ModelError | None:
    """The error of a model that failed, if nothing was gained: what was gained goes to the verifier."""
    state = context.state
    done = await run_guided_coder(context, state.current_checks, attempt=state.history.attempts + 1, tried=state.tried)
    context.update(tried=done.tried)
    context.record_attempt(
        also_passing=tuple(cut_diff(context.mask(each).text, STORED_DIFF) for each in done.also_passing)
    )
    context.note(done.sentence)
    return None if done.gains else done.model_error


async def _ask_hooks(context: RunContext, start: str) -> None:
    """Fire the user's hooks for each file that the attempt leaves changed. What a hook refuses is restored. Candidates
    that were only tried in the work tree fire none."""
    hooks = context.hooks
    if hooks is None:
        return
    refused: dict[str, str] = {}
    for path in await context.tree.changed_since(start):
        payload = {"chat_id": context.state.chat_id, "agent": context.agent, "arguments": {"path": path}}
        before = await hooks.fire("before_tool", payload, tool=EDIT, paths=(path,))
        if why := before.veto or "; ".join(before.troubles):
            refused[path] = f"{path} (a hook of the user said no: {why})"
            continue
        after = await hooks.fire("after_edit", payload, tool=EDIT, paths=(path,))
        for words in (*after.troubles, *([f"a hook of the user says: {after.veto}"] if after.veto else ())):
            context.note(f"{path}: {words}")
    if refused:
        await context.tree.restore_files(start, refused)
        context.note(f"Restored: {', '.join(refused.values())}.")


async def _take_turn(context: RunContext) -> None:
    """A guard that stopped the turn leaves its work to the verifier; a model that failed ends the run."""
    state = context.state
    brief = await context.brief(state.current_checks, state.history.attempts + 1)
    end = await context.coder_turn(
        # A new attempt is a new conversation: its prompt says what was tried and discarded.
        state.chat_id if state.attempt == 1 else None,
        coder_prompt(state, brief_text(brief), context.brief_chars),
        steps=context.profile.coder_steps - state.spent.steps,
        commands=RecordedCommands(context),
        limited=limited(context),
    )
    context.count_model_use(end.steps, end.usage)
    context.spend(steps=state.spent.steps + end.steps)
    if end.stop_reason == "model_error":
        raise ModelError(end.explanation)


async def _restore_judging_files(context: RunContext, base: str) -> None:
    """Restore tests, runner settings and the files that define the commands, whatever the coder did."""
    tree = context.tree
    # Ignore rules go first: the commands would see a file hidden by them, and we would not.
    restored = {
        path: "it hides files from the run" for path in await tree.changed_since(base) if path.endswith(".gitignore")
    }
    await tree.restore_files(base, restored)
    before = await tree.paths_at(base)
    for path in await tree.changed_since(base):
        if why := context.why_not_editable(path, existed=path in before):
            restored[path] = why
    if restored:
        await tree.restore_files(base, restored)
        listed = ", ".join(f"{path} ({why})" for path, why in restored.items())
        context.note(f"Restored: {listed}.")
    context.update(restored_files=tuple(restored))
