"""What planner and coder are told of the goal and of earlier attempts, within their room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.diffs.cutting import cut_diff
from mulligan.core.fix_runs.attempts import repeated_attempt
from mulligan.core.fix_runs.prompt_parts import attempts_shown, failures_shown, goal_shown
from mulligan.types.fixing import FailingTest, GoalText, Plan, TestReport
from tests.fixing.run_states import A_DIFF, a_check, a_command_run, a_plan, a_record, a_run

SMALL = 1400
"""Characters: what a context of 4,096 tokens leaves for what was tried."""

TWO_FILES = """\
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+import os
+import sys
diff --git a/old.py b/old.py
--- a/old.py
+++ b/old.py
@@ -1,3 +1,3 @@
 def first(pages):
     # where pages begin
-    return pages[1]
+    return pages[0]
"""


def test_an_attempt_is_told_with_plan_diff_what_was_said_and_why_it_was_discarded() -> None:
    mistyped = a_command_run(1, 1, purpose="coder", command="python3 tset.py", summary="no such file")
    state = a_run(attempts_made=(a_record(1), a_record(2, outcome=None)), runs=(mistyped,))
    assert (
        attempts_shown(state, 10_000)
        == f"""\
What was tried in this run so far. What was discarded is not in the code; do not do it again.

Attempt 1, discarded: No failure is gone: still 1.
Its plan:
1. Fix the slice (for: tests/test_pages.py::test_first)
Its changes:
```diff
{A_DIFF.format(2).rstrip()}
```
It ran `python3 tset.py`, which failed: no such file
What the commands reported:
`python -m pytest -q` fails: tests/test_pages.py::test_first failed
- tests/test_pages.py::test_first: assert 3 == 2"""
    )


def test_nothing_is_told_before_an_attempt_was_judged() -> None:
    assert attempts_shown(a_run(attempts_made=(a_record(1, outcome=None),)), 10_000) == ""


def test_in_a_small_context_every_attempt_keeps_its_plan_and_the_newest_its_diff() -> None:
    long = a_check(report=TestReport(failing=(FailingTest(id="t::first", name="first", detail="x" * 5000),)))
    records = [a_record(number, plan=a_plan(f"Plan {number}"), checks=(long,)) for number in (1, 2)]
    shown = attempts_shown(a_run(attempts_made=records), SMALL)
    assert len(shown) <= SMALL
    assert shown.index("1. Plan 1") < shown.index("1. Plan 2") < shown.index("+    return pages[3]")
    assert shown.count("t::first") == 2


@given(
    st.integers(min_value=SMALL, max_value=6000),
    st.lists(st.tuples(st.text(max_size=3000), st.text(max_size=3000)), min_size=1, max_size=3),
)
def test_what_was_tried_never_takes_more_than_its_room(room: int, told: list[tuple[str, str]]) -> None:
    made = [
        a_record(number, plan=a_plan(text), diff=A_DIFF + f"+{diff}\n", summary=diff)
        for number, (text, diff) in enumerate(told, 1)
    ]
    shown = attempts_shown(a_run(attempts_made=made), room)
    assert len(shown) <= room
    assert all(f"Attempt {number}, discarded" in shown for number in range(1, len(told) + 1))


def test_a_diff_that_fits_stays_as_it_is() -> None:
    assert cut_diff(TWO_FILES, len(TWO_FILES)) == TWO_FILES


def test_a_cut_diff_has_changes_before_additions_and_no_context() -> None:
    assert cut_diff(TWO_FILES, 154).splitlines() == [
        "+++ old.py",
        "@@ -1,3 +1,3 @@",
        "-    return pages[1]",
        "+    return pages[0]",
        "+++ new.py",
        "@@ -0,0 +1,2 @@",
        "+import os",
        "[… 1 more changed lines …]",
    ]


@given(st.text(alphabet="+-@ ab\n", max_size=400), st.integers(min_value=0, max_value=300))
def test_a_diff_is_never_longer_than_its_room(text: str, room: int) -> None:
    assert len(cut_diff(f"diff --git a/x b/x\n@@ -1 +1 @@\n{text}", room)) <= room


def test_details_of_failures_give_way_before_their_names() -> None:
    tests = [FailingTest(id=f"t::test_{n}", name="t", message="boom", detail="line\n" * 40) for n in range(8)]
    shown = failures_shown([a_check(report=TestReport(failing=tuple(tests)))], 600)
    assert len(shown) <= 600
    assert all(f"- {test.id}: boom" in shown for test in tests)


def test_a_goal_comes_with_its_texts_cut_in_the_middle() -> None:
    issue = GoalText(name="ISSUE.md", text="It broke.\n" + "noise\n" * 5000 + "KeyError: 'page'")
    shown = goal_shown(a_run(goal="fix what ISSUE.md describes", goal_texts=(issue,)), 900)
    assert len(shown) <= 900
    assert shown.startswith("fix what ISSUE.md describes\n\nISSUE.md tells of it.")
    assert "It broke.\n" in shown
    assert shown.endswith("KeyError: 'page'\n```")


@pytest.mark.parametrize(
    ("plan", "repeats"),
    [
        pytest.param(a_plan("use `<` in src/pages.py"), True, id="the same"),
        pytest.param(a_plan("Use < in the src/pages.py."), True, id="other case, article and full stop"),
        pytest.param(a_plan("use `<=` in src/pages.py"), False, id="another operator"),
        pytest.param(a_plan("use `<` in src/page.py"), False, id="another file"),
        pytest.param(
            Plan(next="coder", plan=(*a_plan("use `<` in src/pages.py").plan, *a_plan("more").plan), reason=""),
            False,
            id="one step more",
        ),
        pytest.param(Plan(next="verifier", plan=(), reason=""), False, id="a claim of success"),
    ],
)
def test_a_plan_repeats_an_earlier_one(plan: Plan, repeats: bool) -> None:
    thrown = a_record(1, plan=a_plan("use `<` in src/pages.py"))
    assert (repeated_attempt(plan, [thrown]) is thrown) is repeats


def test_a_plan_whose_work_was_kept_may_come_again() -> None:
    assert repeated_attempt(a_plan(), [a_record(1, outcome="kept")]) is None
