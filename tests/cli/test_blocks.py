from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.cli.views.markdown_blocks import last_part, split_blocks, whole_blocks

MARKDOWN = st.lists(
    st.sampled_from(
        ["word", "# title", "- item", "  - inner", "1. first", "```", "```python", "~~~", "code()", "    indented",
         "| a | b |", "|---|---|", "> quote", "---", "===", "", "", "[ref]: url", "<b>", "*", "\t", "- ```"]
    ),
    max_size=14,
).map("\n".join)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "finished", "rest"),
    [
        pytest.param("Half a par", [], "Half a par", id="a paragraph under way"),
        pytest.param("One.\n\n", [], "One.\n\n", id="a blank line alone ends nothing: a list may go on after it"),
        pytest.param("One.\n\nTwo", [], "One.\n\nTwo", id="a line without its end is no beginning"),
        pytest.param("One.\n\nTwo.\n", ["One.\n\n"], "Two.\n", id="the next paragraph has begun"),
        pytest.param("- a\n\n- b\n", [], "- a\n\n- b\n", id="a loose list is one block"),
        pytest.param("- a\n\n  more\n\nEnd\n", ["- a\n\n  more\n\n"], "End\n", id="a list with an inner paragraph"),
        pytest.param("```\na\n\nb\n", [], "```\na\n\nb\n", id="blank lines in an open fence"),
        pytest.param("```\na\n```\nEnd\n", ["```\na\n```\n"], "End\n", id="a closed fence"),
        pytest.param("|a|b|\n|-|-|\n|1|2|\n\nEnd\n", ["|a|b|\n|-|-|\n|1|2|\n\n"], "End\n", id="a table"),
        pytest.param("# T\ntext\n", ["# T\n"], "text\n", id="a heading"),
        pytest.param("Title\n#tag", [], "Title\n#tag", id="what might become a heading"),
        pytest.param("a\u2028b\n\nc\n", ["a\u2028b\n\n"], "c\n", id="only newlines end lines"),
    ],
)
def test_a_block_is_finished_once_the_next_one_has_begun(text: str, finished: list[str], rest: str) -> None:
    assert split_blocks(text) == (finished, rest)


@given(MARKDOWN)
def test_no_character_is_lost_or_moved(text: str) -> None:
    blocks, rest = split_blocks(text)
    assert "".join(blocks) + rest == text


@given(MARKDOWN, st.lists(st.integers(min_value=0, max_value=120), max_size=6))
def test_blocks_are_the_same_however_the_text_is_cut_into_pieces(text: str, cuts: list[int]) -> None:
    streamed: list[str] = []
    rest = ""
    for begin, end in pairwise([0, *sorted(cuts), len(text)]):
        blocks, rest = split_blocks(rest + text[begin:end])
        streamed += blocks
    assert "".join(streamed) + rest == text
    assert (streamed, rest) == split_blocks(text)


def test_a_whole_text_has_its_last_block_too() -> None:
    assert whole_blocks("One.\n\nTwo.") == ["One.\n\n", "Two.\n"]


def test_the_end_of_a_long_code_block_is_still_code() -> None:
    block = "```python\n" + "\n".join(f"line {number}" for number in range(50))
    assert last_part(block, 15) == "```python\nline 48\nline 49"


def test_a_short_block_is_shown_whole() -> None:
    assert last_part("a\nb", 3) == "a\nb"


def test_the_end_of_a_long_line_is_its_end() -> None:
    assert last_part("x" * 1000 + "end", 5) == "xxend"
