"""The report of a run for people, as Markdown."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mulligan.core.fix_runs.advice import follow_up
from mulligan.core.fix_runs.attempts import also_passing, attempt_count, attempts
from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.outcome import budget, run_exit_words
from mulligan.core.markdown_text import code, fenced, plain
from mulligan.runtime.counted import counted
from mulligan.types.fixing import MAX_ATTEMPTS, AttemptRecord, Check, CommandRun, FailingTest, Plan, RunState
from mulligan.types.words import attempt_words, command_failure_words, purpose_words, run_reason_words

MAX_LISTED = 100
"""Most files or failures to list."""


def report_text(state: RunState, *, diff: str) -> str:
    """Status and next step first, evidence below. Text from models and commands can't break it."""
    pieces = [f"# Fix run {code(state.id)}: {state.verdict or 'not ended'}", _facts(state)]
    for title, lines in (
        ("Next step", [f"- {sentence}" for sentence in follow_up(state)]),
        ("What judges it", list(_judges(state))),
        ("Attempts", list(_attempts(state, diff))),
        ("Failures left", _listed([_failure(test) for test in failing_tests(state.current_checks)])),
        ("Files", _listed([code(path) for path in state.files])),
        ("Budget", list(_budget(state))),
    ):
        if lines:
            pieces += [f"## {title}", "\n".join(lines)]
    if diff.strip():
        pieces += ["## Diff", fenced(diff, "diff")]
    if state.verdict == "verified" and (alike := also_passing(state)):
        pieces += ["## Other changes with which everything passes", *(fenced(each, "diff") for each in alike)]
    return "\n\n".join(pieces) + "\n"


def _facts(state: RunState) -> str:
    why = f"{run_reason_words(state.reason)} ({code(state.reason)})" if state.reason else "none yet"
    facts = [
        f"Goal: {plain(state.goal, 2000)}",
        f"Reason: {why}",
        f"In short: {plain(state.explanation, 1000)}" if state.explanation else "",
        f"Attempts: {attempt_count(state)} of {MAX_ATTEMPTS}",
        f"Model: {code(state.model)}, {state.agency}, profile {state.profile}",
        f"Started: {_time(state.started_at)}" + (f", ended {_time(state.ended_at)}" if state.ended_at else ""),
        f"Project: {code(state.project, 2000)}",
    ]
    return "\n".join(f"- {fact}" for fact in facts if fact)


def _judges(state: RunState) -> Iterator[str]:
    """Each command's result before, and with the kept work."""
    before, now = ({check.command: check for check in checks} for checks in (state.baseline, state.current_checks))
    for command in state.commands:
        yield f"- {code(command.command)} ({command.kind}, {plain(command.why)})"
        if command.command in before:
            yield f"  - before: {_check_words(before[command.command])}"
        if command.command in now and state.current_checks != state.baseline:
            yield f"  - now: {_check_words(now[command.command])}"


def _failure(test: FailingTest) -> str:
    return f"{code(test.id)}: {plain(test.message)}" if test.message else code(test.id)


def _check_words(check: Check) -> str:
    return "passed" if check.passed else f"{command_failure_words(check.kind)}: {plain(check.summary)}"


def _attempts(state: RunState, diff: str) -> Iterator[str]:
    for index, attempt in enumerate(attempts(state)):
        yield from ([""] if index else [])
        became = f": {attempt_words(attempt.record.outcome)}" if attempt.record else ""
        yield f"### Attempt {attempt.number}{became}\n" if attempt.number else "### Before any change\n"
        yield from _plan(attempt.plan)
        yield from (_run_line(run) for run in attempt.runs)
        if attempt.candidates:
            yield f"- {attempt.candidates} candidates tested, {attempt.candidates_passed} passed"
        yield from _changes(attempt.record, diff)


def _plan(plan: Plan | None) -> Iterator[str]:
    if plan is None:
        return
    yield f"Plan {'by Mulligan' if plan.by_mulligan else 'by the model'}: {plain(plan.reason, 1000)}\n"
    for number, step in enumerate(plan.plan, 1):
        about = f" (for {plain(step.failure)})" if step.failure else ""
        yield f"{number}. {plain(step.step, 1000)}{about}"
    yield ""


def _changes(record: AttemptRecord | None, result: str) -> Iterator[str]:
    """What the attempt changed, unless it is the result, which has its own section."""
    if record is None:
        return
    if record.summary:
        yield f"- judged: {plain(record.summary, 1000)}"
    if record.diff.strip() and record.diff.strip() == result.strip():
        yield "- its changes are the result, see below"
    elif record.diff.strip():
        yield f"\n{fenced(record.diff, 'diff')}"


def _run_line(run: CommandRun) -> str:
    outcome = "passed" if run.passed else f"{command_failure_words(run.kind)}, {run_exit_words(run)}"
    summary = f": {plain(run.summary)}" if run.summary and not run.passed else ""
    log = f" ([log]({run.log}))" if run.log else ""
    purpose = "" if run.purpose == "baseline" else f"{purpose_words(run.purpose)}: "
    return f"- {purpose}{code(run.command)}: {outcome}, {run.seconds:.1f} s{summary}{log}"


def _budget(state: RunState) -> Iterator[str]:
    yield "| what | used | allowed |"
    yield "|---|---|---|"
    yield from (f"| {what} | {used:g} | {allowed:g} |" for what, used, allowed in budget(state))
    usage = state.spent.usage
    yield ""
    yield (
        f"{counted(state.spent.model_calls, 'model call')}: {usage.prompt_tokens} tokens read, "
        f"{usage.completion_tokens} written."
    )


def _listed(things: Sequence[str]) -> list[str]:
    more = len(things) - MAX_LISTED
    return [f"- {thing}" for thing in things[:MAX_LISTED]] + ([f"- … and {more} more"] if more > 0 else [])


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
