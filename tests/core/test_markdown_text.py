"""Foreign text within Markdown, read back by a parser of Markdown."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mulligan.core.markdown_text import clean_line, code, fenced, plain, without_markup

foreign = st.text(alphabet=st.one_of(st.sampled_from("`#*_[]<>|-=~\\\n\r\t &!$"), st.characters()), max_size=80)


@given(foreign)
@example("# no heading\n\n```\nno fence")
@example("[a](javascript:x) <script> &amp; **b** `c`")
def test_plain_text_stays_one_item_that_reads_as_it_was_written(text: str) -> None:
    shown = plain(text)
    tokens = MarkdownIt().parse(f"- x {shown}x\n- end")
    assert [token.content for token in tokens if token.type == "inline"] == [f"x {shown}x", "end"]
    (inline, _) = [token for token in tokens if token.type == "inline"]
    assert "".join(child.content for child in inline.children or []) == f"x {clean_line(text, 400)}x"


@given(foreign)
@example("``` `` `")
def test_code_in_a_line_stays_code_as_it_was_written(text: str) -> None:
    tokens = MarkdownIt().parse(f"- {code(text)}: said\n- end")
    inline, end = [token for token in tokens if token.type == "inline"]
    first, *others = inline.children or []
    assert (first.type, first.content) == ("code_inline", clean_line(text, 400) or " ")
    assert "".join(child.content for child in others) == ": said"
    assert end.content == "end"


@given(foreign)
@example("```\n# no heading\n~~~")
def test_a_block_ends_where_it_should(text: str) -> None:
    tokens = MarkdownIt().parse(f"{fenced(text, 'diff')}\n\n# after")
    assert [token.type for token in tokens] == ["fence", "heading_open", "inline", "heading_close"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\x1b[31mb\u202ec\0d", "a [31mb c d", id="controls"),
        pytest.param("a \n\n b", "a b", id="lines"),
        pytest.param("x" * 30, "x" * 19 + "…", id="too long"),
        pytest.param("half \udcff", "half", id="half a character"),
    ],
)
def test_a_line_shows_nothing_that_a_terminal_would_obey(text: str, expected: str) -> None:
    assert clean_line(text, 20) == expected


def test_a_diff_keeps_its_lines() -> None:
    assert re.findall(r"^[-+].*$", fenced("-a\tb\r\n+c\n", "diff"), re.MULTILINE) == ["-a\tb", "+c"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("## The *parser* is in `core/parse.py`", "The parser is in core/parse.py", id="marks"),
        pytest.param("- **one**\n2. two\n> three", "one\ntwo\nthree", id="lists and quotes"),
        pytest.param("See [the guide](docs/a.md).", "See the guide.", id="a link"),
        pytest.param("```py\nx = a * b * c\n```", "\nx = a * b * c\n", id="code stays as it is"),
        pytest.param("__init__ and snake_case_name", "__init__ and snake_case_name", id="names stay whole"),
    ],
)
def test_the_words_of_markdown_alone(text: str, words: str) -> None:
    assert without_markup(text) == words
