"""Messages about a fix run; the same for a terminal, a pipe and an editor."""

from mulligan.core.safe_text import one_line
from mulligan.core.turn_words import duration_words
from mulligan.runtime.counted import counted
from mulligan.types.fixing import Plan
from mulligan.types.run_frames import AttemptEnded, CheckEnded, CheckStarted, RunEnd, RunStarted
from mulligan.types.words import command_failure_words, exit_words, purpose_words, run_reason_words

SHOWN_COMMAND = 60
SHOWN_SUMMARY = 110
SHOWN_NOTE = 110


def opening_words(start: RunStarted) -> str:
    how = "resumes" if start.resumed else "starts"
    return (
        f"Fix run {start.run_id} {how}: {one_line(start.goal, 80)} · {start.agency}, {one_line(start.model, 40)} · "
        f"profile {start.profile}"
    )


def command_words(start: RunStarted) -> list[str]:
    """What will judge the run, shown before anything runs."""
    if not start.commands:
        return ["No command was found that tests this project: the result can't be verified. Use --verify CMD."]
    return [f"{each.kind}: {one_line(each.command, 100)} ({one_line(each.why, 60)})" for each in start.commands]


def checking_words(check: CheckStarted | CheckEnded) -> str:
    """For a candidate, its change: its command is always the same."""
    what = one_line(check.note, SHOWN_NOTE) if check.note else f"· {one_line(check.command, SHOWN_COMMAND)}"
    return f"{purpose_words(check.purpose)} {what}"


def check_words(check: CheckEnded) -> str:
    return " · ".join([checking_words(check), _outcome(check), duration_words(check.seconds)])


def _outcome(check: CheckEnded) -> str:
    if check.passed:
        return "passed"
    if check.timed_out:
        return exit_words(None)
    count = f"{check.failing} failing" if check.failing else command_failure_words(check.kind)
    return count if check.note else one_line(f"{count}: {check.summary}", SHOWN_SUMMARY)


def plan_words(plan: Plan) -> list[str]:
    lines = [f"plan{' (by Mulligan)' if plan.by_mulligan else ''}: {one_line(plan.reason, 140)}"]
    for step in plan.plan:
        why = f" (for: {one_line(step.failure, 80)})" if step.failure else ""
        lines.append(f"  · {one_line(step.step, 100)}{why}")
    return lines


def attempt_end_words(end: AttemptEnded) -> str:
    kept = "its changes are kept" if end.kept else "its changes are discarded"
    return f"attempt {end.attempt} failed, {kept}: {one_line(end.summary, 200)}"


def verdict_words(end: RunEnd) -> str:
    return f"{end.verdict}: {end.explanation or run_reason_words(end.reason)}"


def evidence_words(end: RunEnd) -> list[str]:
    """The recorded facts, and where the report is."""
    spent = end.spent
    commands, calls = counted(spent.checks, "verifying command"), counted(spent.model_calls, "model call")
    attempts = counted(end.failure_history.attempts, "failed attempt")
    spending = f"{attempts} · {commands} · {calls} · {duration_words(end.seconds)}"
    lines = [*(one_line(line, 120) for line in end.evidence), spending]
    if end.files:
        lines.append(f"changed: {', '.join(one_line(path, 60) for path in end.files[:8])}")
    if end.report:
        lines.append(f"report: {end.report}")
    return lines
