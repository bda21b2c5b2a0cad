"""What counts as new since an edit, and how much of it is told."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.diagnostics import (
    Diagnostic,
    DiagnosticsBaseline,
    new_problem_lines,
    remaining_problem_lines,
    slow_checker_lines,
)
from tests.examples import examples

OLD = Diagnostic("a.py", 3, "E1", "wrong")
NEW = Diagnostic("b.py", 7, "E2", "missing")


def known(*found: Diagnostic) -> DiagnosticsBaseline:
    return DiagnosticsBaseline(found, found)


def test_a_problem_that_an_edit_moved_is_old() -> None:
    moved = Diagnostic(OLD.path, 40, OLD.code, OLD.message)
    assert known(OLD).new_in([moved]) == []


def test_the_same_problem_once_more_is_new_at_its_own_line() -> None:
    again = Diagnostic(OLD.path, 1, OLD.code, OLD.message)
    assert known(OLD).new_in([again, OLD]) == [again]


def test_a_problem_that_counts_something_is_old_with_another_count() -> None:
    before = Diagnostic("a.py", 1, "C901", "`run` is too complex (11 > 10)")
    after = Diagnostic("a.py", 1, "C901", "`run` is too complex (12 > 10)")
    assert known(before).new_in([after]) == []


def test_a_line_number_in_a_message_may_change() -> None:
    before = Diagnostic("a.py", 9, "F811", "Redefinition of unused `f` from line 3")
    after = Diagnostic("a.py", 12, "F811", "Redefinition of unused `f` from line 6")
    assert known(before).new_in([after]) == []


def test_an_old_problem_that_an_error_hid_for_a_while_is_still_old() -> None:
    hidden = known(OLD).after([NEW], None)
    assert hidden.new_in([OLD]) == []


def test_what_an_earlier_edit_broke_is_not_told_twice() -> None:
    assert known(OLD).after([OLD, NEW], None).new_in([OLD, NEW]) == []


def test_what_was_fixed_and_is_broken_again_is_told_again() -> None:
    assert known(OLD).after([OLD, NEW], None).after([OLD], None).new_in([OLD, NEW]) == [NEW]


def test_what_is_left_at_the_end_was_not_there_at_the_start_and_was_not_fixed() -> None:
    fixed = Diagnostic("c.py", 1, "E3", "gone again")
    edited = known(OLD).after([OLD, NEW, fixed], None).after([OLD, NEW], None)
    assert edited.left == [NEW]
    assert remaining_problem_lines([("ruff", each) for each in edited.left]) == ("b.py:7: missing [E2] (ruff)",)


def test_files_that_were_not_looked_at_keep_their_problems() -> None:
    looked_at = known(OLD).after([OLD, NEW], None).after([], ["a.py"])
    assert looked_at.last == (NEW,)


def test_a_few_lines_are_told_and_of_every_file_one_before_the_second_of_any() -> None:
    found = [("pyright", Diagnostic("a.py", line, "", "wrong")) for line in range(1, 8)]
    told = new_problem_lines([*found, ("ruff", NEW)])
    assert told == (
        "New since this edit (pyright): a.py:1: wrong",
        "New since this edit (ruff): b.py:7: missing [E2]",
        "New since this edit (pyright): a.py:2: wrong",
        "New since this edit (pyright): a.py:3: wrong",
        "New since this edit (pyright): a.py:4: wrong",
        "[3 more]",
    )


def test_nothing_new_is_no_line() -> None:
    assert (new_problem_lines([]), slow_checker_lines([], 10)) == ((), ())


def test_slow_checkers_are_named_in_one_line() -> None:
    assert slow_checker_lines(["tsc", "eslint"], 10) == (
        "[No answer within 10 s: tsc, eslint. Not asked again in this turn.]",
    )


diagnostics = st.lists(
    st.builds(Diagnostic, st.sampled_from(["a.py", "b.py"]), st.integers(1, 9), st.sampled_from(["", "E1"]), st.text())
).map(tuple)


@settings(max_examples=examples(100))
@given(diagnostics, st.integers(0, 50))
def test_whatever_stood_before_is_never_new_wherever_it_stands_now(found: tuple[Diagnostic, ...], down: int) -> None:
    moved = [Diagnostic(each.path, each.line + down, each.code, each.message) for each in found]
    assert known(*found).new_in(moved) == []


@settings(max_examples=examples(100))
@given(diagnostics, diagnostics)
def test_as_many_are_new_as_were_added(before: tuple[Diagnostic, ...], added: tuple[Diagnostic, ...]) -> None:
    assert len(known(*before).new_in([*before, *added])) == len(added)
