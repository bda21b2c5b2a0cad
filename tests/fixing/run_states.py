"""Runs as they are kept, for tests of what is stored and shown of them."""

from typing import Any

from mulligan.types.fixing import (
    AttemptRecord,
    Check,
    CommandRun,
    FailingTest,
    FailureEntry,
    FailureHistory,
    Plan,
    PlanStep,
    ProjectCommand,
    RunState,
    Spent,
    TestReport,
)
from mulligan.types.model_io import Usage

COMMAND = "python -m pytest -q"
STARTED = 1_800_000_000.0


def a_run(**fields: Any) -> RunState:
    """A run that has just begun."""
    known: dict[str, Any] = {
        "id": "ab12cd34ef",
        "project": "/projects/engine",
        "goal": "make the tests pass",
        "profile": "fast",
        "agency": "agent",
        "model": "qwen",
        "commands": (ProjectCommand(command=COMMAND, kind="test", why="pytest.ini"),),
        "time_limit": 120.0,
        "started_at": STARTED,
    }
    return RunState.model_validate(known | fields)


def a_command_run(number: int, attempt: int = 1, **fields: Any) -> CommandRun:
    """A run of the tests that failed."""
    known: dict[str, Any] = {
        "number": number,
        "attempt": attempt,
        "purpose": "verify" if attempt else "baseline",
        "command": COMMAND,
        "exit_code": 1,
        "timed_out": False,
        "seconds": 2.5,
        "passed": False,
        "kind": "test_failure",
        "summary": "tests/test_pages.py::test_first failed",
    }
    return CommandRun.model_validate(known | fields)


def an_entry(**fields: Any) -> FailureEntry:
    known: dict[str, Any] = {
        "command": COMMAND,
        "exit_code": 1,
        "kind": "test_failure",
        "summary": "tests/test_pages.py::test_first failed",
    }
    return FailureEntry.model_validate(known | fields)


def a_check(**fields: Any) -> Check:
    """The tests fail."""
    failing = (FailingTest(id="tests/test_pages.py::test_first", name="test_first", message="assert 3 == 2"),)
    known: dict[str, Any] = {
        "command": COMMAND,
        "passed": False,
        "kind": "test_failure",
        "summary": "tests/test_pages.py::test_first failed",
        "report": TestReport(failing=failing),
    }
    return Check.model_validate(known | fields)


A_DIFF = """\
diff --git a/src/pages.py b/src/pages.py
--- a/src/pages.py
+++ b/src/pages.py
@@ -1,2 +1,2 @@
 def first(pages):
-    return pages[1]
+    return pages[{}]
"""


def a_plan(step: str = "Fix the slice") -> Plan:
    return Plan(
        next="coder",
        plan=(PlanStep(step=step, failure="tests/test_pages.py::test_first"),),
        reason="The first page begins too late",
    )


def a_record(number: int, **fields: Any) -> AttemptRecord:
    """An attempt that changed one line, and was discarded."""
    known: dict[str, Any] = {
        "number": number,
        "plan": a_plan(),
        "files": ("src/pages.py",),
        "diff": A_DIFF.format(number + 1),
        "checks": (a_check(),),
        "outcome": "discarded",
        "summary": "No failure is gone: still 1.",
    }
    return AttemptRecord.model_validate(known | fields)


def a_failed_run(**fields: Any) -> RunState:
    """Three attempts, and it still fails."""
    known: dict[str, Any] = {
        "node": "done",
        "attempt": 3,
        "baseline": (a_check(),),
        "current_checks": (a_check(),),
        "history": FailureHistory(attempts=3, entries=(an_entry(), an_entry(), an_entry())),
        "plan": a_plan(),
        "attempts_made": tuple(a_record(number) for number in (1, 2, 3)),
        "spent": Spent(
            commands=4, tests=2, steps=9, checks=7, check_seconds=17.25, model_calls=12, usage=Usage(prompt_tokens=900)
        ),
        "runs": (
            a_command_run(1, attempt=0, log="logs/01-baseline.log"),
            *(a_command_run(attempt + 1, attempt, log=f"logs/0{attempt + 1}-verify.log") for attempt in (1, 2, 3)),
        ),
        "verdict": "failed",
        "reason": "bounded_attempts_exceeded",
        "explanation": "3 attempts, and it still fails.",
        "ended_at": STARTED + 90,
    }
    return a_run(**known | fields)
