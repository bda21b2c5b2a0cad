"""Where a model would write a function otherwise, and what is made of that: small changes in the place of the old."""

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mulligan.core.writing.divergences import (
    Divergence,
    FunctionText,
    ask_to_continue,
    ask_to_copy,
    divergences,
    function_text,
    variants,
)
from mulligan.core.writing.task import WritingTask
from mulligan.types.model_io import AssistantReply, SystemText, TokenChoices, UserText

FINES = """\
CENTS = 15


class Fines:
    def total(self, days):
        '''The fine of some days.'''
        # Early is free.
        if days < 0:
            return 0
        cents = days + CENTS

        return cents


def is_late(days):
    return days > 0
"""
LINES = tuple(FINES.rstrip("\n").split("\n"))
CODE = """\
def total(self, days):
    '''The fine of some days.'''
    # Early is free.
    if days < 0:
        return 0
    cents = days + CENTS

    return cents"""
TASK = WritingTask("again", "fines.py", ("Fines.total",), "Write code.", "File fines.py: …")


def whole_function(path: str, code: str) -> FunctionText:
    """A function that is all of its file."""
    lines = code.split("\n")
    found = function_text(path, re.findall(r"\w+(?=\()", f"{code}f(")[0], lines, 1, len(lines))
    assert found is not None
    return found


def total() -> FunctionText:
    found = function_text("fines.py", "total", LINES, 5, 12)
    assert found is not None
    return found


def copied(function: FunctionText, others: Mapping[str, Mapping[str, float]]) -> list[TokenChoices]:
    """A copy of the function, by words. `others` are what the model would write instead of some of them."""
    pieces = re.findall(r"\n *|\w+|[^\w\n]", f"{function.fence}{function.code}\n```")
    return [TokenChoices(piece, tuple(others.get(piece, {}).items())) for piece in pieces]


def diverging(function: FunctionText, before: str, text: str) -> Divergence:
    """Where the function has `before` for the first time, the model would write `text`."""
    return Divergence(function.code.index(before), text, -1.0)


def first_variant(before: str, text: str, reply: str, *, whole: bool = False) -> str:
    function = total()
    return variants(function, diverging(function, before, text), reply, whole=whole)[0]


# The function's text


def test_a_method_is_written_without_its_margin() -> None:
    function = total()
    assert (function.code, function.margin, function.rows) == (CODE, "    ", 8)


def test_a_function_at_the_top_of_a_file_has_no_margin() -> None:
    function = function_text("fines.py", "is_late", LINES, 15, 16)
    assert function == FunctionText("fines.py", "is_late", 15, 16, "def is_late(days):\n    return days > 0", "")


@pytest.mark.parametrize("character", ["\x00", "\x0c", "\r", "\x1b", "\x7f"])
def test_a_function_with_a_control_character_can_not_be_copied(character: str) -> None:
    assert function_text("a.py", "f", ["def f():", f"    return '{character}'"], 1, 2) is None


def test_tabs_are_no_control_characters() -> None:
    function = function_text("a.go", "f", ["func f() int {", "\treturn 1", "}"], 1, 3)
    assert function is not None
    assert function.code == "func f() int {\n\treturn 1\n}"


@pytest.mark.parametrize("lines", [(), ("", "   ")])
def test_lines_without_text_are_no_function(lines: Sequence[str]) -> None:
    assert function_text("a.py", "f", lines, 1, 2) is None


@pytest.mark.parametrize(("path", "fence"), [("a.py", "```python\n"), ("a.go", "```go\n"), ("a.unknown", "```\n")])
def test_the_fence_names_the_language_if_that_is_known(path: str, fence: str) -> None:
    assert whole_function(path, "f()").fence == fence


# The requests


def test_the_copy_is_the_function_in_a_code_block() -> None:
    request = ask_to_copy(TASK, total())
    assert request.exact_text == f"```python\n{CODE}\n```"
    system, question = request.messages
    assert system == SystemText("Write code.")
    assert isinstance(question, UserText)
    assert question.text.startswith("File fines.py: …\n\nThere is a bug in `total`.")


def test_a_continuation_begins_as_the_copy_does_up_to_the_divergence() -> None:
    function = total()
    request = ask_to_continue(TASK, function, diverging(function, "+ CENTS", "*"), 0.8)
    before = CODE[: CODE.index("+ CENTS")]
    assert request.messages == (*ask_to_copy(TASK, function).messages, AssistantReply(f"```python\n{before}*"))
    assert (request.exact_text, request.temperature) == (None, 0.8)


# Divergences


def test_divergences_are_ordered_by_their_probability_over_the_whole_function() -> None:
    tokens = copied(total(), {"<": {"<=": -3.0, ">": -5.0}, "+": {"*": -0.5}, "0": {"1": -4.0}})
    found = divergences(total(), tokens)
    at = CODE.index
    assert found == [
        Divergence(at("+"), "*", -0.5),
        Divergence(at("<"), "<=", -3.0),
        Divergence(at("0"), "1", -4.0),
        Divergence(at("0\n    cents"), "1", -4.0),
        Divergence(at("<"), ">", -5.0),
    ]


def test_a_function_keeps_its_name_and_its_parameters_may_change() -> None:
    tokens = copied(total(), {"def": {"async": -0.1}, "total": {"sum": -0.1}, "(": {"_": -0.1}, "self": {"this": -1.0}})
    assert divergences(total(), tokens) == [diverging(total(), "self", "this")]


def test_the_fences_of_the_reply_do_not_diverge() -> None:
    function = whole_function("a.py", "def f(x):\n    return x")
    tokens = copied(function, {"python": {"py": -0.1}, "`": {"~": -0.1}, "\n": {" ": -0.1}})
    assert divergences(function, tokens) == []


def test_comments_and_docstrings_do_not_diverge() -> None:
    tokens = copied(total(), {"fine": {"price": -0.1}, "free": {"cheap": -0.1}, "return": {"yield": -2.0}})
    assert {each.text for each in divergences(total(), tokens)} == {"yield"}


def test_code_before_a_comment_on_its_line_may_diverge() -> None:
    function = whole_function("a.py", "def f(x):\n    return x  # as it is")
    assert divergences(function, copied(function, {"x": {"y": -1.0}})) == [
        Divergence(6, "y", -1.0),
        Divergence(21, "y", -1.0),
    ]


@pytest.mark.parametrize(
    ("own", "other", "diverges"),
    [
        pytest.param("\n", "\n\n", False, id="one more blank line"),
        pytest.param("\n\n", "\n", False, id="one less"),
        pytest.param(":\n", ":\n\n", False, id="after a colon"),
        pytest.param("\n", " and", True, id="the line goes on"),
        pytest.param(" x", "\n", True, id="the line ends"),
        pytest.param("\n    ", "\n        ", True, id="another block"),
        pytest.param(")\n", "):\n", True, id="a colon"),
    ],
)
def test_a_blank_line_alone_is_no_divergence(own: str, other: str, diverges: bool) -> None:
    function = whole_function("a.py", f"def f(x):\n    a(x{own}b(x)")
    head, tail = f"{function.fence}def f(x):\n    a(x", "b(x)"
    tokens = [TokenChoices(head, ()), TokenChoices(own, ((other, -1.0),)), TokenChoices(tail, ())]
    assert bool(divergences(function, tokens)) == diverges


def test_a_copy_without_choices_has_no_divergences() -> None:
    assert divergences(total(), copied(total(), {})) == divergences(total(), []) == []


# Variants


def test_a_token_within_a_line_replaces_the_rest_of_the_line() -> None:
    assert first_variant("+ CENTS", "*", " CENTS\n\n    return cents\n```") == CODE.replace("+", "*")


def test_lines_that_the_model_does_not_repeat_are_removed() -> None:
    assert first_variant(
        "if days", "cents", " = days\n    cents = days + CENTS\n\n    return cents\n```"
    ) == CODE.replace("    if days < 0:\n        return 0\n", "    cents = days\n")


def test_lines_that_the_model_adds_are_inserted_before_the_line_it_comes_back_to() -> None:
    reply = " = max(days, 1)\n    cents = days + CENTS\n    return cents // 7 # and so"
    inserted = CODE.replace("    cents =", "    days = max(days, 1)\n    cents =")
    assert first_variant("cents = days", "days", reply) == inserted


def test_the_smallest_change_comes_first_however_much_the_model_writes_later() -> None:
    reply = " CENTS\n\n    return cents\n    print(cents)\n    return 3\n```"
    function = total()
    found = variants(function, diverging(function, "+ CENTS", "*"), reply, whole=True)
    assert found[0] == CODE.replace("+", "*")
    assert any("print" in each for each in found[1:])


def test_without_a_way_back_a_line_is_tried_before_and_in_place_of_those_there() -> None:
    function = whole_function("a.py", "def f(x):\n    a(x)\n    b(x)\n    c(x)")
    found = variants(function, diverging(function, "a(x)", "new"), "(x)\n    other(", whole=False)
    assert found == [
        "def f(x):\n    new(x)\n    a(x)\n    b(x)\n    c(x)",
        "def f(x):\n    new(x)\n    b(x)\n    c(x)",
        "def f(x):\n    new(x)\n    c(x)",
    ]


def test_what_begins_in_mid_line_never_stands_before_that_line() -> None:
    function = whole_function("a.py", "def f(x):\n    a(x)\n    b(x)\n    c(x)")
    found = variants(function, diverging(function, "(x)\n    b", ".new"), "(x)\n    other(", whole=False)
    assert found == ["def f(x):\n    a.new(x)\n    b(x)\n    c(x)", "def f(x):\n    a.new(x)\n    c(x)"]


def test_a_last_line_that_was_cut_off_is_not_used() -> None:
    function = total()
    divergence = diverging(function, "+ CENTS", "*")
    assert variants(function, divergence, " CEN", whole=False) == []
    assert variants(function, divergence, " CEN", whole=True)
    assert not any("retur " in each for each in variants(function, divergence, " CENTS\n    retur ", whole=False))


@pytest.mark.parametrize("after", ["", "\nIt multiplies now.", "\n\n```python\nprint(total(3))\n```"])
def test_a_closing_fence_ends_the_function(after: str) -> None:
    function = whole_function("a.py", "def f(x):\n    a(x)\n    b(x)")
    found = variants(function, diverging(function, "a(x)", "return"), f" x\n```{after}", whole=False)
    assert found[0] == "def f(x):\n    return x"
    assert not any("`" in each or "multiplies" in each or "print" in each for each in found)


@pytest.mark.parametrize(
    ("path", "comment"), [("a.py", "# now"), ("a.js", "// now"), ("a.js", "/* now"), ("a.js", "* now")]
)
def test_a_comment_is_never_the_end_of_a_change(path: str, comment: str) -> None:
    function = whole_function(path, "f(x)\n    a(x)\n    b(x)")
    found = variants(function, diverging(function, "a(x)", comment), "\n    new(x)\n    oth", whole=False)
    assert found
    assert all(f"{comment}\n    new(x)" in each for each in found)


def test_a_server_that_repeats_the_beginning_of_the_reply_gives_the_same_variants() -> None:
    function = total()
    divergence = diverging(function, "+ CENTS", "*")
    reply, repeated = " CENTS\n\n    return cents\n```", f"{function.fence}{CODE[: divergence.at]}*"
    assert variants(function, divergence, repeated + reply, whole=True) == variants(
        function, divergence, reply, whole=True
    )


def test_a_divergence_that_leads_back_to_the_same_code_is_no_variant() -> None:
    function = total()
    divergence = diverging(function, "+ CENTS", "+ C")
    found = variants(function, divergence, "ENTS\n\n    return cents\n```", whole=True)
    assert CODE not in found


def test_every_variant_is_given_once() -> None:
    function = total()
    found = variants(function, diverging(function, "+ CENTS", "*"), " CENTS\n\n    return cents\n```", whole=True)
    assert len(found) == len(set(found))


# In the file


def test_a_changed_line_of_a_method_has_its_margin_and_all_others_stay() -> None:
    placed = total().placed(LINES, CODE.replace("+", "*"))
    assert "\n".join(placed) + "\n" == FINES.replace("days + CENTS", "days * CENTS")


def test_lines_that_did_not_change_keep_their_trailing_spaces() -> None:
    lines = ("class A:", "    def f(self):  ", "        a()", "      ", "        b()\t")
    function = function_text("a.py", "f", lines, 2, 5)
    assert function is not None
    assert function.placed(lines, function.code.replace("a()", "c()")) == (*lines[:2], "        c()", *lines[3:])


def test_inserted_lines_have_the_margin_and_blank_ones_have_none() -> None:
    placed = total().placed(LINES, CODE.replace("    cents =", "    days = 1\n\n    cents ="))
    assert "\n".join(placed) + "\n" == FINES.replace("        cents =", "        days = 1\n\n        cents =")


def test_deleted_lines_leave_nothing_behind() -> None:
    placed = total().placed(LINES, CODE.replace("    if days < 0:\n        return 0\n", ""))
    assert "\n".join(placed) + "\n" == FINES.replace("        if days < 0:\n            return 0\n", "")


def test_a_line_that_repeats_its_neighbour_is_inserted_once() -> None:
    lines = ("def f():", "    a()", "    a()", "    b()")
    function = function_text("a.py", "f", lines, 1, 4)
    assert function is not None
    assert function.placed(lines, "def f():\n    a()\n    a()\n    a()\n    b()") == (*lines[:2], "    a()", *lines[2:])


def test_a_change_is_told_by_its_changed_lines_alone() -> None:
    assert total().note_of(CODE.replace("+", "*")) == "fines.py: `cents = days + CENTS` → `cents = days * CENTS`"


def test_deleted_lines_are_told_as_such() -> None:
    without = CODE.replace("    if days < 0:\n        return 0\n", "")
    assert total().note_of(without) == "fines.py: without `if days < 0: ⏎ return 0`"


def test_what_a_divergence_leads_to_is_put_into_the_file() -> None:
    function = total()
    (likeliest, *_) = divergences(function, copied(function, {"+": {"*": -0.5}}))
    code = variants(function, likeliest, " CENTS\n\n    return cents\n```", whole=True)[0]
    assert "\n".join(function.placed(LINES, code)) + "\n" == FINES.replace("days + CENTS", "days * CENTS")


code_lines = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["", "  ", "def f(x):", "    def f(self):", "        return 1  ", "\treturn", "}", "# a", '    """', "x = '"]
)
files = st.lists(code_lines, min_size=1, max_size=10).map(tuple)
texts = st.lists(code_lines, max_size=8).map("\n".join)


@given(lines=files, new=texts, data=st.data())
@example(lines=("    def f(self):", "text", "        return 1"), new="", data=None)
def test_lines_outside_of_a_function_never_change(lines: tuple[str, ...], new: str, data: st.DataObject | None) -> None:
    first = data.draw(st.integers(1, len(lines))) if data else 1
    last = data.draw(st.integers(first, len(lines))) if data else len(lines)
    function = function_text("a.py", "f", lines, first, last)
    if function is None:
        return
    assert function.placed(lines, function.code) == lines
    placed = function.placed(lines, new)
    after = len(lines) - last
    assert placed[: first - 1] == lines[: first - 1]
    assert placed[len(placed) - after :] == lines[last:]


@given(lines=files, reply=texts, text=st.text(min_size=1, max_size=5), whole=st.booleans(), data=st.data())
def test_any_copy_and_any_reply_give_variants_that_differ_from_the_function(
    *, lines: tuple[str, ...], reply: str, text: str, whole: bool, data: st.DataObject
) -> None:
    function = function_text("a.py", "f", lines, 1, len(lines))
    if function is None:
        return
    cuts = sorted(data.draw(st.sets(st.integers(1, len(function.code)), max_size=4)))
    parts = zip([0, *cuts], [*cuts, len(function.code)], strict=True)
    tokens = [TokenChoices(function.code[start:end], ((text, -1.0),)) for start, end in parts]
    for each in divergences(function, [TokenChoices(function.fence, ()), *tokens]):
        assert 0 <= each.at < len(function.code)
        found = variants(function, each, reply, whole=whole)
        row = function.code.count("\n", 0, each.at)
        assert function.code not in found
        assert all(one.split("\n")[:row] == function.code.split("\n")[:row] for one in found)


def test_a_method_with_a_text_at_the_left_edge_keeps_its_indentation() -> None:
    lines = ("class A:", "    def f(self):", "        a = '''", "text", "'''", "        return a + 1")
    function = function_text("a.py", "f", lines, 2, 6)
    assert function is not None
    placed = function.placed(lines, function.code.replace("+", "-"))
    assert placed == (*lines[:5], "        return a - 1")


def test_a_line_separator_within_a_line_is_kept() -> None:
    lines = ("class A:", "    def f(self):", "        return 1")
    function = function_text("a.py", "f", lines, 2, 3)
    assert function is not None
    placed = function.placed(lines, function.code.replace("1", "'a\u2028b'"))
    assert placed == (*lines[:2], "        return 'a\u2028b'")


def test_a_function_with_a_decorator_keeps_its_name() -> None:
    lines = ("@cached(3)", "def f(x):", "    return x")
    function = function_text("a.py", "f", lines, 1, 3)
    assert function is not None
    tokens = [TokenChoices("```python\n@cached(3)\ndef", ()), TokenChoices(" f", ((" g", -0.1),))]
    assert divergences(function, tokens) == []


def test_a_function_without_brackets_diverges_from_its_name_on() -> None:
    lines = ("const f = x => {", "  let a = x + 1;", "  return g(a);", "}")
    function = function_text("a.js", "f", lines, 1, 4)
    assert function is not None
    tokens = [TokenChoices("```javascript\nconst f = x => {\n  let a = x", ()), TokenChoices(" +", ((" -", -0.1),))]
    assert divergences(function, tokens)


def test_a_wrong_text_in_a_row_of_strings_can_be_replaced() -> None:
    lines = ("def f(x):", "    return {", "        'a': 'c',", "    }[x]")
    function = function_text("a.py", "f", lines, 1, 4)
    assert function is not None
    tokens = [TokenChoices("```python\ndef f(x):\n    return {\n        'a': '", ()), TokenChoices("c", (("b", -0.1),))]
    assert divergences(function, tokens)


def test_the_function_ends_where_the_model_closes_the_block_at_the_start_of_a_line() -> None:
    function = function_text("a.py", "f", ("def f(x):", "    a(x)", "    b(x)"), 1, 3)
    assert function is not None
    found = variants(function, Divergence(function.code.index("    b(x)"), "```", -1.0), "", whole=True)
    assert found == ["def f(x):\n    a(x)"]


def test_a_method_of_go_keeps_its_name() -> None:
    function = function_text("a.go", "Total", ("func (c *Cart) Total() int {", "\treturn 1", "}"), 1, 3)
    assert function is not None
    tokens = [TokenChoices("```go\nfunc (c *Cart)", ()), TokenChoices(" Total", ((" Sum", -0.1),))]
    assert divergences(function, tokens) == []


def test_a_server_that_writes_something_else_tells_nothing() -> None:
    function = whole_function("a.py", "def f(x):\n    return x")
    tokens = [TokenChoices("```python\ndef f(x):", ()), TokenChoices(" pass", ((" return", -0.1),))]
    assert divergences(function, tokens) == []
