"""The snitch: an unsuccessful run leaves a section in `.mulligan/issues.md`. It needs no model."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from mulligan.core.fix_runs.advice import follow_up
from mulligan.core.fix_runs.attempts import Attempt, attempts
from mulligan.core.fix_runs.outcome import last_failures, run_exit_words
from mulligan.core.markdown_text import code, plain
from mulligan.core.secrets import mask_record
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.fixing import MAX_ATTEMPTS, CommandRun, RunState
from mulligan.types.words import attempt_words, command_failure_words, run_reason_words

FILE = "issues.md"
MAX_FILES = 10
HEADING = "# Issues\n\nWhat fix runs could not fix. Mulligan appends to this file; edit and delete as you like.\n"


async def write_issue(project: Path, state: RunState, *, now: float) -> Path:
    """Add the run's section to the file, once. Existing text stays byte for byte. `now` is in seconds since the epoch.

    Raises `ConfigurationError` if it can't be written.
    """
    from mulligan.workspace.changes.file_locks import file_lock
    from mulligan.workspace.changes.own_files import read_own_file, write_own_file

    try:
        async with file_lock(project, f".mulligan/{FILE}"):
            present = read_own_file(project, FILE)
            if present is not None and re.search(rb"(?m)^" + re.escape(_mark(state).encode()) + rb"\r?$", present):
                return project / ".mulligan" / FILE
            before = HEADING.encode() if present is None else present
            gap = b"\n" if before.endswith(b"\n") or not before else b"\n\n"
            date = datetime.fromtimestamp(now).astimezone().strftime("%Y-%m-%d")
            added = section(state, date=date).encode("utf-8", "replace")
            return write_own_file(project, FILE, before + gap + added)
    except CallRejected as error:
        raise ConfigurationError(str(error)) from error


def section(state: RunState, *, date: str) -> str:
    """What happened in the run, for somebody who was not there. Nothing in it looks like a key or a password."""
    state = mask_record(state)
    why = f"{run_reason_words(state.reason)} ({code(state.reason)})" if state.reason else "none"
    lines = [
        f"## {plain(state.goal, 120)} ({plain(date)})",
        "",
        f"- Run: {code(state.id)}, model {code(state.model)}, profile {state.profile}",
        f"- Reason: {why}",
        f"- Attempts: {state.history.attempts} of {MAX_ATTEMPTS}",
    ]
    if state.explanation:
        lines.append(f"- In short: {plain(state.explanation)}")
    lines += [*_failures(state), *_attempts(state), "", "### Suggested follow-up", ""]
    logs = f" Full outputs are in `.mulligan/runs/{state.id}/logs`." if state.runs else ""
    lines += [f"- {sentence}" for sentence in follow_up(state)]
    lines.append(f"- `mulligan runs show {state.id}` shows what was done.{logs}")
    return "\n".join([*lines, "", _mark(state), ""])


def _mark(state: RunState) -> str:
    """A line that no model's text can produce, since such text is never alone on a line."""
    return f"<!-- mulligan run {state.id} -->"


def _failures(state: RunState) -> list[str]:
    runs = last_failures(state)
    if not runs:
        return ["- Last failing command: none"]
    failures = [f"- {code(run.command)}: {_failure(run)}" for run in runs]
    first = f"- Last failing command: {code(runs[-1].command)} ({run_exit_words(runs[-1])})"
    return [first, "", "### Last failures", "", *failures]


def _failure(run: CommandRun) -> str:
    return f"{command_failure_words(run.kind)}: {plain(run.summary or 'no output')}"


def _attempts(state: RunState) -> list[str]:
    """What each attempt planned and changed, and its result."""
    listed = [f"{each.number}. {'; '.join(_attempt(each))}" for each in attempts(state) if each.number]
    return ["", "### Attempts", "", *listed] if listed else []


def _attempt(attempt: Attempt) -> Iterator[str]:
    if attempt.plan and attempt.plan.plan and not attempt.plan.by_mulligan:
        yield f"plan: {', '.join(plain(step.step, 160) for step in attempt.plan.plan)}"
    if attempt.candidates:
        yield f"{attempt.candidates} candidates tested, {attempt.candidates_passed} passed"
    if attempt.record and attempt.record.files:
        yield f"changed {', '.join(code(path) for path in attempt.record.files[:MAX_FILES])}"
    for run in attempt.verified:
        yield f"{code(run.command)}: {plain(run.summary) or ('passed' if run.passed else 'failed')}"
    if attempt.record:
        yield attempt_words(attempt.record.outcome)
