"""What a user is told to do after a run, and what is said of it."""

from typing import Any, get_args

import pytest

from mulligan.core.fix_runs.advice import follow_up, without_values
from mulligan.core.fix_runs.attempts import attempts
from mulligan.core.fix_runs.outcome import budget, last_failures
from mulligan.types.fixing import CHECK_RUNS, Check, FailingTest, FailureHistory, RunReason, TestReport
from mulligan.types.words import exit_words
from tests.fixing.run_states import COMMAND, a_check, a_command_run, a_failed_run, a_record, a_run, an_entry

FIRST = "tests/test_pages.py::test_first"
THE_COMMAND = FailingTest(id=COMMAND, name=COMMAND, message="boom")
BROKEN_TOOL: dict[str, Any] = {"kind": "tooling_error", "summary": "No module named pytest"}


@pytest.mark.parametrize("reason", [reason for reason in get_args(RunReason) if reason not in {"passed", "tooling"}])
def test_every_reason_of_a_run_that_was_not_verified_has_advice_of_its_own(reason: RunReason) -> None:
    """Without what was run: that has advice of its own."""
    bare = a_run(verdict="unverified", reason=reason, ended_at=1.0, current_checks=(a_check(),))
    assert len(follow_up(bare)) == 1


def failing(*messages: tuple[str, str], detail: str = "") -> tuple[Check, ...]:
    """A check in which these tests fail with these messages."""
    tests = tuple(
        FailingTest(id=f"tests/test_pages.py::{name}", name=name, message=message, detail=detail)
        for name, message in messages
    )
    return (a_check(report=TestReport(failing=tests)),)


def made(*checks: tuple[Check, ...]) -> dict[str, Any]:
    """Attempts that were judged so."""
    return {
        "attempts_made": tuple(a_record(number, checks=each) for number, each in enumerate(checks, 1)),
        "runs": tuple(a_command_run(number, number) for number in range(1, len(checks) + 1)),
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param(
            {},
            f"Run `python -m pytest {FIRST} -q`: `{FIRST}` still fails: `assert 3 == 2`.",
            id="one test is left: it is named with the command for it alone",
        ),
        pytest.param(
            {
                "current_checks": failing(
                    ("test_first", "KeyError: 1"),
                    detail="tests/test_pages.py:9: in test_first\nsrc/pages.py:2: KeyError",
                )
            },
            "still fails: `KeyError: 1`, at `src/pages.py:2`.",
            id="the place is the innermost line that is no test",
        ),
        pytest.param(
            {"current_checks": failing(("test_first", "a"), ("test_last", "b"))},
            f"names this test alone: `{FIRST}`",
            id="several are left: begin with one",
        ),
        pytest.param(
            {
                "goal": "fix test_last",
                "baseline": failing(("test_first", "a"), ("test_last", "b")),
                "current_checks": failing(("test_first", "a"), ("test_last", "b")),
            },
            "Run `python -m pytest tests/test_pages.py::test_last -q`",
            id="the one that the goal names",
        ),
        pytest.param(
            {
                "current_checks": (
                    a_check(report=TestReport(failing=(FailingTest(id=COMMAND, name=COMMAND, message="boom"),))),
                )
            },
            f"Run `{COMMAND}`, which still fails: `boom`.",
            id="a command that tells of no test",
        ),
        pytest.param(
            made(*(failing(("test_first", f"assert {n} == [2, {n}]")) for n in (3, 4, 5))),
            f"Every attempt left `{FIRST}` failing, each time with another value. They changed `src/pages.py` alone",
            id="one test with other numbers each time",
        ),
        pytest.param(
            made(*(failing(("test_first", "assert 3 == 2")) for _ in range(3))),
            f"Every attempt left `{FIRST}` failing in the same way. They changed `src/pages.py` alone",
            id="one test with the same numbers each time",
        ),
        pytest.param(
            made(failing(("test_first", "assert 3 == 2")), failing(("test_first", "TypeError: no 'x'"))),
            f"left `{FIRST}` failing, in different ways: attempt 1: `assert … == …`; attempt 2: `TypeError: no …`.",
            id="one test that fails by another error",
        ),
        pytest.param(
            made(failing(("test_first", "a")), failing(("test_last", "a"))),
            f"different failures: attempt 1: `{FIRST}`; attempt 2: `tests/test_pages.py::test_last`.",
            id="other tests each time",
        ),
        pytest.param(
            {"attempts_made": (), "runs": tuple(a_command_run(n, n, summary=f"{n} failed") for n in (1, 2, 3))},
            f"Every attempt left `{COMMAND}` failing in the same way. No file was changed. Its cause may be",
            id="a run that was stored without records",
        ),
        pytest.param({"files": ("a.py",)}, "not verified as a whole", id="a partial gain"),
        pytest.param(
            {"verdict": "verified", "reason": "passed", "files": ("a.py",)}, "`mulligan changes apply`", id="verified"
        ),
        pytest.param(
            {
                "verdict": "verified",
                "reason": "passed",
                "files": ("a.py",),
                "attempts_made": (a_record(1, also_passing=("a diff",)),),
            },
            "The tests can't tell this change from others, which the report shows.",
            id="others pass as well",
        ),
        pytest.param(
            {
                "current_checks": (a_check(command="CI=1 tox -e py", **BROKEN_TOOL),),
                "runs": (a_command_run(1, 0, command="CI=1 tox -e py", exit_code=127),),
            },
            "`tox` was not found: install it, or name another command with `--verify`.",
            id="a program that is missing",
        ),
        pytest.param(
            {"current_checks": (a_check(**BROKEN_TOOL),)},
            f"`{COMMAND}` could not do its work: `No module named pytest`.",
            id="a command that never worked",
        ),
        pytest.param(
            {"runs": (a_command_run(1, 0, exit_code=None, timed_out=True),)},
            f"`{COMMAND}` was stopped at its time limit of 120 s before anything was changed",
            id="a command that hangs by itself",
        ),
    ],
)
def test_follow_up_says(fields: dict[str, Any], words: str) -> None:
    assert words in " ".join(follow_up(a_failed_run(**fields)))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param(
            {
                "history": FailureHistory(attempts=3, entries=(an_entry(command="python3 tset.py", **BROKEN_TOOL),)),
                "runs": (a_command_run(1, purpose="coder", command="python3 tset.py", **BROKEN_TOOL),),
            },
            "could not do its work",
            id="a file that the model mistyped breaks no tool",
        ),
        pytest.param(
            {"runs": (a_command_run(1, 0), a_command_run(2, 1, **BROKEN_TOOL))},
            "could not do its work",
            id="what an attempt broke and was discarded with it breaks no tool",
        ),
        pytest.param(
            {"runs": (a_command_run(1, 0), a_command_run(2, 1, exit_code=None, timed_out=True))},
            "time limit",
            id="a loop that an attempt made endless does not hang by itself",
        ),
        pytest.param(
            made(*(failing(("test_first", f"assert {n} == 2")) for n in (3, 4, 5))),
            "different",
            id="other numbers are no other failure",
        ),
    ],
)
def test_follow_up_does_not_say(fields: dict[str, Any], words: str) -> None:
    assert words not in " ".join(follow_up(a_failed_run(**fields)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AssertionError: 5 != 3", "AssertionError: -6.25 != 3"),
        ("assert [1, [2]] == {'a': 1}", "assert [] == {'a': 1, 'b': (2, 3)}"),
        ("KeyError: 'first'", 'KeyError: "last"'),
        ("<Page object at 0x7f01ab> is not None", "<Page object at 0x7f02cd> is not True"),
    ],
)
def test_messages_that_differ_in_values_are_alike(one: str, other: str) -> None:
    assert without_values(one) == without_values(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("KeyError: 'a'", "TypeError: 'a'"),
        ("assert 1 == 2", "assert 1 < 2"),
        ("f() takes 1 argument", "g() takes 1 argument"),
    ],
)
def test_messages_that_differ_in_more_are_not(one: str, other: str) -> None:
    assert without_values(one) != without_values(other)


def test_a_run_that_has_not_ended_goes_on() -> None:
    assert follow_up(a_run()) == ("Go on with it: `mulligan fix --resume ab12cd34ef`.",)


def test_an_ended_run_is_never_to_be_resumed() -> None:
    assert "--resume" not in " ".join(follow_up(a_failed_run()))


def test_commands_are_told_by_cycle_and_candidates_are_counted() -> None:
    runs = (
        a_command_run(1, attempt=0),
        a_command_run(2, purpose="candidate"),
        a_command_run(3, purpose="candidate", passed=True),
        a_command_run(4),
        a_command_run(5, attempt=2, purpose="coder"),
    )
    found = attempts(a_run(runs=runs))
    assert [(each.number, [run.number for run in each.runs]) for each in found] == [
        (0, [1]),
        (1, [4]),
        (2, [5]),
    ]
    assert [(attempt.candidates, attempt.candidates_passed) for attempt in found] == [(0, 0), (2, 1), (0, 0)]


def test_last_failures_are_those_of_the_commands_that_judge_each_once() -> None:
    runs = (
        a_command_run(1, 0, command="lint", summary="a"),
        a_command_run(2, 1, purpose="coder", command="mistyped", summary="b"),
        a_command_run(3, 1, command="test", summary="c"),
        a_command_run(4, 2, command="test", summary="d"),
        a_command_run(5, 2, command="types", passed=True),
    )
    kept = last_failures(a_run(runs=runs))
    assert [(run.command, run.summary) for run in kept] == [("lint", "a"), ("test", "d")]


@pytest.mark.parametrize(
    ("exit_code", "words"), [(None, "stopped at its time limit"), (-9, "ended by signal 9"), (2, "exit code 2")]
)
def test_an_exit_in_words(exit_code: int | None, words: str) -> None:
    assert exit_words(exit_code) == words


def test_the_budget_is_that_of_the_profile() -> None:
    used = {what: (used, allowed) for what, used, allowed in budget(a_failed_run(profile="strict"))}
    assert used["commands of the model"] == (4, 20)
    assert used["commands of Mulligan"] == (7, CHECK_RUNS)
