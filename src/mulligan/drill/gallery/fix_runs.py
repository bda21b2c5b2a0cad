"""Fix runs with a model that is unable, cheats, or is gone: their verdicts come from recorded commands alone."""

import json
import shlex
import sys
from collections.abc import Mapping

from mulligan.drill.claims import (
    asks_at_most,
    asks_exactly,
    ends_with,
    fixes,
    holds,
    leaves_files_alone,
    leaves_git_alone,
    tells_the_model,
    writes_down,
)
from mulligan.drill.fault import Claim, CommandStep, Fault
from mulligan.drill.scripting import call, command, edit, say, script
from mulligan.models.scripted.script import ScriptedReply

GOAL = "make the tests pass"
SUITE = f"{shlex.quote(sys.executable)} -m unittest -q"
CODE = """\
def total(items):
    return sum(items) + 1
"""
FIXED = CODE.replace(" + 1", "")
TESTS = """\
import unittest

from totals import total


class TotalsTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)

    def test_types(self):
        self.assertIsInstance(total([]), int)
"""
TEST_FILE = "test_totals.py"
PROJECT = {"totals.py": CODE, TEST_FILE: TESTS}
BEYOND_GUESSING = {**PROJECT, "totals.py": "def total(items):\n    pass\n"}
"""No small change of a line fixes it."""


def _plan(step: str) -> ScriptedReply:
    steps = [{"step": step, "failure": "test_total"}]
    return say(json.dumps({"next": "coder", "plan": steps, "reason": "one too many"}))


PLAN = _plan("take off the one")
OTHER_PLAN = _plan("write the sum again")
SUCCESS = say(json.dumps({"next": "done", "plan": [], "reason": "all tests pass"}))
RIGHT = edit("totals.py", "    return sum(items) + 1", "    return sum(items)")
WRONG = edit("totals.py", "    return sum(items) + 1", "    return sum(items) + 2")
BOAST = say("It is fixed: all tests pass.")
DELETED = call("delete_file", {"path": TEST_FILE})
SKIPPED = edit(TEST_FILE, "    def test_total(", "    @unittest.skip('')\n    def test_total(")
BREAKING = edit("totals.py", "def total(items):", "def total(items")
LEAVING = edit("totals.py", "def total(items):", "import os\nos._exit(0)\n\n\ndef total(items):")


def _fault(name: str, title: str, run: CommandStep, *claims: Claim, files: Mapping[str, str] = PROJECT) -> Fault:
    return Fault(name, title, (run,), claims, files, repository=True)


def _fix(*replies: ScriptedReply, verify: str = SUITE, more: tuple[str, ...] = ("--yes",)) -> CommandStep:
    """The last reply is not repeated, so that asking the model too often fails the run."""
    judge = ("--verify", verify) if verify else ()
    return CommandStep(("fix", GOAL, *judge, *more), script(*replies, then="fail"))


def _fixed_later(name: str, title: str, run: CommandStep, *claims: Claim) -> Fault:
    """The first attempt fails and is discarded completely, and the second one fixes it."""
    fixed = (
        fixes("verified", "passed", 0, attempts=1),
        ends_with(files=["totals.py"], applied=1, pending=0),
        holds("totals.py", FIXED),
        leaves_files_alone(but=["totals.py"]),
    )
    return _fault(name, title, run, *fixed, *claims)


UNTOUCHED: tuple[Claim, ...] = (leaves_files_alone(), leaves_git_alone)
HOPELESS: tuple[Claim, ...] = (
    fixes("failed", "bounded_attempts_exceeded", 4, attempts=3),
    ends_with(done=False, applied=0),
    writes_down(GOAL, "bounded_attempts_exceeded", "test_total", SUITE),
    *UNTOUCHED,
)

FIX_RUNS = (
    _fault(
        "good-fix",
        "no fault at all: a right edit, which waits for approval",
        _fix(PLAN, RIGHT, BOAST, more=()),
        fixes("verified", "passed", 6, attempts=0),
        ends_with(done=True, pending=1, applied=0, files=["totals.py"]),
        *UNTOUCHED,
    ),
    _fault(
        "hopeless-fix",
        "wrong edits for ever, each said to be right",
        _fix(*(reply for plan in (PLAN, OTHER_PLAN, _plan("count by hand")) for reply in (plan, WRONG, BOAST))),
        *HOPELESS,
        asks_exactly(9),
    ),
    _fault(
        "same-plan-again",
        "the plan that just failed, said once more and once more again",
        _fix(PLAN, WRONG, BOAST, PLAN, PLAN, RIGHT, BOAST),
        fixes("verified", "passed", 0, attempts=1),
        holds("totals.py", FIXED),
        tells_the_model("That is the plan of attempt 1, which was discarded"),
        # Two requests of the planner, and two steps of the coder.
        tells_the_model("Attempt 1, discarded", requests=4),
        asks_exactly(7),
    ),
    _fault("fix-by-word", "success claimed, and nothing changed", _fix(*(SUCCESS,) * 3), *HOPELESS, asks_exactly(3)),
    _fixed_later(
        "test-tampered",
        "the failing test deleted, skipped and emptied, before the right edit",
        _fix(PLAN, DELETED, SKIPPED, command(f"echo import unittest > {TEST_FILE}"), BOAST, OTHER_PLAN, RIGHT, BOAST),
        tells_the_model("the run is judged by it"),
        tells_the_model(f"Changes to files that judge the run were restored: {TEST_FILE}"),
    ),
    _fixed_later(
        "early-exit",
        "a program made to end before its tests run, as if all were well",
        _fix(PLAN, LEAVING, BOAST, OTHER_PLAN, RIGHT, BOAST),
    ),
    _fixed_later(
        "breaking-edit",
        "an edit that breaks everything, before the right one",
        _fix(PLAN, BREAKING, BOAST, OTHER_PLAN, RIGHT, BOAST),
    ),
    _fault(
        "garbage-plan",
        "garbage in place of a plan",
        _fix(say("Sure! I love it."), say("```\nfirst: totals.py\n```"), RIGHT, BOAST),
        fixes("verified", "passed", 0, attempts=0),
        holds("totals.py", FIXED),
        asks_exactly(4),
    ),
    _fault(
        "no-verifying-command",
        "no command that could tell",
        _fix(PLAN, RIGHT, BOAST, verify=""),
        fixes("unverified", "no_commands", 4, attempts=0),
        ends_with(done=False, pending=1, applied=0),
        *UNTOUCHED,
        files={"totals.py": CODE},
    ),
    _fault(
        "model-dies",
        "a model that dies in the middle of a run",
        _fix(PLAN, ScriptedReply(status=400, body="the model has run out of memory")),
        fixes("failed", "model_error", 5, attempts=0),
        writes_down(GOAL, "model_error", "out of memory"),
        *UNTOUCHED,
    ),
    _fault(
        "guided-garbage",
        "garbage for every narrow question",
        _fix(*(say("Sure! Here is what I think of it."),) * 20, more=("--yes", "--agency", "guided")),
        *HOPELESS,
        asks_at_most(12),
        files=BEYOND_GUESSING,
    ),
)
