"""What the user can do after a run, by the tests that fail and the commands that judge it. Made by code alone.

The sentences are safe in Markdown: text from a model or a command is quoted as code.
"""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.failures import locations_in
from mulligan.core.fix_runs.attempts import Attempt, also_passing, attempts
from mulligan.core.fix_runs.judging import failing_tests, goal_failures
from mulligan.core.markdown_text import code
from mulligan.core.project_commands import narrow
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.fixing import Check, FailingTest, RunReason, RunState

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
"""The next step for the user, if the reason alone tells it."""

LOOK_AT_CHANGES = "Look at the pending changes with `mulligan changes show`; `mulligan changes apply` applies them."
LOOK_FIRST = (
    "Look at it with `mulligan changes show` before you `mulligan changes apply` or `mulligan changes reject` it."
)
SETTLE = (
    "The tests can't tell this change from others, which the report shows. If it is not what you mean, reject it, add "
    "a test that says what you mean, and start again."
)
MAX_NAMED = 3
"""Most tests to name per attempt."""
NOT_FOUND = 127
"""A shell's exit code for an unknown program."""


def follow_up(state: RunState) -> tuple[str, ...]:
    """Next steps for the user, the most useful first."""
    if state.ended_at is None and state.verdict is None:
        return (f"Go on with it: `mulligan fix --resume {state.id}`.",)
    return tuple(dict.fromkeys(_advice(state)))


def command_to_begin_with(state: RunState) -> str:
    """Runs the test that a new run should start with, alone if possible; empty if nothing fails."""
    found = _test_to_begin_with(state)
    if found is None:
        return ""
    check, test = found
    return narrow(check.command, [test]) or check.command


def without_values(message: str) -> str:
    """A failure's message without numbers, strings and lists: only the kind of failure stays."""
    text = _VALUE.sub("…", message)
    for _ in range(NESTED):
        text = _COLLECTION.sub("…", text)
    return " ".join(text.split())


def _advice(state: RunState) -> Iterator[str]:
    yield from _on_commands(state)
    if state.reason in ADVICE:
        yield ADVICE[state.reason]
    if state.reason == "bounded_attempts_exceeded":
        yield from _on_failing_test(state)
        yield from _on_attempts(state)
    if state.files and state.verdict == "verified":
        if also_passing(state):
            yield SETTLE
        yield LOOK_AT_CHANGES
    elif state.files:
        yield f"What was gained is not verified as a whole. {LOOK_FIRST}"


def _on_commands(state: RunState) -> Iterator[str]:
    """If a command can't do its work on the kept code, no change to the code helps. What an attempt broke, or the model
    mistyped in a command of its own, is not the project's problem."""
    before = {run.command: run for run in state.runs if run.purpose == "baseline"}
    for check in state.current_checks:
        run = before.get(check.command)
        if run and run.timed_out:
            yield (
                f"{code(check.command)} was stopped at its time limit of {state.time_limit:g} s before anything was "
                "changed. Find out whether it hangs, or name a quicker command with `--verify`."
            )
        elif check.kind == "tooling_error" and run and run.exit_code == NOT_FOUND:
            yield f"{code(_program(check.command))} was not found: install it, or name another command with `--verify`."
        elif check.kind == "tooling_error":
            yield f"{code(check.command)} could not do its work: {code(check.summary)}. Run it by hand to see why."


def _program(command: str) -> str:
    """The first word that is not a variable assignment."""
    return next((word for word in command.split() if "=" not in word), command)


def _test_to_begin_with(state: RunState) -> tuple[Check, FailingTest] | None:
    wanted = goal_failures(state.goal, state.baseline)
    left = [(check, test) for check in state.current_checks if not check.passed for test in check.report.failing]
    named = [each for each in left if wanted and each[1].id in wanted] or left
    return named[0] if named else None


def _on_failing_test(state: RunState) -> Iterator[str]:
    """The test to start with, how to run it alone, where it points."""
    found = _test_to_begin_with(state)
    if found is None:
        return
    check, test = found
    command = narrow(check.command, [test]) or check.command
    says = f": {code(test.message, 200)}" if test.message else ""
    if test.id == check.command:
        yield f"Run {code(command)}, which still fails{says}{_location(test)}."
        return
    yield f"Run {code(command)}: {code(test.id, 200)} still fails{says}{_location(test)}."
    if len(failing_tests(state.current_checks)) > 1:
        yield f"Start again with a narrower goal that names this test alone: {code(test.id, 200)}."


def _location(test: FailingTest) -> str:
    """The innermost source line that the failure points to; the test's if there is none."""
    locations = locations_in(f"{test.detail}\n{test.message}")
    sources = [location for location in locations if not is_test_file(location.path)]
    for location in (*sources, *locations):
        return f", at {code(f'{location.path}:{location.line}')}"
    return f", in {code(test.path)}" if test.path else ""


def _on_attempts(state: RunState) -> Iterator[str]:
    """Whether the attempts ended alike: by their tests, and by the messages without values."""
    judged = [(attempt, _failures(attempt)) for attempt in attempts(state) if attempt.verified]
    failed = [(attempt, failures) for attempt, failures in judged if failures]
    if len(failed) < 2:
        return
    tests = {frozenset(failures) for _, failures in failed}
    ways = {frozenset(failures.items()) for _, failures in failed}
    names = _named(list(failed[0][1]))
    if len(tests) > 1:
        listed = "; ".join(f"attempt {attempt.number}: {_named(list(failures))}" for attempt, failures in failed)
        yield f"The attempts ended with different failures: {listed}. {COMPARE}"
    elif len(ways) > 1:
        listed = "; ".join(
            f"attempt {attempt.number}: {code(next(iter(failures.values())), 120)}" for attempt, failures in failed
        )
        yield f"Every attempt left {names} failing, in different ways: {listed}. {COMPARE}"
    else:
        alike = ", each time with another value" if _values_moved(failed) else " in the same way"
        yield f"Every attempt left {names} failing{alike}. {_changed(state)}"


def _failures(attempt: Attempt) -> dict[str, str]:
    """What fails after an attempt, and how. For a run stored without records, by its commands."""
    if attempt.record:
        return {test.id: without_values(test.message) for test in failing_tests(attempt.record.checks)}
    return {run.command: without_values(run.summary) for run in attempt.verified if not run.passed}


def _values_moved(failed: Sequence[tuple[Attempt, dict[str, str]]]) -> bool:
    """Whether the same tests failed with other values: the edits had an effect on them."""
    messages = {
        frozenset((test.id, test.message) for test in failing_tests(attempt.record.checks))
        for attempt, _ in failed
        if attempt.record
    }
    return len(messages) > 1


def _changed(state: RunState) -> str:
    files = dict.fromkeys(path for record in state.attempts_made for path in record.files)
    if not files:
        return (
            "No file was changed. Its cause may be in code that was not looked at. Name the file or function that you "
            "suspect in the goal."
        )
    return (
        f"They changed {_named(list(files))} alone, and the cause may be elsewhere. Name the file or function that you "
        "suspect in the goal."
    )


def _named(things: Sequence[str]) -> str:
    more = f" and {len(things) - MAX_NAMED} more" if len(things) > MAX_NAMED else ""
    return ", ".join(code(each, 200) for each in things[:MAX_NAMED]) + more


COMPARE = "Compare what they changed in the report."
NESTED = 4
"""Levels of nested lists."""
_VALUE = re.compile(
    r"""'[^'\n]{0,400}'|"[^"\n]{0,400}"|\b0x[0-9a-fA-F]+|(?<![\w.])[-+]?\d[\w.]*|\b(?:None|True|False|null|nil|undefined)\b"""
)
_COLLECTION = re.compile(r"…?[\[({](?:[…\s,:=]|\b\w+(?==))*[\])}]|…(?:\s*,\s*…)+")
