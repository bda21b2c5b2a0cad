"""One line a failure, from what node, vitest, jest and go really print."""

import pytest

from mulligan.core.failures.summaries.lines import failure_lines
from tests.core.failures.failures_seen import seen

NODE_TAP = """\
  error: |-
    Expected values to be strictly deep-equal:
    + actual - expected

      [
    +   3,
    +   4
    -   1,
    -   2
      ]
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected:
    0: 1
    1: 2
  actual:
    0: 3
    1: 4
  operator: 'deepStrictEqual'
"""
NODE_SPEC = """\
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  NaN !== 9.52

      at TestContext.<anonymous> (file:///project/test/cart.test.js:10:10) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: NaN,
    expected: 9.52,
    operator: 'strictEqual'
  }
"""
NODE_ERROR = """\
      error: "Cannot read properties of undefined (reading 'name')"
      code: 'ERR_TEST_FAILURE'
      name: 'TypeError'
"""
VITEST = """\
AssertionError: expected [ 3, 4 ] to deeply equal [ 1, 2 ]

- Expected
+ Received

  Array [
-   1,
-   2,
+   3,
+   4,
  ]

"""
VITEST_CLOSE = "AssertionError: expected NaN to be close to 9.52, received difference is NaN, but expected 0.005"
VITEST_TRUTHY = "AssertionError: expected undefined to be truthy\n\n- Expected: \nundefined\n\n+ Received: \nfalse\n"
JEST = """\
    expect(received).toEqual(expected) // deep equality

    - Expected  - 2
    + Received  + 2

      Array [
    -   1,
    -   2,
    +   3,
    +   4,
      ]

      2 |
"""
JEST_CLOSE = """\
    expect(received).toBeCloseTo(expected)

    Expected: 9.52
    Received: NaN

    Expected precision:    2
"""
JEST_THROW = """\
    expect(received).toThrow(expected)

    Expected constructor: RangeError

    Received function did not throw
"""


@pytest.mark.parametrize(
    ("detail", "statement", "expected"),
    [
        pytest.param(
            NODE_TAP,
            "assert.deepEqual(page([1, 2], 1, 2), [1, 2]);",
            "page([1, 2], 1, 2) gave [3, 4], expected [1, 2]",
            id="node, tap",
        ),
        pytest.param(
            NODE_SPEC,
            "assert.equal(total([], 'de'), 9.52);",
            "total([], 'de') gave NaN, expected 9.52",
            id="node, spec",
        ),
        pytest.param(
            "error: 'Missing expected exception (RangeError).'",
            "assert.throws(() => total([], 'fr'), RangeError);",
            "total([], 'fr') raised nothing, expected RangeError",
            id="node, nothing thrown",
        ),
        pytest.param(
            NODE_ERROR,
            "assert.equal(find('tea').name, 'tea');",
            "find('tea').name raised TypeError: Cannot read properties of undefined (reading 'name')",
            id="node, an error",
        ),
        pytest.param(
            VITEST,
            "expect(page([1, 2], 1, 2)).toEqual([1, 2]);",
            "page([1, 2], 1, 2) gave [ 3, 4 ], expected [ 1, 2 ]",
            id="vitest compares",
        ),
        pytest.param(
            VITEST_CLOSE,
            "expect(total([], 'de')).toBeCloseTo(9.52);",
            "total([], 'de') gave NaN, expected 9.52",
            id="vitest, close",
        ),
        pytest.param(
            VITEST_TRUTHY,
            "expect(find('tea')).toBeTruthy();",
            "find('tea') gave undefined, expected a true value",
            id="vitest, truthy",
        ),
        pytest.param(
            "AssertionError: expected function to throw an error, but it didn't",
            "expect(() => total([], 'fr')).toThrow(RangeError);",
            "total([], 'fr') raised nothing, expected RangeError",
            id="vitest, nothing thrown",
        ),
        pytest.param(
            JEST,
            "expect(page([1, 2], 1, 2)).toEqual([1, 2]);",
            "page([1, 2], 1, 2) gave [ 3, 4 ], expected [ 1, 2 ]",
            id="jest compares",
        ),
        pytest.param(
            JEST_CLOSE,
            "expect(total([], 'de')).toBeCloseTo(9.52);",
            "total([], 'de') gave NaN, expected 9.52",
            id="jest, close",
        ),
        pytest.param(
            JEST_THROW,
            "expect(() => total([], 'fr')).toThrow(RangeError);",
            "total([], 'fr') raised nothing, expected RangeError",
            id="jest, nothing thrown",
        ),
        pytest.param(
            "    expect(received).toBeTruthy()\n\n    Received: undefined\n",
            "expect(find('tea')).toBeTruthy();",
            "find('tea') gave undefined, expected a true value",
            id="jest, truthy",
        ),
    ],
)
def test_script_failures_are_told_as_call_result_and_expectation(detail: str, statement: str, expected: str) -> None:
    assert failure_lines([seen("test/cart.test.js", detail, statement)]) == (expected,)


GO_BODY = """\
func TestPage(t *testing.T) {
	got, err := Page([]int{1, 2, 3}, 1, 2)
	want := []int{1, 2}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Page() = %v, want %v", got, want)
	}
}
"""
GO_TABLE = """\
	if got := Total(tc.items); got != tc.want {
		t.Fatalf("got %v, want %v", got, tc.want)
	}
"""
GO_METHOD = """\
	if c.Value() != 1 {
		t.Error("want 1, got", c.Value())
	}
"""
TESTIFY = (
    "    cart_test.go:9:\n"
    "        \tError Trace:\t/project/cart_test.go:9\n"
    "        \tError:      \tNot equal:\n"
    "        \t            \texpected: 4\n"
    "        \t            \tactual  : 3\n"
)
PANIC = "panic: runtime error: index out of range [3] with length 3 [recovered]\n\tpanic: runtime error: …"


@pytest.mark.parametrize(
    ("detail", "statement", "body", "expected"),
    [
        pytest.param(
            "    cart_test.go:12: Page() = [3 4], want [1 2]",
            't.Errorf("Page() = %v, want %v", got, want)',
            GO_BODY,
            "Page([]int{1, 2, 3}, 1, 2) gave [3 4], expected [1 2]",
            id="a call without arguments",
        ),
        pytest.param(
            "    cart_test.go:8: Add(1, 2) = 3; want 4",
            "",
            "",
            "Add(1, 2) gave 3, expected 4",
            id="a call with arguments",
        ),
        pytest.param(
            "        cart_test.go:26: got 0, want 9.52",
            't.Fatalf("got %v, want %v", got, tc.want)',
            GO_TABLE,
            "Total(tc.items) gave 0, expected 9.52",
            id="a table",
        ),
        pytest.param(
            "    cart_test.go:36: want 1, got 0",
            't.Error("want 1, got", c.Value())',
            GO_METHOD,
            "c.Value() gave 0, expected 1",
            id="turned round",
        ),
        pytest.param(
            "    cart_test.go:36: expected 1 but got 0",
            't.Error("want 1, got", c.Value())',
            GO_METHOD,
            "c.Value() gave 0, expected 1",
            id="in other words",
        ),
        pytest.param(
            TESTIFY,
            "",
            "\tgot := Add(1, 2)\n\tassert.Equal(t, 4, got)\n",
            "Add(1, 2) gave 3, expected 4",
            id="testify",
        ),
        pytest.param(
            PANIC,
            "Page([]int{1}, 3, 2)",
            "",
            "Page([]int{1}, 3, 2) panicked: runtime error: index out of range [3] with length 3",
            id="a panic",
        ),
        pytest.param("    cart_test.go:36: it is broken", "", "", "TestPage: it is broken", id="in words of its own"),
    ],
)
def test_go_failures_are_told_as_call_result_and_expectation(
    detail: str, statement: str, body: str, expected: str
) -> None:
    message = detail.strip().partition(": ")[2]
    told = seen("cart/cart_test.go", detail, statement, body, message=message, name="TestPage")
    assert failure_lines([told]) == (expected,)
