"""Bugs that are planted for the bench are bugs, and the same for the same seed."""

import ast

from bench.locate.planting import planted

TEXT = """\
LIMIT = 3


def fine(days, rate):
    if days < LIMIT and rate:
        return 0
    total = days * rate
    return max(total, é(1))
"""


def test_one_small_change_is_made_within_a_function_on_a_line_that_runs() -> None:
    found = list(planted({"a.py": TEXT}, {"a.py": {1, 5, 7}}, "seed"))
    assert {each.line for each in found} == {5, 7}
    for each in found:
        ast.parse(each.after)
        differing = [
            number
            for number, (old, new) in enumerate(zip(TEXT.splitlines(), each.after.splitlines(), strict=True), 1)
            if old != new
        ]
        assert differing == [each.line], each.what


def test_the_seed_decides() -> None:
    def order(seed: str) -> list[str]:
        return [each.after for each in planted({"a.py": TEXT}, {"a.py": range(1, 9)}, seed)]

    assert order("1") == order("1")
    assert order("1") != order("2")
    assert sorted(order("1")) == sorted(order("2"))
