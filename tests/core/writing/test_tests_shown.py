"""What tests expect, as the model is told it."""

import pytest

from mulligan.core.writing import tests_prompt
from mulligan.syntax.blocks import CodeBlock

LINE = "function testA() { equal(f(1), 2) } function testB() { equal(f(2), 3) }"


@pytest.mark.parametrize("bodies", [(), (CodeBlock(1, 1), CodeBlock(1, 1))])
def test_tests_on_one_line_are_shown_once(bodies: tuple[CodeBlock, ...]) -> None:
    assert tests_prompt.tests_prompt([tests_prompt.TestFile("a.test.js", (LINE,), bodies)]).count(LINE) == 1
