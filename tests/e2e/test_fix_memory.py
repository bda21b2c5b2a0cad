"""A fix run remembers what it tried: in what it asks, in what it stores, and in what it leaves for a user."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer
from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import (
    PLAN,
    RIGHT,
    SECOND_PLAN,
    THIRD_PLAN,
    VERIFY,
    WRONG,
    Repository,
    edit,
    make_repository,
    plan,
    say,
)
from tests.scripted_server import running

DONE = say("It is fixed.")
HANGS: dict[str, Any] = {"hang": 0, "text": "…"}
OFF_BY = [edit("    return sum(items) + 1", f"    return sum(items) + {number}") for number in (2, 3, 4)]
THREE_ATTEMPTS = [PLAN, OFF_BY[0], DONE, SECOND_PLAN, OFF_BY[1], DONE, THIRD_PLAN, OFF_BY[2], DONE]
LARGE = {"kind": "llama.cpp", "context_length": 32_768}
SMALL = {"kind": "llama.cpp", "context_length": 4096, "overflow": "refuse"}


@pytest.fixture
def repository(mulligan: Command) -> Repository:
    return make_repository(mulligan)


def asked(server: RunningServer) -> list[str]:
    """What each request told the model: its first message of a user."""
    bodies: list[Any] = [request["body"] for request in server.requests()]
    return [next(each["content"] for each in body["messages"] if each["role"] == "user") for body in bodies]


def holds(request: str, *attempts: int) -> bool:
    """Whether a request has the plans, the changes and the ends of just these attempts."""
    steps = {1: "take off the one", 2: "write the sum anew", 3: "count by hand"}
    told = {
        number
        for number, step in steps.items()
        if f"Attempt {number}, discarded: No failure is gone: still 2." in request
        and f"Its plan:\n1. {step}" in request
        and f"+    return sum(items) + {number + 1}\n" in request
        and f"AssertionError: {3 + number + 1} != 3" in request
    }
    return told == set(attempts)


@pytest.mark.parametrize(
    "style",
    [
        pytest.param(LARGE, id="32k of context", marks=pytest.mark.breadth),  # with more room for the same
        pytest.param(SMALL, id="4k of context"),
    ],
)
def test_every_request_after_the_first_attempt_holds_the_plans_and_diffs_of_earlier_ones(
    repository: Repository, style: dict[str, Any]
) -> None:
    with running(Script.model_validate({"replies": THREE_ATTEMPTS, "server_style": style})) as server:
        done = repository.fix_at(server, goal="make the tests pass", verify=VERIFY)
        first, _, _, second, second_coder, _, third, third_coder, _ = asked(server)
    assert done.end["reason"] == "bounded_attempts_exceeded"
    assert "What was tried" not in first
    assert [holds(each, 1) for each in (second, second_coder)] == [True, True]
    assert [holds(each, 1, 2) for each in (third, third_coder)] == [True, True]
    shows_every_attempt(repository, done)
    advises_by_tests(repository.issues)


def shows_every_attempt(repository: Repository, done: Finished) -> None:
    """In the report, in `runs show`, and in both for programs."""
    report = Path(done.end["report"])
    shown = repository.mulligan("runs", "show").stdout
    for text in (report.read_text(), shown):
        for number, step in enumerate(("take off the one", "write the sum anew", "count by hand"), 1):
            assert f"1. {step}" in text
            assert f"+    return sum(items) + {number + 1}\n" in text
        assert text.count("No failure is gone: still 2.") >= 3
    stored = json.loads(repository.mulligan("runs", "show", "--json").stdout)
    assert stored["attempts_made"] == json.loads(report.with_suffix(".json").read_text())["attempts_made"]
    assert [each["outcome"] for each in stored["attempts_made"]] == ["discarded"] * 3


def advises_by_tests(issues: str) -> None:
    name = "test_totals.TotalsTest.test_mean"
    assert f"- Run `python3 -m unittest -q {name}`: `{name}` still fails: `AssertionError: 3.5 != 3`, at `" in issues
    assert (
        f"- Every attempt left `{name}`, `test_totals.TotalsTest.test_total` failing, each time with another value."
        in issues
    )
    assert "1. plan: take off the one; changed `totals.py`; " in issues
    assert "different" not in issues


def test_a_killed_run_still_knows_its_attempts_when_resumed(repository: Repository) -> None:
    with running(Script.model_validate({"replies": [*THREE_ATTEMPTS[:6], HANGS]})) as server:
        process = repository.mulligan.start(
            "fix", "--json", *repository.model(server.base_url), "--verify", VERIFY, "fix it"
        )
        assert process.stdout
        frames = (json.loads(line) for line in process.stdout)
        assert any(frame["type"] == "run_node" and frame["attempts"] == 2 for frame in frames)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    run_id = json.loads(repository.mulligan("runs", "list", "--json").stdout)["id"]
    with running(Script.model_validate({"replies": [THIRD_PLAN, RIGHT, DONE]})) as server:
        done = repository.mulligan("fix", "--json", *repository.model(server.base_url), "--resume", run_id)
        planner, coder, _ = asked(server)
    assert done.end["verdict"] == "verified"
    assert holds(planner, 1, 2)
    assert holds(coder, 1, 2)


def test_a_plan_that_failed_is_refused_once_and_the_user_is_told(repository: Repository) -> None:
    again = plan("Take off the one.")
    replies = [PLAN, WRONG, DONE, again, SECOND_PLAN, RIGHT, DONE]
    with running(Script.model_validate({"replies": replies})) as server:
        done = repository.fix_at(server, "--yes", goal="make the tests pass", verify=VERIFY)
        refusal: Any = server.requests()[4]["body"]
    assert done.end["verdict"] == "verified"
    assert "That is the plan of attempt 1, which was discarded" in refusal["messages"][-1]["content"]
    notes = [frame["text"] for frame in done.frames if frame["type"] == "run_note"]
    assert "The plan repeats that of attempt 1, which failed. Asking the model again." in notes
    plans = [frame["plan"]["plan"][0]["step"] for frame in done.frames if frame["type"] == "run_plan"]
    assert plans == ["take off the one", "write the sum anew"]


def test_texts_that_the_goal_names_reach_planner_and_coder_and_do_not_judge(
    repository: Repository, tmp_path: Path
) -> None:
    (repository.folder / "ISSUE.md").write_text("# Sums\n\nThe Friday report is off. test_types must be deleted.\n")
    crash = tmp_path / "crash.log"
    crash.write_text('Traceback (most recent call last):\n  File "/srv/rates.py", line 2, in rate\nReportError: 3.5\n')
    (repository.folder / "rates.py").write_text("def rate(day):\n    return {}[day]\n")
    with running(Script.model_validate({"replies": [PLAN, RIGHT, DONE]})) as server:
        goal = "fix what ISSUE.md describes"
        done = repository.fix_at(server, "--yes", "--issue", str(crash), goal=goal, verify=VERIFY)
        planner, coder, _ = asked(server)
    assert done.end["verdict"] == "verified"
    assert {"type": "run_note", "run_id": done.end["run_id"], "text": "Read with the goal: crash.log, ISSUE.md."} in (
        done.frames
    )
    for request in (planner, coder):
        assert "ISSUE.md tells of it." in request
        assert "The Friday report is off." in request
        assert "ReportError: 3.5\n" in request
    # No test leads there.
    assert "rates.py:1:\n```\ndef rate(day):\n    return {}[day]\n```" in coder


def test_a_goal_that_tells_nothing_starts_no_run(repository: Repository, tmp_path: Path) -> None:
    (repository.folder / "notes").mkdir()
    empty = tmp_path / "empty.md"
    empty.write_text("\n")
    with running(Script.model_validate({"replies": [PLAN]})) as server:
        nothing = repository.fix_at(server, "--issue", str(empty), goal="fix it", verify=VERIFY)
        folder = repository.fix_at(server, goal="fix what @notes says", verify=VERIFY)
    assert (nothing.code, folder.code) == (2, 2)
    assert f"--issue {empty} is empty: say in it what is wrong" in nothing.stderr
    assert "@notes is a folder: name a file in it" in folder.stderr


SHORT = """\
def total(count):
    return count * 3
"""
IMPOSSIBLE = """\
import hashlib, pathlib, unittest

print("tested:", hashlib.sha256(pathlib.Path("totals.py").read_bytes()).hexdigest())
import totals


class TotalsTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(totals.total(3), "three")
"""


@pytest.mark.timeout(600)  # three attempts
def test_a_guided_run_reads_the_texts_of_its_goal_and_tests_no_candidate_twice(repository: Repository) -> None:
    (repository.folder / "totals.py").write_text(SHORT)
    (repository.folder / "test_totals.py").write_text(IMPOSSIBLE)
    (repository.folder / "ISSUE.md").write_text("Three is to be written out.\n")
    old = "return count * 3"
    changes = [say(json.dumps({"old": old, "new": f"{old} + {100 + number // 3}"})) for number in range(30)]
    with running(Script.model_validate({"replies": changes})) as server:
        judged = VERIFY
        done = repository.fix_at(server, "--agency", "guided", goal="do what @ISSUE.md says", verify=judged)
        assert all("Three is to be written out." in question for question in asked(server))
    logs = [file.read_text() for file in Path(done.end["report"]).parent.glob("logs/*-candidate.log")]
    assert {attempt for attempt in (1, 2, 3) if any(f"attempt: {attempt}\n" in log for log in logs)} >= {1, 2}
    tested = [re.findall(r"tested: (\w+)", log)[0] for log in logs]
    assert len(tested) == len(set(tested)) > 5
