"""What is told of a single failure."""

import re

import pytest

from mulligan.core.failures import read_report
from mulligan.types.fixing import FailingTest
from tests.core.failures.recorded import Recorded, output


def failing(name: str, command: str) -> dict[str, FailingTest]:
    return {test.id: test for test in read_report(command, 1, output(name), "").failing}


@pytest.mark.parametrize(
    ("name", "command", "expected"),
    [
        pytest.param(
            "pytest_plain", "pytest",
            FailingTest(id="tests/test_cart.py::test_discount[a - b]", name="test_discount", path="tests/test_cart.py",
                        message="KeyError: 'a - b'"),
            id="pytest",
        ),
        pytest.param(
            "pytest_subtests", "pytest",
            FailingTest(id="tests/test_sub.py::test_chain", name="test_chain", path="tests/test_sub.py",
                        message="ValueError: no price"),
            id="the last of a chain of exceptions",
        ),
        pytest.param(
            "unittest_discover", "python -m unittest",
            FailingTest(id="tests.test_cart.TotalTest.test_adds_all", name="test_adds_all",
                        path="/project/tests/test_cart.py", message="AssertionError: 5 != 6"),
            id="unittest",
        ),
        pytest.param(
            "npm_jest", "npm test",
            FailingTest(id="jest/cart.test.js > total > adds all prices", name="adds all prices",
                        path="jest/cart.test.js", message="Expected: 6, Received: 5"),
            id="jest",
        ),
        pytest.param(
            "npm_node", "npm test",
            FailingTest(id="/project/nodetest/cart.test.js > total > adds all prices", name="adds all prices",
                        path="/project/nodetest/cart.test.js",
                        message="Expected values to be strictly equal: 5 !== 6"),
            id="node",
        ),
        pytest.param(
            "go_verbose", "go test",
            FailingTest(id="shop/cart.TestPlain", name="TestPlain", path="cart_test.go", message="Total = 0, want 4"),
            id="what a go test said last",
        ),
        pytest.param(
            "cargo_test", "cargo test",
            FailingTest(id="tests::adds_all", name="adds_all", path="src/lib.rs",
                        message="assertion `left == right` failed, left: 5, right: 6"),
            id="cargo",
        ),
        pytest.param(
            "mvn_test", "mvn test",
            FailingTest(id="shop.CartTest.addsAllPrices", name="addsAllPrices", path="shop/CartTest.java",
                        message="org.opentest4j.AssertionFailedError: expected: <6> but was: <5>"),
            id="maven",
        ),
        pytest.param(
            "rspec_plain", "rspec",
            FailingTest(id="Cart#total adds all prices", name="Cart#total adds all prices", path="spec/cart_spec.rb",
                        message="expected: 6, got: 3"),
            id="rspec",
        ),
        pytest.param(
            "rake_minitest", "rake test",
            FailingTest(id="CartTest#test_knows_a_price", name="test_knows_a_price", path="/project/test/cart_test.rb",
                        message="IndexError: index 3 outside of array bounds: -1...1"),
            id="minitest, an error has the test's file, not the innermost",
        ),
        pytest.param(
            "rails_test", "bin/rails test",
            FailingTest(id="CartTest#test_adds_all_prices", name="test_adds_all_prices",
                        path="/project/test/models/cart_test.rb", message="Expected: 6, Actual: 3"),
            id="rails",
        ),
        pytest.param(
            "rake_test_unit", "rake test",
            FailingTest(id="CartTest#test_adds_all_prices", name="test_adds_all_prices",
                        path="/project/test/cart_test.rb", message="<6> expected but was <3>"),
            id="test-unit",
        ),
        pytest.param(
            "phpunit_plain", "vendor/bin/phpunit",
            FailingTest(id='Shop\\Tests\\CartTest::testTotals with data set "two of them"',
                        name='testTotals with data set "two of them"', path="/project/tests/CartTest.php",
                        message="Failed asserting that two arrays are equal."),
            id="phpunit, a data set without its values",
        ),
        pytest.param(
            "artisan_test", "php artisan test",
            FailingTest(id="Tests\\Unit\\CartTest > knows a price", name="knows a price",
                        path="tests/Unit/CartTest.php", message="no price for b"),
            id="laravel",
        ),
        pytest.param(
            "mix_plain", "mix test",
            FailingTest(id="Shop.CartTest: test total/1 adds all prices", name="test total/1 adds all prices",
                        path="test/cart_test.exs", message="Assertion with == failed, left: 5, right: 6"),
            id="elixir",
        ),
        pytest.param(
            "ctest_failure", "ctest",
            FailingTest(id="Cart.AddsAllPrices", name="Cart.AddsAllPrices", path="/project/tests/cart_gtest.cpp",
                        message="Expected equality of these values: 6, Which is: 3"),
            id="ctest with GoogleTest",
        ),
        pytest.param(
            "ctest_failure", "ctest",
            FailingTest(id="slow", name="slow", message="Timeout"), id="ctest, a test that says nothing",
        ),
        pytest.param(
            "gradle_test", "gradle test",
            FailingTest(id="shop.CartTest.knowsAPrice", name="knowsAPrice", path="shop/CartTest.java",
                        message="java.lang.IndexOutOfBoundsException at CartTest.java:22"),
            id="gradle",
        ),
        pytest.param(
            "dotnet_test", "dotnet test",
            FailingTest(id="Shop.Tests.CartTests.AddsAllPrices", name="AddsAllPrices",
                        path="/project/Shop.Tests/CartTests.cs",
                        message="Assert.Equal() Failure: Values differ, Expected: 6, Actual: 5"),
            id="dotnet",
        ),
        pytest.param(
            "swift_testing", "swift test",
            FailingTest(id="addsAllPrices()", name="addsAllPrices()", path="CartTests.swift",
                        message="Expectation failed: (cart.total → 5) == 6"),
            id="swift",
        ),
        pytest.param(
            "mypy_plain", "mypy .",
            FailingTest(id='odd.py: name-defined Name "missing" is not defined', name="name-defined", path="odd.py",
                        message='Name "missing" is not defined'),
            id="a finding is named by its code",
        ),
    ],
)  # fmt: skip
def test_a_failure_has_name_path_and_message(name: str, command: str, expected: FailingTest) -> None:
    test = failing(name, command)[expected.id]

    assert test.model_copy(update={"detail": ""}) == expected


@pytest.mark.parametrize(
    ("name", "command", "test_id", "lines"),
    [
        pytest.param("pytest_plain", "pytest", "tests/test_cart.py::TestPage::test_first",
                     [">       assert page([1, 2, 3, 4, 5], 1, 2) == [1, 2]", "E       assert [3, 4] == [1, 2]"],
                     id="pytest"),
        pytest.param("npm_vitest", "npm test", "test/cart.test.js > total > adds all prices", ["- 6", "+ 5"],
                     id="vitest"),
        pytest.param("npm_node", "npm test", "/project/nodetest/broken.test.js",
                     ["  code: 'ERR_MODULE_NOT_FOUND',"], id="a file that died tells of what"),
        pytest.param("go_panic", "go test", "shop/loud.TestFirst", ["\t/project/loud/loud.go:4"], id="go, panic"),
    ],
)  # fmt: skip
def test_the_detail_is_the_output_about_this_failure(name: str, command: str, test_id: str, lines: list[str]) -> None:
    detail = failing(name, command)[test_id].detail.split("\n")

    assert set(lines) <= set(detail)


def test_what_a_test_printed_is_not_in_its_detail() -> None:
    detail = failing("pytest_plain", "pytest")["tests/test_cart.py::test_discount[a - b]"].detail

    assert "asked for a - b" in output("pytest_plain")
    assert "asked for a - b" not in detail


def test_no_id_holds_what_differs_from_run_to_run(case: Recorded) -> None:
    ids = [test.id for test in read_report(case.command, case.exit_code, case.text, "").failing]

    assert not [each for each in ids if re.search(r":\d+\b|0x[0-9a-f]{4}|\d ?ms\b|\(line \d", each)]


def test_ids_stay_the_same_when_lines_move() -> None:
    before = read_report("ruff check", 1, "a.py:3:1: F811 Redefinition of `x` from line 1\n", "")
    after = read_report("ruff check", 1, "a.py:9:1: F811 Redefinition of `x` from line 7\n", "")

    assert [test.id for test in before.failing] == [test.id for test in after.failing]


def test_two_tests_of_one_name_are_told_apart() -> None:
    text = "test adds ... FAILED\ntest adds ... FAILED\ntest result: FAILED. 0 passed; 2 failed; 0 ignored"

    assert [test.id for test in read_report("cargo test", 101, text, "").failing] == ["adds", "adds (2)"]


def test_of_many_failures_all_are_listed_and_the_first_have_details() -> None:
    sections = "".join(f"____ test_{number} ____\n    def test_{number}():\nE   assert 0\n" for number in range(50))
    summary = "".join(f"FAILED t.py::test_{number} - assert 0\n" for number in range(50))
    text = f"=== FAILURES ===\n{sections}=== short test summary info ===\n{summary}50 failed in 0.1s\n"

    tests = read_report("pytest", 1, text, "").failing

    assert len(tests) == 50
    assert [bool(test.detail) for test in tests] == [True] * 20 + [False] * 30


def test_a_long_detail_keeps_its_head_and_its_end() -> None:
    body = "    def test_a():\n" + "    x = 1\n" * 1_000 + "E   assert 0\n"
    text = (
        f"=== FAILURES ===\n____ test_a ____\n{body}=== short test summary info ===\nFAILED t.py::test_a - assert 0\n"
    )

    (test,) = read_report("pytest", 1, text, "").failing

    assert len(test.detail) <= 1_500
    assert test.detail.startswith("    def test_a():")
    assert test.detail.endswith("E   assert 0")


def test_an_output_cut_in_the_middle_is_read_as_far_as_it_goes() -> None:
    whole = output("pytest_plain")
    flood = "".join(f"line {number} of a flood\n" for number in range(40_000))
    cut = whole[:900] + f"\n[… {len(flood):,} bytes left out …]\n" + whole[1_700:]

    report = read_report("pytest", 1, cut, "")

    assert [test.id for test in report.failing] == [test.id for test in read_report("pytest", 1, whole, "").failing]
    assert read_report("pytest", 1, whole[:900] + flood + whole[1_700:], "").counts == report.counts


def test_a_progress_bar_is_read_in_its_last_state() -> None:
    report = read_report("pytest", 1, "10%\r50%\rFAILED t.py::test_a - x\n1 failed in 0.1s\n", "")

    assert [test.id for test in report.failing] == ["t.py::test_a"]
