"""Little projects in three languages with faults in them, and what their runners really print of these."""

from dataclasses import dataclass

PYTEST_PROJECT = {
    "src/shop/__init__.py": "",
    "src/shop/cart.py": '''\
"""Carts."""

from shop.tax import rate_for


def total(items, country):
    """Price of all items with tax."""
    net = sum(item["price"] * item["count"] for item in items)
    return net * (1 + rate_for(country))


def page_items(items, page, size):
    start = page * size
    return items[start : start + size]


def find(items, name):
    for item in items:
        if item["naem"] == name:
            return item
    return None
''',
    "src/shop/tax.py": """\
RATES = {"de": 0.19, "fr": 0.2}


def rate_for(country):
    return RATES[country] / 10
""",
    "src/shop/unrelated.py": "def greet(name):\n    return name\n",
    "tests/test_cart.py": """\
import pytest

from shop.cart import find, page_items, total


@pytest.fixture
def tea():
    return {"name": "tea", "price": 4, "count": 2}


def test_pages_start_at_one():
    assert page_items([1, 2, 3, 4, 5], 1, 2) == [1, 2]


def test_total(tea):
    result = total([tea], "de")
    assert result == pytest.approx(9.52)


def test_find(tea):
    assert find([tea], "tea") is tea
""",
}
PYTEST_OUTPUT = """\
FFF                                                                      [100%]
=================================== FAILURES ===================================
___________________________ test_pages_start_at_one ____________________________

    def test_pages_start_at_one():
>       assert page_items([1, 2, 3, 4, 5], 1, 2) == [1, 2]
E       assert [3, 4] == [1, 2]
E         
E         At index 0 diff: 3 != 1
E         Use -v to get more diff

tests/test_cart.py:12: AssertionError
__________________________________ test_total __________________________________

tea = {'name': 'tea', 'price': 4, 'count': 2}

    def test_total(tea):
        result = total([tea], "de")
>       assert result == pytest.approx(9.52)
E       assert 8.152 == 9.52 ± 9.5e-06
E         
E         comparison failed
E         Obtained: 8.152
E         Expected: 9.52 ± 9.5e-06

tests/test_cart.py:17: AssertionError
__________________________________ test_find ___________________________________

tea = {'name': 'tea', 'price': 4, 'count': 2}

    def test_find(tea):
>       assert find([tea], "tea") is tea
               ^^^^^^^^^^^^^^^^^^

tests/test_cart.py:21: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

items = [{'name': 'tea', 'price': 4, 'count': 2}], name = 'tea'

    def find(items, name):
        for item in items:
>           if item["naem"] == name:
               ^^^^^^^^^^^^
E           KeyError: 'naem'

src/shop/cart.py:19: KeyError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_pages_start_at_one - assert [3, 4] == [1, 2]
FAILED tests/test_cart.py::test_total - assert 8.152 == 9.52 ± 9.5e-06
FAILED tests/test_cart.py::test_find - KeyError: 'naem'
3 failed in 0.19s
"""  # noqa: W291  as pytest prints it

UNITTEST_PROJECT = {
    "tax.py": """\
RATES = {"de": 0.19, "fr": 0.2}


def rate_for(country):
    if country in RATES:
        return RATES[country] / 10
    raise LookupError(country)
""",
    "test_tax.py": """\
import unittest

from tax import rate_for


class TestRates(unittest.TestCase):
    def setUp(self):
        self.country = "de"

    def test_rate(self):
        self.assertEqual(
            rate_for(self.country),
            0.19,
        )

    def test_missing(self):
        self.assertIsNone(rate_for("xx"))
""",
}
UNITTEST_OUTPUT = """\
FE
======================================================================
ERROR: test_missing (test_tax.TestRates.test_missing)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/project/test_tax.py", line 17, in test_missing
    self.assertIsNone(rate_for("xx"))
                      ^^^^^^^^^^^^^^
  File "/project/tax.py", line 7, in rate_for
    raise LookupError(country)
LookupError: xx

======================================================================
FAIL: test_rate (test_tax.TestRates.test_rate)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/project/test_tax.py", line 11, in test_rate
    self.assertEqual(
AssertionError: 0.019 != 0.19

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1, errors=1)
"""

NODE_PROJECT = {
    "package.json": '{"type": "module", "scripts": {"test": "node --test"}}\n',
    "src/index.js": "export { Cart, pageItems, total } from './cart.js';\n",
    "src/cart.js": """\
import { rateFor } from './tax.js';

export function total(items, country) {
  const net = items.reduce((sum, item) => sum + item.price * item.cuont, 0);
  return net * (1 + rateFor(country));
}

export const pageItems = (items, page, size) => items.slice(page * size, page * size + size);

export class Cart {
  constructor() {
    this.items = [];
  }

  find(name) {
    return this.items.find((item) => { item.name === name });
  }
}
""",
    "src/tax.js": "export function rateFor(country) {\n  return { de: 0.19 }[country];\n}\n",
    "test/cart.test.js": """\
import { beforeEach, describe, it, test } from 'node:test';
import assert from 'node:assert/strict';
import { Cart, pageItems, total } from '../src/index.js';

test('pages start at one', () => {
  assert.deepEqual(pageItems([1, 2, 3, 4, 5], 1, 2), [1, 2]);
});

test('totals with tax', () => {
  assert.equal(total([{ price: 4, count: 2 }], 'de'), 9.52);
});

describe('cart', () => {
  let cart;
  beforeEach(() => {
    cart = new Cart();
    cart.items.push({ name: 'tea' });
  });

  it('finds what was added', () => {
    assert.equal(cart.find('tea').name, 'tea');
  });
});
""",
}
NODE_OUTPUT = """\
TAP version 13
# Subtest: pages start at one
not ok 1 - pages start at one
  ---
  duration_ms: 3.339528
  location: '/project/test/cart.test.js:5:1'
  failureType: 'testCodeFailure'
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
  stack: |-
    TestContext.<anonymous> (file:///project/test/cart.test.js:6:10)
    Test.runInAsyncScope (node:async_hooks:206:9)
    Test.run (node:internal/test_runner/test:796:25)
  ...
# Subtest: totals with tax
not ok 2 - totals with tax
  ---
  duration_ms: 0.289382
  location: '/project/test/cart.test.js:9:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    NaN !== 9.52
    
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected: 9.52
  actual: NaN
  operator: 'strictEqual'
  stack: |-
    TestContext.<anonymous> (file:///project/test/cart.test.js:10:10)
    Test.runInAsyncScope (node:async_hooks:206:9)
  ...
# Subtest: cart
    # Subtest: finds what was added
    not ok 1 - finds what was added
      ---
      duration_ms: 1.747452
      location: '/project/test/cart.test.js:20:3'
      failureType: 'testCodeFailure'
      error: "Cannot read properties of undefined (reading 'name')"
      code: 'ERR_TEST_FAILURE'
      name: 'TypeError'
      stack: |-
        TestContext.<anonymous> (file:///project/test/cart.test.js:21:34)
        Test.runInAsyncScope (node:async_hooks:206:9)
      ...
    1..1
not ok 3 - cart
  ---
  duration_ms: 8.103629
  type: 'suite'
  location: '/project/test/cart.test.js:13:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  code: 'ERR_TEST_FAILURE'
  ...
1..3
# tests 3
# suites 1
# pass 0
# fail 3
# cancelled 0
# skipped 0
# todo 0
# duration_ms 133.320326
"""  # noqa: W293  as node prints it

GO_PROJECT = {
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "tax/tax.go": """\
package tax

var rates = map[string]float64{"de": 0.19, "fr": 0.2}

func Rate(country string) float64 {
	return rates[country] / 10
}
""",
    "tax/cart_test.go": "package tax\n",
    "cart/cart.go": """\
package cart

import "example.com/shop/tax"

type Item struct {
	Price float64
	Count int
}

func Total(items []Item, country string) float64 {
	net := 0.0
	for _, item := range items {
		net += item.Price * float64(item.Count)
	}
	return net * (1 + tax.Rate(country))
}

func Page(items []int, page, size int) []int {
	start := page * size
	return items[start : start+size]
}

type Counter struct{ n int }

func (c Counter) Inc() { c.n++ }

func (c Counter) Value() int {
	return c.n
}
""",
    "cart/cart_test.go": """\
package cart

import "testing"

func TestTotal(t *testing.T) {
	for _, tc := range []struct {
		name string
		want float64
	}{
		{"one item", 9.52},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Total([]Item{{4, 2}}, "de"); got != tc.want {
				t.Fatalf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestCounter(t *testing.T) {
	var c Counter
	c.Inc()
	if c.Value() != 1 {
		t.Error("want 1, got", c.Value())
	}
}

func TestPanics(t *testing.T) {
	Page([]int{1}, 3, 2)
}
""",
}
GO_OUTPUT = """\
--- FAIL: TestTotal (0.00s)
    --- FAIL: TestTotal/one_item (0.00s)
        cart_test.go:14: got 8.152, want 9.52
--- FAIL: TestCounter (0.00s)
    cart_test.go:24: want 1, got 0
--- FAIL: TestPanics (0.00s)
panic: runtime error: slice bounds out of range [:8] with capacity 1 [recovered]
	panic: runtime error: slice bounds out of range [:8] with capacity 1

goroutine 23 [running]:
testing.tRunner.func1.2({0x51dfe0, 0xc0000d20f0})
	/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e
panic({0x51dfe0, 0xc0000d20f0})
	/usr/lib/go-1.19/src/runtime/panic.go:884 +0x212
example.com/shop/cart.Page(...)
	/project/cart/cart.go:20
example.com/shop/cart.TestPanics(0xc000097040?)
	/project/cart/cart_test.go:29 +0x1d
testing.tRunner(0xc0000971e0, 0x534a98)
	/usr/lib/go-1.19/src/testing/testing.go:1446 +0x10b
FAIL	example.com/shop/cart	0.008s
?   	example.com/shop/tax	[no test files]
FAIL
"""


@dataclass(frozen=True)
class Little:
    """A little project and what came of its tests."""

    files: dict[str, str]
    command: str
    output: str


OF_PYTEST = Little(PYTEST_PROJECT, "python -m pytest -q", PYTEST_OUTPUT)
OF_UNITTEST = Little(UNITTEST_PROJECT, "python -m unittest", UNITTEST_OUTPUT)
OF_NODE = Little(NODE_PROJECT, "node --test", NODE_OUTPUT)
OF_GO = Little(GO_PROJECT, "go test ./...", GO_OUTPUT)
