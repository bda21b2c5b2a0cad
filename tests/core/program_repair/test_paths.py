"""Which paths of a function end without a result."""

import dis
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.program_repair.findings.finding import FileContext, FindingKind
from mulligan.core.program_repair.findings.flow import notice_flow
from mulligan.syntax.code_tree import code_tree
from tests.examples import examples

SIMPLE = st.sampled_from(["return 1", "raise x", "break", "continue", "g()"])
HEADS = {
    "if x:": ("elif y:", "else:"),
    "try:": ("except A:", "else:", "finally:"),
    "for x in y:": ("else:",),
    "while x:": ("else:",),
    "while True:": (),
    "while 1:": (),
}


def _blocks(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """Without code that never runs, which Python removes."""
    return st.builds(_after_a_call, st.booleans(), inner)


def _after_a_call(calls: bool, last: list[str]) -> list[str]:
    return ["g()", *last] if calls else last


@st.composite
def _compound(draw: st.DrawFn, inner: st.SearchStrategy[list[str]]) -> list[str]:
    head = draw(st.sampled_from(sorted(HEADS)))
    parts = [head, *(each for each in HEADS[head] if draw(st.booleans()))]
    if head == "try:" and "except A:" not in parts:
        parts = ["try:", "finally:"]
    bodies = [["g()"] if part == "finally:" else draw(_blocks(inner)) for part in parts]
    return [
        line for part, body in zip(parts, bodies, strict=True) for line in (part, *(f"    {each}" for each in body))
    ]


STATEMENTS = st.recursive(SIMPLE.map(lambda each: [each]), _compound, max_leaves=8)


@given(_blocks(STATEMENTS))
@settings(max_examples=examples(1500), deadline=None)
def test_a_function_returns_on_some_paths_only_if_python_sees_its_end(body: list[str]) -> None:
    lines = ["def f(x, y):", *(f"    {line}" for line in body)]
    try:
        code = compile("\n".join(lines), "a.py", "exec").co_consts[0]
    except SyntaxError:  # a break outside of a loop
        return
    steps = list(dis.get_instructions(code))
    seen = any(
        one.opname in {"LOAD_CONST", "RETURN_CONST"} and one.argval is None and "RETURN" in one.opname + other.opname
        for one, other in pairwise(steps)
    )
    assert _is_noticed("\n".join(lines)) == (seen and any("return" in line for line in body))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("try:\n  g()\n finally:\n  return 1", id="in finally"),
        pytest.param("with x:\n  return 1", id="in with"),
        pytest.param("while x:\n  for z in y:\n   break\n else:\n  return 1", id="after a loop with another loop"),
    ],
)
def test_a_result_on_all_paths_is_not_noticed(body: str) -> None:
    assert not _is_noticed(f"def f(x, y):\n {body}\n")


def _is_noticed(text: str) -> bool:
    tree = code_tree("a.py", text)
    assert tree
    found = notice_flow(tree, FileContext())
    return any(each.what == FindingKind.RETURNS_SOMETIMES for each in found)
