import pytest

from mulligan.backends.time_limits import AgentTimeouts, TurnDeadline, format_duration

LIMITS = AgentTimeouts(silence=10, total=30)
SILENT = "was stopped: no output for 10 seconds"
LONG = "was stopped: a turn may take 30 seconds"


@pytest.mark.parametrize(("now", "overdue"), [(9.9, None), (10, SILENT)])
def test_silence_has_an_end(now: float, overdue: str | None) -> None:
    assert TurnDeadline(LIMITS, 0).overdue(now) == overdue


@pytest.mark.parametrize(("now", "overdue"), [(14.9, None), (15, SILENT)])
def test_a_sign_makes_the_silence_begin_anew(now: float, overdue: str | None) -> None:
    deadline = TurnDeadline(LIMITS, 0)
    deadline.sign(5)

    assert deadline.overdue(now) == overdue
    assert deadline.next_look(6) == 15


@pytest.mark.parametrize(("now", "overdue"), [(29.9, None), (30, LONG)])
def test_a_turn_has_an_end_whatever_happens_in_it(now: float, overdue: str | None) -> None:
    deadline = TurnDeadline(LIMITS, 0)
    for second in range(30):
        deadline.sign(second)

    assert deadline.overdue(now) == overdue
    assert deadline.next_look(29) == 30


def test_nothing_is_overdue_while_a_person_thinks() -> None:
    deadline = TurnDeadline(LIMITS, 0)
    deadline.question(1)

    assert deadline.overdue(1000) is None
    assert deadline.next_look(1000) > 1000


@pytest.mark.parametrize(("now", "overdue"), [(1009, None), (1010, SILENT)])
def test_the_silence_begins_anew_with_an_answer(now: float, overdue: str | None) -> None:
    deadline = TurnDeadline(LIMITS, 0)
    deadline.question(1)
    deadline.answer(1000)

    assert deadline.overdue(now) == overdue


@pytest.mark.parametrize(("now", "overdue"), [(1028, None), (1029, LONG)])
def test_the_time_of_questions_does_not_count_for_the_turn_and_not_twice_for_two(
    now: float, overdue: str | None
) -> None:
    deadline = TurnDeadline(LIMITS, 0)
    deadline.question(1)
    deadline.question(500)
    deadline.answer(600)
    deadline.answer(1000)
    deadline.sign(1025)

    assert deadline.overdue(now) == overdue


@pytest.mark.parametrize(
    ("seconds", "words"), [(600, "10 minutes"), (60, "1 minute"), (1, "1 second"), (0.5, "0.5 seconds")]
)
def test_times_have_words(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
