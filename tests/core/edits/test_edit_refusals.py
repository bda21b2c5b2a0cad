"""Edits that are refused, and what they are told."""

import pytest

from mulligan.core.edits import EditRefused, apply_edit, apply_edits
from mulligan.types.edits import RefusalReason, TextEdit

TWINS = """def first():
    total = load()
    total += 1
    return total


def second():
    total = load()
    total += 1
    return total
"""

TAX = """def tax_of(order, rate):
    base = order.net_amount
    if rate > 19:
        raise ValueError(rate)
    return round(base * rate / 100)
"""


def refusal(content: str, old: str, new: str) -> EditRefused:
    with pytest.raises(EditRefused) as refused:
        apply_edit(content, old, new)
    return refused.value


@pytest.mark.parametrize(
    ("content", "old", "new", "reason"),
    [
        pytest.param(TWINS, "    total += 1\n", "    total += 2\n", "ambiguous", id="two exact copies"),
        pytest.param(TWINS, "total = load()\ntotal += 1\n", "total = load()\n", "ambiguous", id="two copies, dedented"),
        pytest.param("aaaa\n", "aaa", "b", "ambiguous", id="two places that overlap"),
        pytest.param(TAX, "print('hello')\n", "print('bye')\n", "not_found", id="absent"),
        pytest.param(TAX, TAX.replace("tax", "fee"), "x\n", "not_found", id="a sibling with another name"),
        pytest.param(TAX, TAX.replace("19", "21"), "x\n", "not_found", id="a sibling with another number"),
        pytest.param(TAX, TAX.replace(">", "<"), "x\n", "not_found", id="a sibling with another operator"),
        pytest.param(TAX, TAX.replace("order.net_amount", "order.net_amounts"), "x\n", "not_found", id="a plural"),
        pytest.param(TAX, "    if rate > 91:\n", "    if rate > 9:\n", "not_found", id="one line with another number"),
        pytest.param("x1 = 1\n", "x2 = 1\n", "x2 = 2\n", "not_found", id="a short line that is nearly there"),
        pytest.param(TAX, "", "x\n", "exists", id="nothing replaced by something"),
        pytest.param(TAX, "base", "base", "no_change", id="the same"),
        pytest.param(TAX, " \n\t\n", "x\n", "not_found", id="white space alone"),
        pytest.param(TWINS, "    total = load()\n    ...\n    return total\n", "x\n", "ambiguous", id="elided twice"),
        pytest.param(
            TAX, "def tax_of(order, rate):\n    ...\n", "def tax_of(order):\n    ...\n", "not_found", id="open elision"
        ),
        pytest.param(
            TAX,
            "def tax_of(order, rate):\n    ...\n    return round(base * rate / 100)\n",
            "def tax_of(order, rate):\n    return 0\n",
            "unsafe",
            id="elided in old alone",
        ),
        pytest.param(
            TAX,
            "    base = order.net_amount\n",
            "    base = 0\n    # ... rest of the code ...\n",
            "unsafe",
            id="elided in new alone",
        ),
        pytest.param(
            TAX,
            "    base = order.net_amount\n",
            "    base = 0\n    ...\n    base += 1\n",
            "unsafe",
            id="an ellipsis in new alone",
        ),
        pytest.param(
            "# the left one\nmove(a)\nturn(a)\nstop(a)\n",
            "# the right one\nmove(a)\nturn(a)  \nstop(a)\n",
            "x()\n",
            "not_found",
            id="a sibling with another comment",
        ),
        pytest.param("x = 10\n", "x = 1", "x = 2", "not_found", id="half a number"),
        pytest.param("(5, 15)\n", "5", "6", "ambiguous", id="a digit that is a number, and a part of another"),
        pytest.param(
            "open_all_sites_at_once()\nwait_for_them()\n\n# Then stop\n",
            "open_all_sites_at_once()\nwait_for_them()\n\n# Start all browsers\n",
            "x()\n",
            "not_found",
            id="another comment at the end",
        ),
        pytest.param(
            ".a {\n    top: 0;\n    left: 0;\n}\n",
            "        top: 0;\n        left: 0;\n",
            "        top: 0;\n                                        b: 1;\n        left: 0;\n",
            "unsafe",
            id="a deep line that may be moved or scaled",
        ),
        pytest.param("a\nbc\n", "a\nb", "a\nd", "not_found", id="lines that end within a word"),
        pytest.param(
            "run_all_checks()\nendif # inner\nendif # outer\n",
            "run_all_checks()\nendif\nendif\n",
            "run_all_checks()\nendif\n",
            "unsafe",
            id="one of two lines that look alike",
        ),
        pytest.param(
            "a()\n# why\nb()\nc()\n",
            "a()\nb()\nc()\n",
            "a()\nx()\nb()\nc()\n",
            "unsafe",
            id="added beside a hidden comment",
        ),
        pytest.param(
            "if a:\n    b()\nc()\nd()\n",
            "if a:\nb()\nc()\nd()\n",
            "if a:\nb()\nx()\nc()\nd()\n",
            "unsafe",
            id="two depths",
        ),
    ],
)
def test_an_edit_that_is_not_certain_is_refused(content: str, old: str, new: str, reason: RefusalReason) -> None:
    assert refusal(content, old, new).report.reason == reason


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        pytest.param("a = load_all()\n", "a = load()\n", "a = load_all()\n", id="replaced"),
        pytest.param("a = load_all( )  \n", "a = load()\n", "a = load_all()\n", id="replaced, spaced otherwise"),
        pytest.param("import os\nimport sys\n", "import os\n", "import os\nimport sys\n", id="lines added below"),
        pytest.param("import os\nimport sys\n", "import sys\n", "import os\nimport sys\n", id="lines added above"),
        pytest.param("f(a, b)\n", "f(a", "f(a, b", id="added within a line"),
        pytest.param("  one()\n  two()\n", "one()\n", "one()\ntwo()\n", id="lines added, dedented"),
    ],
)
def test_an_edit_that_the_file_shows_is_already_applied(content: str, old: str, new: str) -> None:
    assert refusal(content, old, new).report.reason == "already_applied"


@pytest.mark.parametrize(
    ("content", "old", "new", "reason"),
    [
        pytest.param("alpha_one\n", "alpha_one\nbeta\n", "alpha_one\n", "not_found", id="deletion"),
        pytest.param("left()\n", "left() and right()", "left()", "not_found", id="new within old"),
        pytest.param("x\n", "y\n", "x\n", "not_found", id="too short to tell"),
    ],
)
def test_what_is_left_over_is_no_sign_of_an_applied_edit(
    content: str, old: str, new: str, reason: RefusalReason
) -> None:
    assert refusal(content, old, new).report.reason == reason


def test_a_closing_bracket_may_be_added_twice() -> None:
    assert apply_edit("{\n  {\n  }\n}\n", "  }\n", "  }\n}\n") == "{\n  {\n  }\n}\n}\n"


def test_all_places_of_an_ambiguous_text_are_named() -> None:
    refused = refusal(TWINS, "    total += 1\n", "    total += 2\n")
    assert "2 places: line 3 and line 9" in str(refused)
    assert [(place.first, place.last) for place in refused.report.places] == [(3, 3), (9, 9)]


def test_many_places_are_counted_and_the_first_five_named() -> None:
    refused = refusal("x = 1\n" * 40, "x = 1\n", "x = 2\n")
    assert "40 places" in str(refused)
    assert "35 more" in str(refused)
    assert len(refused.report.places) == 5


def test_a_text_that_is_not_there_is_told_what_is_nearest() -> None:
    refused = refusal(TAX, TAX.replace("19", "21"), "x\n")
    place = refused.report.places[0]
    assert (place.first, place.last) == (1, 5)
    assert place.similarity > 0.9
    assert "3:     if rate > 19:" in str(refused)
    assert refused.report.advice in str(refused)


def test_the_true_block_wins_over_a_sibling_although_it_has_a_typo() -> None:
    sibling = TAX.replace("tax", "fee").replace("net", "gross").replace("19", "7")
    old = TAX.replace("ValueError", "ValeuError")
    new = old.replace("> 19", "> 20")
    assert apply_edit(sibling + "\n\n" + TAX, old, new) == sibling + "\n\n" + TAX.replace("> 19", "> 20")


def test_several_edits_are_made_one_after_the_other() -> None:
    edits = [TextEdit("rate > 19", "rate > 20"), TextEdit("rate > 20", "rate >= 20")]
    assert apply_edits(TAX, edits).text == TAX.replace("> 19", ">= 20")


def test_one_refused_edit_of_several_refuses_all_and_is_named() -> None:
    with pytest.raises(EditRefused, match=r"Edit 2 of 3") as refused:
        apply_edits(TAX, [TextEdit("> 19", "> 20"), TextEdit("nowhere", "x"), TextEdit("base", "net")])
    assert refused.value.report.reason == "not_found"


def test_an_edit_already_applied_does_not_hold_up_the_others() -> None:
    edits = [TextEdit("amount = order.sum\n", "base = order.net_amount\n"), TextEdit("> 19", "> 20")]
    assert apply_edits(TAX, edits).text == TAX.replace("> 19", "> 20")


def test_edits_that_are_all_applied_are_told_so() -> None:
    with pytest.raises(EditRefused) as refused:
        apply_edits(TAX, [TextEdit("amount = order.sum\n", "base = order.net_amount\n")])
    assert refused.value.report.reason == "already_applied"
