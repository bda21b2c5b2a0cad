"""A fix run as text, the most important facts first."""

from collections.abc import Iterator
from pathlib import Path

from mulligan.cli.text.safe_text import one_line, safe_text
from mulligan.cli.text.sentences import format_time
from mulligan.core.fix_runs.advice import follow_up
from mulligan.core.fix_runs.attempts import Attempt, attempt_count, attempts
from mulligan.core.fix_runs.outcome import run_exit_words
from mulligan.core.secrets import mask_record
from mulligan.core.turn_words import duration_words
from mulligan.fixing.report import RunFolder
from mulligan.ports.runs import KeptRun
from mulligan.types.fixing import MAX_ATTEMPTS, AttemptRecord, CommandRun, Plan, RunState
from mulligan.types.words import attempt_words, command_failure_words, run_reason_words

MAX_FILES = 40
MAX_DIFF_LINES = 200
"""Of an attempt."""
MAX_LINE_CHARS = 400


def run_lines(kept: KeptRun) -> Iterator[str]:
    """Verdict and reason, attempts with plan, commands and diff, files, where the report is, what to do next.

    Every line is safe to print on a terminal.
    """
    state = mask_record(kept.state)
    yield f"run {state.id}: {status_words(kept)}"
    yield f"goal: {one_line(state.goal, 400)}"
    if state.reason:
        yield f"reason: {run_reason_words(state.reason)} ({state.reason})"
    if state.explanation:
        yield f"  {one_line(state.explanation, 600)}"
    model = one_line(state.model, 80)
    yield f"started: {format_time(state.started_at)}, model {model}, {state.agency}, profile {state.profile}"
    yield f"attempts: {attempt_count(state)} of {MAX_ATTEMPTS}"
    for attempt in attempts(state):
        yield from _attempt(attempt)
    yield from _files(state)
    for what, path in (("report", report_of(kept)), ("logs", logs_of(kept))):
        if path:
            yield f"{what}: {one_line(str(path), 4096)}"
    steps = next_steps(kept)
    if steps:
        yield "next:"
        yield from (f"  {one_line(step, 600)}" for step in steps)


def status_words(kept: KeptRun) -> str:
    """The verdict, or the current state."""
    if kept.state.ended_at is not None:
        return kept.state.verdict or "ended"
    return "running" if kept.running else f"interrupted: mulligan fix --resume {kept.state.id}"


def next_steps(kept: KeptRun) -> list[str]:
    if kept.state.ended_at is not None:
        return list(follow_up(mask_record(kept.state)))
    return [] if kept.running else [f"Resume it: `mulligan fix --resume {kept.state.id}`."]


def report_of(kept: KeptRun) -> Path | None:
    """None if there is no report: the run has not ended, or somebody deleted it."""
    report = _folder(kept).report
    return report if report.exists() else None


def logs_of(kept: KeptRun) -> Path | None:
    logs = _folder(kept).logs
    return logs if logs.exists() else None


def _folder(kept: KeptRun) -> RunFolder:
    return RunFolder(Path(kept.state.project), kept.state.id)


def _attempt(attempt: Attempt) -> Iterator[str]:
    became = f" {attempt_words(attempt.record.outcome)}" if attempt.record else ""
    yield f"attempt {attempt.number}:{became}" if attempt.number else "before any change:"
    yield from _plan(attempt.plan)
    yield from (_run_line(run) for run in attempt.runs)
    if attempt.candidates:
        yield f"  {attempt.candidates} candidates tested, {attempt.candidates_passed} passed"
    if attempt.record:
        yield from _judged(attempt.record)


def _plan(plan: Plan | None) -> Iterator[str]:
    if plan is None:
        return
    yield f"  plan{' (by Mulligan)' if plan.by_mulligan else ''}: {one_line(plan.reason, 400)}"
    for number, step in enumerate(plan.plan, 1):
        about = f" (for {one_line(step.failure, 160)})" if step.failure else ""
        yield f"    {number}. {one_line(step.step, 300)}{about}"


def _judged(record: AttemptRecord) -> Iterator[str]:
    if record.summary:
        yield f"  judged: {one_line(record.summary, 400)}"
    lines = record.diff.rstrip("\n").split("\n") if record.diff.strip() else []
    yield from (f"    {safe_text(line[:MAX_LINE_CHARS])}" for line in lines[:MAX_DIFF_LINES])
    if len(lines) > MAX_DIFF_LINES:
        yield f"    … {len(lines) - MAX_DIFF_LINES} more lines are in the report"


def _run_line(run: CommandRun) -> str:
    asked = " (the model asked for it)" if run.purpose == "coder" else ""
    line = f"  {'✓' if run.passed else '✗'} {one_line(run.command, 120)}{asked}, {duration_words(run.seconds)}"
    if run.passed:
        return line
    return f"{line}, {run_exit_words(run)}: {command_failure_words(run.kind)}: {one_line(run.summary, 200)}"


def _files(state: RunState) -> Iterator[str]:
    if state.files:
        yield "files:"
        yield from (f"  {one_line(path, 200)}" for path in state.files[:MAX_FILES])
    if len(state.files) > MAX_FILES:
        yield f"  … and {len(state.files) - MAX_FILES} more"
