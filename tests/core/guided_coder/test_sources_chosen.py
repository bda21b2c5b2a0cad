"""Which functions and files are shown, in which order, and how they are cut to the budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.fault_localisation.ranking import Focus, SourceFile, rank_files, weigh
from mulligan.core.fault_localisation.spectrum import Spectrum
from mulligan.core.fault_localisation.suspects import suspect_lines
from mulligan.core.fault_localisation.traces import TracedTest
from mulligan.core.guided_coder.sources import choose_sources
from mulligan.core.line_change import LineLocation
from mulligan.core.retrieval.excerpts import HEADER, Excerpt

CART = """\
from shop.tax import rate_for, spare

FREE_FROM = 50
OTHER = 1


def total(items, country):
    net = sum(items)
    if net > FREE_FROM:
        return net
    return net * (1 + rate_for(country))


def never(items):
    return spare(OTHER)


class Shelf:
    size = 3

    def __init__(self):
        self.items = []

    def lend(self, name):
        return self.items.pop()
"""
TAX = """\
RATES = {
    "de": 0.19,
    "fr": 0.2,
}


def rate_for(country):
    return RATES[country]


def spare(country):
    return 0
"""
FILES = [SourceFile("shop/cart.py", tuple(CART.splitlines())), SourceFile("shop/tax.py", tuple(TAX.splitlines()), 1)]


def test_a_function_under_test_comes_before_those_it_calls_and_others_do_not_count() -> None:
    assert names(Focus(frozenset({"total"}))) == ["total", "rate_for"]


def test_the_innermost_function_of_a_traceback_comes_first() -> None:
    places = (LineLocation("shop/tax.py", 8), LineLocation("shop/cart.py", 11))
    assert names(Focus(frozenset(), locations=places)) == ["rate_for", "total"]


def test_a_function_under_test_in_the_traceback_comes_before_what_it_called() -> None:
    places = (LineLocation("shop/tax.py", 8), LineLocation("shop/cart.py", 11))
    assert names(Focus(frozenset({"total"}), locations=places)) == ["total", "rate_for"]


def test_a_method_of_a_class_under_test_brings_its_constructor() -> None:
    assert names(Focus(frozenset({"Shelf", "lend"}))) == ["lend", "__init__"]


def test_a_name_that_is_nearly_that_of_a_function_counts() -> None:
    assert names(Focus(frozenset(), mentioned=frozenset({"totla"})))[0] == "total"


def test_a_second_attempt_begins_with_the_next_function() -> None:
    assert names(Focus(frozenset({"total"})), attempt=2) == ["rate_for", "total"]


def test_files_are_ranked_by_their_functions() -> None:
    focus = Focus(frozenset({"rate_for"}))
    ranked = rank_files(FILES, weigh(FILES, focus), focus)
    assert [file.path for file in ranked] == ["shop/tax.py"]


def test_a_file_that_only_passes_names_on_is_left_out() -> None:
    facade = SourceFile("shop/__init__.py", ("from shop.cart import total",))
    focus = Focus(frozenset({"total"}))
    ranked = rank_files([facade, *FILES], weigh([facade, *FILES], focus), focus)
    assert [file.path for file in ranked] == ["shop/cart.py", "shop/tax.py"]


def test_where_nothing_speaks_for_a_file_the_nearest_are_taken() -> None:
    ranked = rank_files(FILES, [], Focus(frozenset()))
    assert [file.path for file in ranked] == ["shop/cart.py", "shop/tax.py"]


def test_small_files_are_shown_whole_where_there_is_room() -> None:
    shown = choose(Focus(frozenset({"total"})), budget=3750)
    assert [(each.path, each.text) for each in shown] == [
        ("shop/cart.py", CART.rstrip("\n")),
        ("shop/tax.py", TAX.rstrip("\n")),
    ]


def test_without_room_only_the_functions_are_shown_with_the_constants_and_imports_they_use() -> None:
    shown = choose(Focus(frozenset({"total"})), budget=375)
    assert [(each.path, each.first, each.last) for each in shown] == [
        ("shop/cart.py", 1, 3),
        ("shop/cart.py", 7, 11),
        ("shop/tax.py", 1, 8),
    ]


def test_a_method_is_shown_with_the_head_of_its_class() -> None:
    shown = choose(Focus(frozenset({"lend"})), budget=250)
    assert [(each.first, each.last) for each in shown] == [(18, 20), (24, 25)]


def test_a_second_attempt_leaves_out_the_rest_of_the_files() -> None:
    shown = choose(Focus(frozenset({"total"})), budget=3750, attempt=2)
    assert [(each.path, each.first, each.last) for each in shown if each.path == "shop/cart.py"] == [
        ("shop/cart.py", 1, 3),
        ("shop/cart.py", 7, 11),
    ]


def test_of_a_function_that_is_too_long_the_lines_around_the_traceback_are_shown() -> None:
    lines = ("def total(items):", *(f"    step_{number}(items)" for number in range(200)))
    file = SourceFile("long.py", lines)
    focus = Focus(frozenset({"total"}), locations=(LineLocation("long.py", 120),))
    (shown,) = choose_sources([file], weigh([file], focus), focus, budget=200)
    assert shown.first < 120 < shown.last
    assert len(shown.text) <= 200


@given(budget=st.integers(0, 1500), tested=st.sets(st.sampled_from(["total", "rate_for", "lend", "Shelf", "never"])))
def test_what_is_shown_stands_so_in_the_file_and_fits(budget: int, tested: set[str]) -> None:
    shown = choose(Focus(frozenset(tested)), budget=budget)
    texts = {file.path: file.lines for file in FILES}
    for each in shown:
        assert each.text == "\n".join(texts[each.path][each.first - 1 : each.last])
    sizes = [len(each.text) + len(each.path) + HEADER for each in shown]
    assert sum(sizes) <= budget or len(shown) == 1


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        pytest.param(1, [9, 10, 11, 8, 3], id="what is pointed to first"),
        pytest.param(2, [10, 11, 9, 8, 3], id="what decides first"),
    ],
)
def test_suspect_lines_are_ordered(attempt: int, expected: list[int]) -> None:
    focus = Focus(frozenset({"total"}), locations=(LineLocation("shop/cart.py", 9),))
    weighed = [each for each in weigh(FILES, focus) if each.function.name == "total"]
    found = suspect_lines(focus, [], weighed, FILES, attempt=attempt)
    assert [place.line for place in found] == expected


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        pytest.param(
            "a.js", ("function f(x) {", "  x.forEach((y) => {", "    new Slot(y).fits(x);", "  });", "}"), id="new"
        ),
        pytest.param("a.js", ("async function f(x) {", "  // first", "  await save(x);", "}"), id="await"),
        pytest.param("a.go", ("func f(x int) {", "\t// later", "\tdefer stop(x)", "}"), id="defer"),
        pytest.param("a.go", ("func f(x int) {", "\t// beside", "\tgo work(x)", "}"), id="go"),
    ],
)
def test_a_call_alone_on_its_line_is_suspected(path: str, lines: tuple[str, ...]) -> None:
    focus, files = Focus(frozenset({"f"})), [SourceFile(path, lines)]
    assert LineLocation(path, 3) in suspect_lines(focus, [], weigh(files, focus), files)


def test_what_ran_in_failing_tests_alone_comes_before_what_the_test_names() -> None:
    """`total` is under test; the passing test ran it too, and only the failing one ran `rate_for`."""
    spectrum = ran(failing={"shop/cart.py": {8, 9, 11}, "shop/tax.py": {8}}, passing={"shop/cart.py": {8, 9, 10}})
    assert names(Focus(frozenset({"total"}), spectrum=spectrum)) == ["rate_for", "total"]


def test_a_function_that_no_failing_test_ran_comes_last_whatever_its_name() -> None:
    spectrum = ran(failing={"shop/tax.py": {8}}, passing={})
    assert names(Focus(frozenset({"never", "rate_for"}), spectrum=spectrum))[0] == "rate_for"


def test_of_two_functions_that_ran_alike_the_one_that_ran_last_comes_first() -> None:
    lines = {"shop/cart.py": frozenset({8}), "shop/tax.py": frozenset({8})}
    test = TracedTest("t", passed=False, lines=lines, ages={"shop/cart.py": {7: 1}, "shop/tax.py": {7: 0}})
    assert names(Focus(frozenset(), spectrum=Spectrum((test,)))) == ["rate_for", "total"]


def test_lines_that_failing_tests_ran_alone_come_first_and_those_that_none_ran_last() -> None:
    spectrum = ran(failing={"shop/cart.py": {8, 9, 11}}, passing={"shop/cart.py": {8, 9}})
    focus = Focus(frozenset({"total"}), spectrum=spectrum)
    weighed = [each for each in weigh(FILES, focus) if each.function.name == "total"]
    found = suspect_lines(focus, [], weighed, FILES)
    assert [place.line for place in found] == [11, 9, 8, 3, 10]


def ran(*, failing: dict[str, set[int]], passing: dict[str, set[int]]) -> Spectrum:
    tests = (("f", False, failing), ("p", True, passing))
    return Spectrum(
        tuple(
            TracedTest(name, passed=passed, lines={path: frozenset(each) for path, each in lines.items()})
            for name, passed, lines in tests
        )
    )


def test_lines_are_suspected_in_all_files_whatever_a_model_is_shown() -> None:
    focus = Focus(frozenset({"total"}), locations=(LineLocation("shop/cart.py", 2), LineLocation("shop/cart.py", 9)))
    found = suspect_lines(focus, [LineLocation("shop/tax.py", 1)], [], FILES)
    assert [(place.path, place.line) for place in found] == [
        ("shop/cart.py", 2), ("shop/cart.py", 9), ("shop/tax.py", 1),
    ]  # fmt: skip


def names(focus: Focus, attempt: int = 1) -> list[str]:
    return [each.function.name for each in weigh(FILES, focus, attempt=attempt)]


def choose(focus: Focus, *, budget: float, attempt: int = 1) -> tuple[Excerpt, ...]:
    weighed = weigh(FILES, focus, attempt=attempt)
    return choose_sources(rank_files(FILES, weighed, focus), weighed, focus, budget=budget, attempt=attempt)
