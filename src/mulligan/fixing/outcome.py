"""What a run came to, in words: why it ended, what each attempt ran, and what a person can do next. By code alone.

Sentences are fit for Markdown: whatever came from a model or a command stands in them as code.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.next_node import PROFILES
from mulligan.core.markdown_text import code
from mulligan.types.fixing import CHECK_RUNS, CHECK_SECONDS, CommandRun, FailureEntry, RunReason, RunState

ADVICE: dict[RunReason | None, str] = {
    "no_commands": "Say which command tests the project: `mulligan fix --verify CMD`, with the same goal.",
    "budget_used_up": "Name a quicker command with `--verify`, such as one test file, or use the profile `strict`.",
    "nothing_changed": "Say more exactly what should be different, and in which file or function.",
    "nothing_fails": "Write a test that fails and run it again, or change the code with `mulligan code`.",
    "passed_unchanged": (
        "Run the commands by hand several times: a test that fails only now and then is to be fixed first."
    ),
    "model_error": "`mulligan doctor` tells whether the model can be reached. Then start the run again.",
    "gave_up": "Read the planner's reason, and start again with a goal that says what it lacked.",
}
"""What a person can do next, where the reason alone says it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What was run in one attempt; 0 is the time before the first."""

    number: int
    runs: tuple[CommandRun, ...]
    """Without candidates."""
    candidates: int
    candidates_passed: int

    @property
    def failures(self) -> frozenset[tuple[str, str]]:
        """What the verifier found wanting: commands, and what they said."""
        return frozenset((run.command, run.summary) for run in self.runs if run.purpose == "verify" and not run.passed)


def attempts(state: RunState) -> list[Attempt]:
    """In order."""
    found: list[Attempt] = []
    for number in sorted({run.attempt for run in state.runs}):
        runs = [run for run in state.runs if run.attempt == number]
        candidates = [run for run in runs if run.purpose == "candidate"]
        others = tuple(run for run in runs if run.purpose != "candidate")
        found.append(Attempt(number, others, len(candidates), sum(run.passed for run in candidates)))
    return found


def last_failures(state: RunState, most: int = 5) -> tuple[FailureEntry, ...]:
    """The last entries of the history, each told once, in order."""
    newest_first = dict.fromkeys(reversed(state.history.entries))
    return tuple(list(newest_first)[:most][::-1])


def exit_words(exit_code: int | None) -> str:
    if exit_code is None:
        return "stopped at its time limit"
    return f"ended by signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"


def budget(state: RunState) -> list[tuple[str, float, float]]:
    """What was used, and how much was allowed."""
    profile, spent = PROFILES[state.profile], state.spent
    return [
        ("commands of the model", spent.commands, profile.commands),
        ("of these, runs of tests", spent.tests, profile.tests),
        ("steps of the coder", spent.steps, profile.coder_steps),
        ("commands of Mulligan", spent.checks, CHECK_RUNS),
        ("seconds of these", round(spent.check_seconds, 1), CHECK_SECONDS),
    ]


def follow_up(state: RunState) -> tuple[str, ...]:
    """What a person can do next, the most useful first."""
    if state.ended_at is None and state.verdict is None:
        return (f"Go on with it: `mulligan fix --resume {state.id}`.",)
    return tuple(dict.fromkeys(_advice(state)))


def _advice(state: RunState) -> Iterator[str]:
    yield from _on_tools(state)
    if state.reason in ADVICE:
        yield ADVICE[state.reason]
    if state.reason == "bounded_attempts_exceeded":
        yield from _on_attempts(state)
    if state.files and state.verdict == "verified":
        yield "Look at the changes that wait with `mulligan changes show`; `mulligan changes apply` puts them in place."
    elif state.files:
        yield (
            "What was gained is not verified as a whole. Look at it with `mulligan changes show` before you "
            "`mulligan changes apply` or `mulligan changes reject` it."
        )


def _on_tools(state: RunState) -> Iterator[str]:
    """Where a command could not do its work, no change of the code helps."""
    broken = [entry.command for entry in last_failures(state) if entry.kind == "tooling_error"]
    broken += [check.command for check in state.standing if check.kind == "tooling_error"]
    for command in dict.fromkeys(broken):
        program = _program(command)
        look = f"`command -v` {code(program)} tells whether it is installed, then" if program else "To see why,"
        yield f"{code(program or command)} could not do its work. {look} run {code(command)} in the project by hand."
    for entry in last_failures(state):
        if entry.exit_code is None:
            yield (
                f"{code(entry.command)} was stopped at its time limit of {state.time_limit:g} s. Find out whether it "
                "hangs, or name a quicker command with `--verify`."
            )


def _program(command: str) -> str:
    """The first word that is no assignment of a variable."""
    words = (word for word in command.split() if "=" not in word)
    return next(words, "")


def _on_attempts(state: RunState) -> Iterator[str]:
    left = failing_tests(state.standing)
    if left:
        yield f"Start again with a narrower goal that names one failing test, such as {code(left[0].id, 200)}."
    tried = [attempt for attempt in attempts(state) if attempt.failures]
    if len(tried) < 2:
        return
    if len({attempt.failures for attempt in tried}) == 1:
        yield (
            "Every attempt ended with the same failure: its cause may be in code that was not looked at. Name the "
            "file or function that you suspect in the goal."
        )
    else:
        yield f"The attempts failed in different ways. Compare their logs: {', '.join(map(code, _logs(tried)))}."


def _logs(tried: Sequence[Attempt]) -> list[str]:
    """Of each attempt, the log of the last command that failed."""
    failed = ([run for run in attempt.runs if run.purpose == "verify" and not run.passed] for attempt in tried)
    return [runs[-1].log for runs in failed if runs[-1].log]
