"""A pattern that is compiled when it is first used behaves as one that was compiled before."""

import re

import pytest

from mulligan.runtime.late_pattern import LatePattern, late_pattern


def test_it_finds_what_a_pattern_finds() -> None:
    late, early = late_pattern(r"(\w+)-(\d+)", re.IGNORECASE), re.compile(r"(\w+)-(\d+)", re.IGNORECASE)
    text = "a-1, B-22 and c"
    assert late.findall(text) == early.findall(text)
    assert late.sub("x", text) == early.sub("x", text)
    assert [each.span() for each in late.finditer(text)] == [each.span() for each in early.finditer(text)]
    assert (late.pattern, late.flags, late.groups) == (early.pattern, early.flags, early.groups)


def test_a_broken_one_is_noticed_when_it_is_used() -> None:
    late = late_pattern("(")
    with pytest.raises(re.error):
        late.search("")


def test_it_can_be_compiled_ahead() -> None:
    late = late_pattern("a+")
    assert isinstance(late, LatePattern)
    assert not late.compiled
    assert late.compile().pattern == "a+"
    assert late.compiled
