"""The snitch: a run that did not make it leaves a section in `.mulligan/issues.md`. It needs no model."""

import re
from datetime import datetime
from pathlib import Path

from mulligan.core.markdown_text import code, plain
from mulligan.core.secrets import mask_record
from mulligan.fixing.outcome import REASONS, cycles, exit_words, follow_up, last_failures
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.fixing import MAX_ATTEMPTS, RunState

FILE = "issues.md"
HEADING = "# Issues\n\nWhat fix runs could not fix. Mulligan adds to the end; edit and delete as you like.\n"


async def write_issue(project: Path, state: RunState, *, now: float) -> Path:
    """Add the run's section to the file, once. What is there stays byte for byte. `now` is in seconds since the epoch.

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
    """What became of the run, for a person who was not there. Nothing in it looks like a key or a password."""
    state = mask_record(state)
    why = f": {REASONS[state.reason]}" if state.reason else ""
    lines = [
        f"## {plain(state.goal, 120)} ({plain(date)})",
        "",
        f"- Run: {code(state.id)}, model {code(state.model)}, profile {state.profile}",
        f"- Reason: {code(state.reason or 'none')}{why}",
        f"- Attempts: {state.history.attempts} of {MAX_ATTEMPTS}",
    ]
    if state.explanation:
        lines.append(f"- In short: {plain(state.explanation)}")
    lines += [*_failures(state), *_attempts(state), "", "### Suggested follow-up", ""]
    lines += [f"- {sentence}" for sentence in (*follow_up(state), *_where_to_look(state))]
    return "\n".join([*lines, "", _mark(state), ""])


def _mark(state: RunState) -> str:
    """A line that no text of a model can make, as that never stands alone on a line."""
    return f"<!-- mulligan run {state.id} -->"


def _failures(state: RunState) -> list[str]:
    entries = last_failures(state)
    if not entries:
        return ["- Last failing command: none"]
    last = state.history.entries[-1]
    told = [f"- {code(entry.command)}: {entry.kind}: {plain(entry.summary or 'no words')}" for entry in entries]
    return [
        f"- Last failing command: {code(last.command)} ({exit_words(last.exit_code)})",
        "",
        "### Last failures",
        "",
        *told,
    ]


def _attempts(state: RunState) -> list[str]:
    """What changed from one attempt to the next."""
    told: list[str] = []
    for cycle in cycles(state):
        verified = [run for run in cycle.runs if run.purpose == "verify"]
        said = [f"{code(run.command)}: {plain(run.summary) or _result(passed=run.passed)}" for run in verified]
        if cycle.candidates:
            said.insert(0, f"{cycle.candidates} candidates tested, {cycle.candidates_passed} passed")
        if cycle.number and said:
            told.append(f"{cycle.number}. {'; '.join(said)}")
    return ["", "### Attempts", "", *told] if told else []


def _where_to_look(state: RunState) -> tuple[str, ...]:
    logs = f" Whole outputs are in `.mulligan/runs/{state.id}/logs`." if state.runs else ""
    return (f"`mulligan runs show {state.id}` tells what was done.{logs}",)


def _result(*, passed: bool) -> str:
    return "passed" if passed else "failed"
