"""The page of exit codes."""

from mulligan.cli.entry import OUR_FAULT, USAGE
from mulligan.types.fixing import FailureHistory, RunReason, RunVerdict, Spent
from mulligan.types.run_frames import RunEnd
from mulligan.types.turns import STOPS, UNFINISHED, WAITING
from reference.markdown import code, link, table

MEANINGS = {
    STOPS["answered"].exit_code: "done: answered, or verified and applied",
    OUR_FAULT: "an error in Mulligan; the log says more",
    USAGE: "wrong usage or configuration: a flag, a setting, an unknown id, no git repository",
    STOPS["doom_loop"].exit_code: "a guard stopped the turn",
    UNFINISHED: "ended, but the work is not done: unverified, failed, or an edit that was refused and not corrected",
    STOPS["model_error"].exit_code: "the model or the external agent is unreachable or fails",
    WAITING: "Mulligan needs your answer: the model asks a question, or changes are pending",
    STOPS["aborted"].exit_code: "aborted",
}

_RUNS: dict[str, tuple[RunVerdict, RunReason, int]] = {
    "verified, and applied": ("verified", "passed", 0),
    "verified, and changes are pending": ("verified", "passed", 1),
    "unverified": ("unverified", "no_commands", 0),
    "failed": ("failed", "bounded_attempts_exceeded", 0),
    "any, with the reason `model_error`": ("failed", "model_error", 0),
}


def blocks() -> list[str]:
    return [
        "The exit code says how a command ended. It is never 0 for work that was not done.",
        table(("code", "meaning"), ((str(each), words) for each, words in sorted(MEANINGS.items()))),
        f"Each {link('command', 'cli.md')} lists its own codes.",
        "## Turns",
        f"By the `stop_reason` of the {link('`turn_end`', 'frames.md', 'turn_end')} frame:",
        table(
            ("stop reason", "shown as", "code"),
            (
                (code(reason), stop.label, str(stop.exit_code))
                for reason, stop in sorted(STOPS.items(), key=lambda item: (item[1].exit_code, item[0]))
            ),
        ),
        (
            f"Instead of 0 it is {UNFINISHED} if the last edit of a file was refused (`unapplied`), and {WAITING} if "
            "changes are `pending`."
        ),
        "## Fix runs",
        f"By the `verdict` of the {link('`run_end`', 'frames.md', 'run_end')} frame:",
        table(("verdict", "code"), ((words, str(_run_ends(*how))) for words, how in _RUNS.items())),
    ]


def _run_ends(verdict: RunVerdict, reason: RunReason, pending: int) -> int:
    return RunEnd(
        run_id="",
        verdict=verdict,
        reason=reason,
        explanation="",
        failure_history=FailureHistory(),
        done=True,
        files=(),
        pending=pending,
        applied=0,
        report="",
        spent=Spent(),
        seconds=0,
    ).exit_code
