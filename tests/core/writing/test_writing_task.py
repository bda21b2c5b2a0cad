"""What is asked for anew."""

from mulligan.core.writing.task import WritingTask, still_asked_for

STUB = WritingTask("missing", "leap.py", ("leap_year",), "system", "the stub")


def test_what_is_missing_is_asked_for() -> None:
    other = WritingTask("missing", "leap.py", ("since",), "system", "more")
    assert still_asked_for([STUB], [other]) == (other,)


def test_what_was_written_is_asked_for_anew_as_if_it_were_not_there() -> None:
    (task,) = still_asked_for([STUB], [])
    assert (task.context, task.written, task.certain) == ("the stub", True, False)


def test_where_nothing_was_missing_nothing_is_asked_for() -> None:
    assert still_asked_for([], []) == ()
