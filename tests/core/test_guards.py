import pytest

from mulligan.core.guards import Guards
from mulligan.core.next_move import Continue, ProjectFinding, Stop, Synthesize
from mulligan.types.tool_calls import DoneCall, Failed, Succeeded

LOOK = DoneCall("view_file", {"path": "a.py"}, Succeeded("a"))
EDIT = DoneCall("edit_file", {"path": "a.py"}, Succeeded("done", state="edited"))
FAIL = DoneCall("view_file", {"path": "b.py"}, Failed("exec_error", "no such file"))


def after(*steps: list[DoneCall]) -> Guards:
    guards = Guards()
    for step in steps:
        guards = guards.after_step(step)
    return guards


def test_a_call_is_known_once_it_was_made_and_nothing_changed() -> None:
    assert not Guards().knows(LOOK)
    assert after([LOOK]).knows(LOOK)
    assert not after([LOOK], [EDIT]).knows(LOOK)


def test_a_tool_whose_call_was_repeated_is_not_offered_next() -> None:
    assert after([LOOK]).repeated == frozenset()
    assert after([LOOK], [LOOK]).repeated == {"view_file"}
    assert after([LOOK], [LOOK], [FAIL]).repeated == frozenset()


def test_progress_in_a_step_counts_from_the_next_one_on() -> None:
    assert after([LOOK, EDIT], [LOOK]).repeated == frozenset()


def test_the_memory_leads_to_the_move() -> None:
    assert after([LOOK], [LOOK]).judge([LOOK], steps=2, limit=9) == Continue()
    stop = after([LOOK], [LOOK], [LOOK]).judge([LOOK], steps=3, limit=9)
    assert isinstance(stop, Stop)
    assert stop.reason == "doom_loop"


def test_a_nudge_forgets_the_run_of_failures_but_not_the_calls() -> None:
    guards = after([FAIL], [LOOK]).after_nudge()
    assert guards.mistakes.nudges == 1
    assert guards.knows(LOOK)


MAP = DoneCall("get_codebase_overview", {}, Succeeded("a map", refers_to=("a.py",)))
PARTS = DoneCall("get_semantic_neighborhoods", {}, Succeeded("parts", refers_to=("b.py",)))
NOTHING = DoneCall("get_framework_analysis", {}, Succeeded("No manifest was found."))
BROKEN = DoneCall("get_framework_analysis", {}, Failed("exec_error", "no"))
NARROW = [
    DoneCall(name, {}, Succeeded("x"))
    for name in ("search_symbols", "get_dependencies", "get_file_analysis", "get_symbol_info", "watch_changes")
]


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        pytest.param([LOOK, MAP], MAP, id="one"),
        pytest.param([PARTS, MAP], PARTS, id="the first in call order"),
        pytest.param([BROKEN, MAP], MAP, id="the first without an error"),
        pytest.param([NOTHING, MAP], MAP, id="the first that found something"),
        pytest.param([BROKEN], None, id="only errors"),
        pytest.param([NOTHING], None, id="nothing was found"),
        pytest.param(NARROW, None, id="the other five"),
        pytest.param([LOOK], None, id="no code context at all"),
    ],
)
def test_which_result_an_answer_is_synthesized_from(calls: list[DoneCall], found: DoneCall | None) -> None:
    move = after(calls).judge(calls, steps=1, limit=9)
    if found is None:
        assert move == Continue()
    else:
        assert isinstance(found.outcome, Succeeded)
        assert move == Synthesize(ProjectFinding(found.name, found.outcome), otherwise=Continue())
