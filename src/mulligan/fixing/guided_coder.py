"""The guided coder: narrow questions, and every answer is tested.

A model too small to drive tools can still find the wrong line, and sometimes the right one to replace it with. So
Mulligan asks in several ways, code adds common slips, and the project's own tests decide. A change that makes fewer
tests fail is kept, and the round starts again with what is left: this is how two bugs are solved.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from dataclasses import dataclass

from mulligan.core.guided_coder.comparing import MAX_PASSING, changes_to_compare
from mulligan.core.program_repair.candidates import Candidate
from mulligan.fixing.candidate_trial import CandidateTrial
from mulligan.fixing.guided_context import GuidedContext
from mulligan.fixing.guided_questions import PreparedQuestion, Questions, offered_lines
from mulligan.types.errors import ModelError
from mulligan.types.fixing import MAX_ATTEMPTS, QUICK_SECONDS, Check

RESERVED = 2
"""Checks reserved for the verifier of each possible attempt, at least."""
SHARE = {1: 0.5, 2: 0.55}
"""How much of the remaining checks an attempt may use; the last one may use all."""

MAX_RUNS_FOR_FULL_FIX = 96
"""Tests to keep looking for a change that fixes everything, after one was found that helps some tests: a wrong
change may help some, and with it in the tree the right one no longer helps."""
MAX_FULL_RUNS = 3
"""Changes of one line that help the failing tests and get a full run, best first."""

_Helpful = tuple[int, int, Candidate]
"""How many tests still fail with a change, when it was found, and the change."""


@dataclass(frozen=True, slots=True)
class GuidedResult:
    current_checks: tuple[Check, ...]
    """The commands' results for the final tree."""
    tried: tuple[str, ...]
    """Keys of all tested changes, including earlier ones."""
    gains: int
    """Changes that were kept."""
    also_passing: tuple[str, ...]
    """Diffs of other changes with which everything passes."""
    sentence: str
    model_error: ModelError | None
    """Why the model was asked nothing more."""


async def run_guided_coder(
    context: GuidedContext, current_checks: tuple[Check, ...], *, attempt: int, tried: Collection[str]
) -> GuidedResult:
    """Try to make the commands pass. The tree holds the best work whenever this ends, also by a cancel."""
    floor = _floor(context.checks_left(), attempt, len(current_checks))
    trial = CandidateTrial(context, current_checks, dict.fromkeys(tried), floor)
    while not trial.over and not trial.is_spent() and await _round(trial, attempt):
        pass
    return GuidedResult(
        trial.current_checks,
        tuple(trial.tried),
        trial.gains,
        tuple(trial.also_passing),
        trial.sentence(),
        trial.model_error,
    )


async def _round(trial: CandidateTrial, attempt: int) -> bool:
    """Ask until a change is a gain. False if none was."""
    brief = await trial.context.brief(trial.current_checks, attempt)
    questions = Questions(trial.context, brief, attempt, offered_lines(brief, attempt), trial)
    trial.written = any(task.written for task in brief.missing)
    small: list[_Helpful] = []
    for question in await questions.in_order():
        if question.of_model:
            if trial.model_error:
                continue
            if await _keep_best(trial, questions, small):
                return True
            small.clear()
        if await _answered(trial, questions, question, small):
            return True
        if trial.over:
            break
    return await _keep_best(trial, questions, small)


async def _answered(
    trial: CandidateTrial, questions: Questions, question: PreparedQuestion, small: list[_Helpful]
) -> bool:
    """Whether one of a question's changes is kept, the best of them.

    Changes that fix less than half of the failing tests are only collected, as long as the next ones need no model:
    often they help by chance, and with one in the tree the right change no longer helps.
    """
    helpful: list[_Helpful] = []
    end = 0
    candidates = question.candidates()
    async for candidate in _until_the_model_fails(trial, candidates) if question.of_model else candidates:
        left = await trial.failing_with(candidate)
        if candidate.is_diagnostic:
            if left is not None:
                await trial.try_to_keep(candidate)  # never, but what it breaks is remembered
            if trial.over:
                break
            continue
        if left == 0 and await _fixes(trial, questions, candidate, None if question.of_model else candidates):
            return True
        if left and not question.of_model and not trial.halves(left):
            small.append((left, len(small), candidate))
        elif left:
            end = end if helpful else trial.tested + MAX_RUNS_FOR_FULL_FIX
            helpful.append((left, len(helpful), candidate))
        if helpful and trial.tested >= end:
            if await _keep_best(trial, questions, helpful):
                return True
            helpful = []
        if trial.over:
            break
    return await _keep_best(trial, questions, helpful)


async def _until_the_model_fails(
    trial: CandidateTrial, candidates: AsyncIterator[Candidate]
) -> AsyncGenerator[Candidate]:
    """What it proposed before is still used, and so are the changes that code knows."""
    try:
        async for candidate in candidates:
            yield candidate
    except ModelError as error:
        trial.model_error = error
        trial.context.note(f"The model failed: {error} Trying only what needs no model.")


async def _fixes(
    trial: CandidateTrial, questions: Questions, candidate: Candidate, next_ones: AsyncIterator[Candidate] | None
) -> bool:
    """Keep a change if it is a gain. If everything passes with it, it may be by chance: look for others first, and ask
    the model nothing more."""
    left = trial.context.checks_left()
    after = await trial.in_full(candidate)
    if after is None:
        return False
    full_seconds = (left - trial.context.checks_left()) * QUICK_SECONDS
    found = {candidate: after}
    try:
        if trial.passes(after):
            pace = trial.context.pace()
            seconds = pace.slip_seconds or pace.test_seconds
            more = changes_to_compare(candidate, trial.tested, seconds, full_seconds)
            end = trial.tested + more
            if next_ones:
                await _find_others(trial, next_ones, end, found)
            await _find_others(trial, questions.by_code.by_likelihood(more), end, found)
    finally:
        await trial.keep_best(found)
    return True


async def _find_others(
    trial: CandidateTrial, candidates: AsyncIterator[Candidate], end: int, found: dict[Candidate, tuple[Check, ...]]
) -> None:
    """Add changes with which everything passes."""
    while trial.tested < end and len(found) < MAX_PASSING and not trial.over:
        candidate = await anext(candidates, None)
        if candidate is None:
            return
        if await trial.failing_with(candidate) == 0 and not candidate.is_diagnostic:
            after = await trial.in_full(candidate)
            if after and trial.passes(after):
                found[candidate] = after


async def _keep_best(trial: CandidateTrial, questions: Questions, helpful: Sequence[_Helpful]) -> bool:
    """Keep the change that helps most. One that helps only some tests is compared with others of the same line: undoing
    the actual slip helps all tests that it broke."""
    found = sorted(helpful, key=lambda each: each[:2])
    rivals = await questions.by_code.rivals(found[0][2]) if found and found[0][0] else []
    await trial.look_ahead(rivals, len(rivals))
    for rival in rivals:
        now = await trial.failing_with(rival)
        if now is not None:
            found.append((now, len(found), rival))
        if now == 0 or trial.over:
            break
    for _, _, each in sorted(found, key=lambda each: each[:2])[:MAX_FULL_RUNS]:
        if await trial.try_to_keep(each):
            return True
    return False


def _floor(left: int, attempt: int, commands: int) -> int:
    """Where this attempt stops, by the checks that must be left. The last change may still get a full run."""
    reserved = max(RESERVED, commands) * max(1, MAX_ATTEMPTS - attempt + 1) + commands
    usable = max(0, left - reserved)
    return left - round(usable * SHARE.get(attempt, 1.0))
