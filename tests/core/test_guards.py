from mulligan.core.guards import DoneCall, Guards
from mulligan.core.next_move import GoOn, Stop
from mulligan.types.tool_calls import Failed, Succeeded

LOOK = DoneCall("view_file", {"path": "a.py"}, Succeeded("a"))
EDIT = DoneCall("edit_file", {"path": "a.py"}, Succeeded("done", progress=True))
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
    assert after([LOOK], [LOOK]).judge([LOOK], steps=2, limit=9) == GoOn()
    stop = after([LOOK], [LOOK], [LOOK]).judge([LOOK], steps=3, limit=9)
    assert isinstance(stop, Stop)
    assert stop.reason == "doom_loop"


def test_a_nudge_forgets_the_run_of_failures_but_not_the_calls() -> None:
    guards = after([FAIL], [LOOK]).after_nudge()
    assert guards.mistakes.nudges == 1
    assert guards.knows(LOOK)
