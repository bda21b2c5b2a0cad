"""The result of a run, in words and figures."""

from mulligan.core.fix_runs.next_node import PROFILES
from mulligan.types.fixing import CHECK_RUNS, CHECK_SECONDS, CommandRun, RunState
from mulligan.types.words import exit_words


def last_failures(state: RunState) -> tuple[CommandRun, ...]:
    """The last failing run of each command that judges the run. Commands that the model ran itself don't count."""
    judging = [run for run in state.runs if run.purpose in {"baseline", "verify"} and not run.passed]
    return tuple({run.command: run for run in judging}.values())


def run_exit_words(run: CommandRun) -> str:
    return exit_words(None if run.timed_out else run.exit_code)


def budget(state: RunState) -> list[tuple[str, float, float]]:
    """What was used of each budget, and its limit."""
    profile, spent = PROFILES[state.profile], state.spent
    return [
        ("commands of the model", spent.commands, profile.commands),
        ("of these, runs of tests", spent.tests, profile.tests),
        ("steps of the coder", spent.steps, profile.coder_steps),
        ("commands of Mulligan", spent.checks, CHECK_RUNS),
        ("seconds of these", round(spent.check_seconds, 1), CHECK_SECONDS),
    ]
