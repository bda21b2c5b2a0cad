"""Where failing tests stand, and what they use of their files."""

import pytest

from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.failing_tests import failing_bodies, support_of
from mulligan.types.fixing import FailingTest

PYTHON = """\
import pytest

RATE = 2
LONG = [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
]


@pytest.fixture
def tea():
    return {"name": "tea"}


def make(name):
    return {"name": name}


@pytest.mark.parametrize("n", [1, 2])
def test_rate(n, tea):
    assert n * RATE == len(LONG)


class TestOne:
    def setup_method(self):
        self.cart = []

    def test_add(self):
        self.cart.append(make("x"))
        assert self.cart == 1


class TestTwo:
    def test_add(self):
        assert 1 == 2
"""

SCRIPT = """\
import { test } from 'node:test';

const RATE = 2;

test('adds', () => {
  assert.equal(RATE, 3);
});

describe('cart', () => {
  let cart;
  beforeEach(() => {
    cart = new Cart();
  });

  it('adds', async () => {
    cart.add(')');
  });

  it.each([1, 2])('counts %i', (n) => {
    assert.equal(n, 3);
  });
});
"""

GO = """\
package cart

func helper() int {
	return 2
}

func TestPage(t *testing.T) {
	if helper() != 1 {
		t.Error("}")
	}
}
"""


@pytest.mark.parametrize(
    ("path", "text", "test", "at", "bodies"),
    [
        pytest.param("t.py", PYTHON, ("t.py::test_rate[1]", "test_rate[1]"), [], [(25, 27)], id="with parameters"),
        pytest.param("t.py", PYTHON, ("t.py::TestTwo::test_add", "test_add"), [], [(40, 41)], id="of this class"),
        pytest.param("t.py", PYTHON, ("t.TestOne.test_add", "test_add"), [], [(34, 36)], id="as unittest names it"),
        pytest.param("t.py", PYTHON, ("x", "who knows"), [35], [(34, 36)], id="by the line that failed"),
        pytest.param("t.js", SCRIPT, ("adds", "adds"), [], [(5, 7)], id="by its title"),
        pytest.param(
            "t.js", SCRIPT, ("cart > counts 1", "cart > counts 1"), [20], [(19, 21)], id="a title with a value"
        ),
        pytest.param("t.go", GO, ("TestPage/second", "TestPage/second"), [], [(7, 11)], id="a part of a go test"),
        pytest.param("t.py", PYTHON, ("x", "who knows"), [], [], id="not to be found"),
    ],
)
def test_the_body_of_a_failing_test_is_found(
    path: str, text: str, test: tuple[str, str], at: list[int], bodies: list[tuple[int, int]]
) -> None:
    found = failing_bodies(path, text.split("\n"), [FailingTest(id=test[0], name=test[1])], at)
    assert [(each.first, each.last) for each in found] == bodies


@pytest.mark.parametrize(
    ("path", "text", "body", "support"),
    [
        pytest.param("t.py", PYTHON, (25, 27), [(16, 18), (3, 3)], id="fixture and short constant"),
        pytest.param("t.py", PYTHON, (34, 36), [(31, 32), (21, 22)], id="what is set up, and a helper"),
        pytest.param("t.py", PYTHON, (40, 41), [], id="nothing"),
        pytest.param("t.js", SCRIPT, (15, 17), [(11, 13)], id="before each"),
        pytest.param("t.js", SCRIPT, (5, 7), [(3, 3)], id="a constant"),
        pytest.param("t.go", GO, (7, 11), [(3, 5)], id="a helper in go"),
    ],
)
def test_what_a_test_uses_comes_with_it_where_it_is_short(
    path: str, text: str, body: tuple[int, int], support: list[tuple[int, int]]
) -> None:
    found = support_of(path, text.split("\n"), [CodeBlock(*body)])
    assert [(each.first, each.last) for each in found] == support
