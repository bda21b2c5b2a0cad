"""What is said of a run that has ended, and of one that has not."""

from typing import Any, get_args

import pytest

from mulligan.fixing.outcome import attempts, budget, exit_words, follow_up, last_failures
from mulligan.types.fixing import FailureHistory, RunReason
from tests.fixing.run_states import COMMAND, a_check, a_command_run, a_failed_run, a_run, an_entry


@pytest.mark.parametrize("reason", [reason for reason in get_args(RunReason) if reason not in {"passed", "tooling"}])
def test_every_reason_of_a_run_that_was_not_verified_has_advice_of_its_own(reason: RunReason) -> None:
    """Without what was run: that has advice of its own."""
    bare = a_run(verdict="unverified", reason=reason, ended_at=1.0, standing=(a_check(),))
    assert len(follow_up(bare)) == 1


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param({}, "names one failing test, such as `tests/test_pages.py::test_first`", id="what still fails"),
        pytest.param({}, "Every attempt ended with the same failure", id="three times the same failure"),
        pytest.param(
            {"runs": tuple(a_command_run(n, n, summary=f"{n}", log=f"logs/0{n}-verify.log") for n in (1, 2, 3))},
            "different ways. Compare their logs: `logs/01-verify.log`, `logs/02-verify.log`, `logs/03-verify.log`",
            id="three failures that differ",
        ),
        pytest.param({"files": ("a.py",)}, "not verified as a whole", id="a partial gain"),
        pytest.param(
            {"verdict": "verified", "reason": "passed", "files": ("a.py",)}, "`mulligan changes apply`", id="verified"
        ),
        pytest.param(
            {"history": FailureHistory(entries=(an_entry(command="CI=1 tox -e py", kind="tooling_error"),))},
            "`tox` could not do its work. `command -v` `tox` tells whether it is installed, then run `CI=1 tox -e py`",
            id="a program that is missing",
        ),
        pytest.param(
            {"history": FailureHistory(), "standing": (a_check(kind="tooling_error"),)},
            "`python` could not do its work",
            id="a command that never worked",
        ),
        pytest.param(
            {"history": FailureHistory(entries=(an_entry(exit_code=None),))},
            f"`{COMMAND}` was stopped at its time limit of 120 s",
            id="a command that hangs",
        ),
    ],
)
def test_follow_up_says(fields: dict[str, Any], words: str) -> None:
    assert words in " ".join(follow_up(a_failed_run(**fields)))


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


def test_last_failures_are_the_newest_each_once_in_order() -> None:
    entries = tuple(an_entry(summary=summary) for summary in "aabcbdefg")
    kept = last_failures(a_run(history=FailureHistory(entries=entries)), most=4)
    assert [entry.summary for entry in kept] == ["d", "e", "f", "g"]


@pytest.mark.parametrize(
    ("exit_code", "words"), [(None, "stopped at its time limit"), (-9, "ended by signal 9"), (2, "exit code 2")]
)
def test_an_exit_in_words(exit_code: int | None, words: str) -> None:
    assert exit_words(exit_code) == words


def test_the_budget_is_that_of_the_profile() -> None:
    used = {what: (used, allowed) for what, used, allowed in budget(a_failed_run(profile="strict"))}
    assert used["commands of the model"] == (4, 20)
    assert used["commands of Mulligan"] == (7, 400)
