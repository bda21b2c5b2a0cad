"""How much work a text can make. What is counted are lines of code that run, never seconds."""

import ast
import pkgutil
import re
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mulligan.core.command_policy as policy
from mulligan.core.command_policy import judge_command
from mulligan.core.command_policy.line import MAX_COMMAND_BYTES
from mulligan.core.command_policy.places import matches
from tests.examples import examples

FOLDER = Path(policy.__path__[0])
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")

OPENINGS = st.sampled_from(
    ["", "sed 's/", "sed '", "awk '", "cat ", "ls {", "echo $(", 'echo "', "x=", "find . ", "git ", "env ",
     "bash -c '", "rm ",
     "[[ ", "(( ", "cat <<A\n", "grep -e", "make ", "for x in ", "python -m ", "xargs ", "tar t"]
)  # fmt: skip
PIECES = st.sampled_from(
    ["\\", "\\\\", "'", '"', "`", " ", "\n", "\t", "(", ")", "[", "]", "{", "}", "{,", "a,", "$(", "${", "$((", "*",
     "?", "*?",
     "[a]", "../", "/", ":", "=", "a=b ", "-", "--", "-a ", "--a=b ", ";", "|", "&", "a|", "a&", ">a ", "<a ",
     "<<A\n", "a ",
     "env ", "env -Z ", "sh -c ", "timeout --x 5 ", "cd a;", "-exec a ", "if ", "f(){ ", "x=$x;", "é", "#", "!", "~",
     ".env "]
)  # fmt: skip
SHAPES = st.tuples(
    OPENINGS, st.lists(PIECES, min_size=1, max_size=3).map("".join), st.sampled_from(["", "'", '"', ")", "}"])
)


def work(command: str) -> int:
    """Lines of the policy that run while a command is judged."""
    lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(str(FOLDER)):
            return None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        judge_command(command)
    finally:
        sys.settrace(before)
    return lines


@settings(deadline=None, max_examples=examples(60))
@given(SHAPES)
def test_four_times_the_text_is_not_much_more_than_four_times_the_work(shape: tuple[str, str, str]) -> None:
    opening, piece, closing = shape
    short, long = (work(opening + piece * count + closing) for count in (60, 240))

    assert long <= 6 * short + 2_000, (short, long)


def test_a_text_as_long_as_may_be_is_judged_in_bounded_work() -> None:
    for piece in ("a;", "a|", "$(", "{,", "a=1;", "*?", "-exec a ", "x&"):
        assert work("find . " + piece * ((MAX_COMMAND_BYTES - 10) // len(piece))) < 6_000_000


def test_many_backslashes_in_a_program_for_sed_do_not_hang() -> None:
    assert judge_command("sed 's/" + "\\" * 60).decision == "ask"
    assert judge_command("sed 's/" + "\\" * 1_901 + "' a.txt").decision == "ask"


def test_a_pattern_of_many_stars_does_not_hang() -> None:
    assert not matches("credentials.json" * 4, "*?" * 200 + "x")
    assert judge_command("cat " + "*?" * 5_000 + "x").reason


def patterns() -> list[str]:
    """All regular expressions of the package: those that are kept, and those in its text."""
    found: list[str] = []
    for module in pkgutil.iter_modules([str(FOLDER)]):
        code = import_module(f"{policy.__name__}.{module.name}")
        found += [value.pattern for value in vars(code).values() if _is_pattern(value)]
        for node in ast.walk(ast.parse((FOLDER / f"{module.name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                found += [str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant)]
    return found


def _is_pattern(value: Any) -> bool:
    return isinstance(value, re.Pattern) and isinstance(value.pattern, str)  # pyright: ignore[reportUnknownMemberType]


def repeats(parsed: Any, inside: int = 0) -> int:
    """How deep repetitions stand in each other."""
    deepest = inside
    for operation, argument in parsed:
        name = str(operation)
        assert "GROUPREF" not in name
        again = inside + (name in REPEATS and argument[1] > 1)
        deepest = max(deepest, again, *(repeats(each, again) for each in _within(argument)))
    return deepest


def _within(argument: Any) -> list[Any]:
    """The patterns that a part of a pattern is made of."""
    if hasattr(argument, "data"):
        return [argument]
    parts: list[Any] = list(argument) if isinstance(argument, tuple | list) else []  # pyright: ignore[reportUnknownArgumentType]
    return [each for part in parts for each in _within(part)]


@pytest.mark.parametrize("pattern", sorted(set(patterns())))
def test_no_pattern_repeats_within_a_repetition(pattern: str) -> None:
    parser: Any = import_module("re._parser")  # the only way to see what a pattern is made of

    assert repeats(parser.parse(pattern)) <= 1
