"""The files of a run in `.mulligan/runs/<id>/`: a log for each command, and the report for people and programs."""

import json
from pathlib import Path
from typing import Any

from mulligan.core.fix_runs.advice import follow_up
from mulligan.core.fix_runs.attempts import attempt_count
from mulligan.core.fix_runs.outcome import budget, run_exit_words
from mulligan.core.secrets import mask_record, mask_secrets
from mulligan.fixing.report_text import report_text
from mulligan.types.fixing import CommandRun, RunState
from mulligan.types.words import run_reason_words
from mulligan.workspace.commands import shortened

LOG_BYTES = 1_000_000
"""Most bytes of a log; of a longer output, the beginning and the end."""
DIFF_BYTES = 500_000
HEADER_BYTES = 4000
"""Bytes of a log for everything but the two streams."""
CUT_BYTES = 100
"""Bytes for the note about each cut."""

REPORTED = {
    "reason", "explanation", "goal", "project", "model", "agency", "profile", "started_at", "ended_at", "plan",
    "commands", "baseline", "current_checks", "files", "attempts_made", "goal_texts",
}  # fmt: skip
"""Fields of the state that the JSON report copies unchanged."""


class RunFolder:
    """The folder of one run. Nothing in it looks like a key or a password.

    Every method raises `ConfigurationError` if it can't write its files.
    """

    def __init__(self, project: Path, run_id: str) -> None:
        self.project = project
        self._run_id = run_id

    @property
    def path(self) -> Path:
        return self.project / ".mulligan" / "runs" / self._run_id

    @property
    def report(self) -> Path:
        return self.path / "report.md"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    def log(self, run: CommandRun) -> str:
        """Save a command's output, and return the file's name relative to this folder."""
        name = f"logs/{run.number:02}-{run.purpose}.log"
        self._write(name, log_text(run))
        return name

    def write(self, state: RunState, *, diff: str) -> Path:
        """Write `report.json` and `report.md`, replacing older ones, and return the latter."""
        state, diff = mask_record(state), shortened(mask_secrets(diff), DIFF_BYTES)
        self._write("report.json", json.dumps(report_fields(state, diff=diff), indent=2) + "\n")
        return self._write("report.md", report_text(state, diff=diff))

    def _write(self, name: str, text: str) -> Path:
        from mulligan.workspace.changes.own_files import write_own_file

        return write_own_file(self.project, f"runs/{self._run_id}/{name}", text.encode("utf-8", "replace"))


def log_text(run: CommandRun) -> str:
    """A header, then both streams."""
    header = (
        f"command: {shortened(mask_secrets(run.command), HEADER_BYTES)}\n"
        f"number: {run.number}\n"
        f"purpose: {run.purpose}\n"
        f"attempt: {run.attempt}\n"
        f"ended: {run_exit_words(run)}\n"
        f"seconds: {run.seconds:.1f}\n"
    )
    stream_bytes = LOG_BYTES - 2 * HEADER_BYTES - 2 * CUT_BYTES
    stderr = shortened(mask_secrets(run.stderr), stream_bytes // 2)
    stdout = shortened(mask_secrets(run.stdout), stream_bytes - len(stderr.encode("utf-8", "replace")))
    return f"{header}\n--- stdout ---\n{_ended(stdout)}\n--- stderr ---\n{_ended(stderr)}"


def report_fields(state: RunState, *, diff: str) -> dict[str, Any]:
    """The JSON report."""
    return {
        "run": state.id,
        "status": state.verdict,
        "reason_words": run_reason_words(state.reason) if state.reason else "",
        **state.model_dump(include=REPORTED),
        "attempts": attempt_count(state),
        "runs": [run.model_dump(exclude={"stdout", "stderr"}) for run in state.runs],
        "failure_history": state.history.model_dump(),
        "budget": {what: {"used": used, "allowed": allowed} for what, used, allowed in budget(state)},
        "model_calls": state.spent.model_calls,
        "usage": state.spent.usage.model_dump(),
        "next_steps": list(follow_up(state)),
        "diff": diff,
    }


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
