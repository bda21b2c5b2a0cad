"""No mixture of failures and successes outlasts a turn, and no honest work is stopped."""

from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.guards import Guards
from mulligan.core.next_move import Nudge, Stop
from mulligan.core.turn_budget import CREDIT, MAX_COMPACTIONS, MAX_NUDGES, MAX_STALE_STEPS, CallEffect, TurnBudget
from mulligan.types.tool_calls import DoneCall, Failed, Succeeded

FAIL = CallEffect("exec_error")
MAX_REQUESTS = 40


@pytest.mark.parametrize(
    ("effects", "credit"),
    [
        pytest.param([FAIL], CREDIT - 1, id="a failure costs"),
        pytest.param([FAIL, CallEffect(answer="a")], CREDIT - 0.75, id="a new answer earns a little"),
        pytest.param([FAIL, CallEffect(answer="a"), CallEffect(answer="a")], CREDIT - 0.75, id="an old answer nothing"),
        pytest.param([FAIL] * 6 + [CallEffect(state="1")], CREDIT - 2, id="a new state earns much"),
        pytest.param(
            [CallEffect(state="1")] + [FAIL] * 6 + [CallEffect(state="1")], CREDIT - 6, id="an old one nothing"
        ),
        pytest.param([CallEffect(state="1")], CREDIT, id="never more than at the start"),
        pytest.param([FAIL] * 6 + [CallEffect(state="")], CREDIT - 6, id="undone is an old state"),
    ],
)
def test_what_costs_and_what_earns(effects: list[CallEffect], credit: float) -> None:
    assert TurnBudget().after_step(effects).credit == credit


def test_what_compaction_hid_may_be_read_again_a_few_times() -> None:
    seen = CallEffect(answer="a")
    budget = TurnBudget().after_step([seen])
    for _ in range(MAX_COMPACTIONS):
        budget = budget.after_compaction().after_step([seen])
        assert budget.stale == 0
    assert budget.after_compaction().after_step([seen]).stale == 1


# What a model may do in one call: fail in some way, look at something, change something.
CALLS = st.one_of(
    st.tuples(st.just("fail"), st.integers(0, 40)),
    st.tuples(st.just("look"), st.integers(0, 40)),
    st.tuples(st.just("edit"), st.integers(0, 4)),
)


def done(what: str, which: int) -> DoneCall:
    match what:
        case "fail":
            return DoneCall("run_command", {"n": which}, Failed("exec_error", f"failed {which}"))
        case "look":
            return DoneCall("view_file", {"n": which}, Succeeded(f"file {which}"))
        case _:
            return DoneCall("edit_file", {"n": which}, Succeeded(f"edited {which}", state=str(which)))


def play(steps: list[list[DoneCall]]) -> tuple[int, int, str | None]:
    """How many steps were taken, how many notes were given, and why it stopped, if it did."""
    guards, nudges = Guards(), 0
    for number, calls in enumerate(steps, 1):
        guards = guards.after_step(calls)
        match guards.judge(calls, steps=number, limit=200):
            case Stop(reason):
                return number, nudges, reason
            case Nudge():
                nudges += 1
                guards = guards.after_nudge()
            case _:
                pass
    return len(steps), nudges, None


@settings(max_examples=60)
@given(round_=st.lists(st.lists(CALLS, min_size=1, max_size=3), min_size=1, max_size=12))
def test_whatever_comes_round_again_and_again_is_stopped(round_: list[list[tuple[str, int]]]) -> None:
    steps = [[done(*call) for call in calls] for calls in round_] * 200
    taken, nudges, reason = play(steps)
    assert reason in {"doom_loop", "mistakes"}
    assert taken <= MAX_REQUESTS
    assert nudges <= MAX_NUDGES


@settings(max_examples=60)
@given(st.lists(st.booleans(), min_size=3, max_size=8).filter(lambda round_: sum(round_) * 2 >= len(round_)))
def test_where_half_of_the_calls_fail_new_answers_do_not_save_the_turn(failing: list[bool]) -> None:
    steps = [[done("fail" if fails else "look", n)] for n, fails in zip(range(400), failing * 200, strict=False)]
    taken, nudges, reason = play(steps)
    assert reason == "mistakes"
    assert taken <= MAX_REQUESTS
    assert nudges <= MAX_NUDGES


def test_three_failures_and_a_success_for_ever_get_three_notes_at_most() -> None:
    steps = [[done("look" if n % 4 == 3 else "fail", n)] for n in range(400)]
    taken, nudges, reason = play(steps)
    assert (reason, nudges <= MAX_NUDGES, taken <= 20) == ("mistakes", True, True)


def test_an_edit_and_its_undoing_for_ever_is_a_loop() -> None:
    there = DoneCall("edit_file", {"new": "x = 2"}, Succeeded("Edited", state="2"))
    back = DoneCall("edit_file", {"new": "x = 1"}, Succeeded("Edited", state=""))
    taken, _, reason = play([[there], [back]] * 100)
    assert (reason, taken) == ("doom_loop", 6)


def test_edits_that_go_round_in_long_circles_bring_nothing_new() -> None:
    steps = [[done("edit", n % 12)] for n in range(400)]
    taken, _, reason = play(steps)
    assert (reason, taken) == ("doom_loop", 12 + MAX_STALE_STEPS)


def honest(random: Random) -> list[list[DoneCall]]:
    """Look around at new places, now and then in vain; then edit and test until it passes, as people do."""
    number = count()
    steps: list[list[DoneCall]] = []
    for _ in range(random.randint(1, 12)):
        for _ in range(random.randint(0, 6)):
            if random.random() < 0.17:
                steps.append([done("fail", next(number))])
            steps.append([done("look", next(number))])
        for _ in range(random.randint(0, 4)):
            steps += [[done("edit", next(number))], [done(random.choice(["fail", "look"]), next(number))]]
    return steps[:190]


@pytest.mark.parametrize("seeds", [range(500), pytest.param(range(500, 2_000), marks=pytest.mark.breadth)])
def test_honest_turns_are_never_stopped(seeds: range) -> None:
    stopped = [seed for seed in seeds if play(honest(Random(seed)))[2]]
    assert stopped == []


def test_a_hundred_different_reads_are_honest() -> None:
    assert play([[done("look", n)] for n in range(100)])[2] is None


def test_the_same_failing_test_after_every_edit_is_honest() -> None:
    test = DoneCall("run_command", {"command": "pytest"}, Failed("exec_error", "1 failed"))
    assert play([[done("edit", n // 2)] if n % 2 == 0 else [test] for n in range(150)])[2] is None
