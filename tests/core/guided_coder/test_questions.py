"""The questions of a guided repair: what they share, what they allow, and how replies are read."""

from dataclasses import replace

import pytest

from mulligan.core.guided_coder.questions import (
    ask_for_change,
    ask_for_replacements,
    ask_for_suspects,
    ask_for_thought,
    ask_to_choose,
    ask_to_extract,
    context_text,
    diverging_in,
    read_choice,
    read_lines,
)
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief, SuspectFunction
from mulligan.core.program_repair.findings.finding import FindingKind, Hint, Odd
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.types.model_io import ModelRequest, UserText

BRIEF = Brief(
    task="make the tests pass",
    sources=(Excerpt("a.py", 1, 2, "def f():\n    return 1"),),
    tests=(Excerpt("test_a.py", 4, 5, "def test_f():\n    assert f() == 2"),),
    failures=("f() gave 1, expected 2",),
    hints=(Hint(LineLocation("a.py", 1), "f", Odd(1, FindingKind.UNUSED_PARAMETER, "rest")),),
    suspects=(),
)
LINES = ["def f():", "return 1"]


def asked(request: ModelRequest) -> str:
    message = request.messages[1]
    assert isinstance(message, UserText)
    return message.text


def test_the_context_shows_code_tests_failures_hints_and_task_in_this_order() -> None:
    text = context_text(BRIEF)
    parts = ("return 1", "assert f()", "gave 1", "`rest` is never used", "make the tests pass")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(ask_for_change(BRIEF, LINES), id="change"),
        pytest.param(ask_for_thought(BRIEF), id="thought"),
        pytest.param(ask_to_extract(BRIEF, "It gives 1.", LINES), id="extract"),
        pytest.param(ask_for_suspects(BRIEF, LINES), id="suspects"),
        pytest.param(ask_for_replacements(BRIEF, "return 1"), id="replacements"),
        pytest.param(ask_to_choose(BRIEF, "return 1", ["return 2"]), id="choice"),
    ],
)
def test_every_question_begins_the_same_and_is_asked_at_temperature_0(request_: ModelRequest) -> None:
    assert request_.messages[0] == ask_for_thought(BRIEF).messages[0]
    assert asked(request_).startswith(context_text(BRIEF))
    assert request_.temperature == 0.0


AROUND = Excerpt("a.py", 1, 6, "LIMIT = 3\n\n\ndef g(x):\n    return h(x)\n")
DIVERGING = SuspectFunction("a.py", "A.g", shown=False, around=AROUND, outline="b.py:\ndef h(x)")


def test_a_question_about_one_function_shows_its_surroundings_and_the_outline_instead_of_the_sources() -> None:
    task = diverging_in(BRIEF, DIVERGING)
    parts = ("b.py:\ndef h(x)", AROUND.text, "assert f()", "gave 1", "`rest` is never used", "make the tests pass")
    places = [task.context.index(part) for part in parts]
    assert places == sorted(places)
    assert "def f():\n    return 1" not in task.context
    assert (task.path, task.names) == ("a.py", ("A.g",))


def test_a_question_about_one_function_says_what_it_has_to_do_if_that_is_documented() -> None:
    task = diverging_in(replace(BRIEF, documents="`g` doubles."), DIVERGING)
    assert task.context.endswith("\n\nWhat it has to do:\n`g` doubles.")


def test_a_question_about_one_function_is_asked_without_an_outline_where_nothing_else_exists() -> None:
    task = diverging_in(BRIEF, replace(DIVERGING, outline=""))
    assert task.context.startswith(f"File a.py:\n```\n{AROUND.text}\n```")


def test_an_extraction_goes_on_from_the_thought() -> None:
    thought, extraction = ask_for_thought(BRIEF), ask_to_extract(BRIEF, "It gives 1.", LINES)
    assert extraction.messages[: len(thought.messages)] == thought.messages


def test_a_choice_allows_the_variants_alone() -> None:
    schema = ask_to_choose(BRIEF, "return 1", ["return 2", "return 0"]).schema
    assert schema is not None
    assert schema["properties"] == {"new": {"enum": ["return 2", "return 0"]}}


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        pytest.param('{"lines": ["a", "b", "a"]}', ["a", "b"], id="each but once"),
        pytest.param('{"lines": ["a", 3]}', ["a"], id="only text"),
        pytest.param('{"lines": "a"}', [], id="no list"),
        pytest.param('{"lines": ["a", "b', [], id="cut off"),
        pytest.param("I think so", [], id="no JSON"),
    ],
)
def test_lines_are_read_from_a_reply(reply: str, lines: list[str]) -> None:
    assert read_lines(reply) == lines


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        pytest.param('{"new": "a"}', "a", id="a line"),
        pytest.param('{"new": 1}', "", id="no text"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_choice_is_read_from_a_reply(reply: str, choice: str) -> None:
    assert read_choice(reply) == choice
