import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.wire.chat_reply import ThinkSplitter
from mulligan.types.model_io import ReasoningDelta, TextDelta


def split(*chunks: str) -> tuple[str, str]:
    """The reasoning and the text."""
    splitter = ThinkSplitter()
    events = [event for chunk in chunks for event in splitter.feed(chunk)] + splitter.close()
    reasoning = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    return reasoning, "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize(
    ("content", "reasoning", "text"),
    [
        pytest.param("Hello", "", "Hello", id="text alone"),
        pytest.param("<think>hm</think>Hello", "hm", "Hello", id="both"),
        pytest.param("\n<think>\nhm\n</think>\n\nHello", "\nhm\n", "Hello", id="blank lines around"),
        pytest.param("<think>hm", "hm", "", id="never closed"),
        pytest.param("<think>hm</thi", "hm</thi", "", id="half a closing tag at the end"),
        pytest.param("<thin", "", "<thin", id="half an opening tag at the end"),
        pytest.param("<think></think>Hello", "", "Hello", id="nothing thought"),
        pytest.param("<think>hm</think>", "hm", "", id="nothing said"),
        pytest.param("Use <think> tags", "", "Use <think> tags", id="a tag later on is text"),
        pytest.param("<think>a</think>b<think>c</think>", "a", "b<think>c</think>", id="only the first counts"),
        pytest.param("\n\n  indented", "", "\n\n  indented", id="leading white space of text is kept"),
    ],
)
def test_thoughts_at_the_beginning_are_told_apart(content: str, reasoning: str, text: str) -> None:
    assert split(content) == (reasoning, text)


@given(
    content=st.lists(st.sampled_from(["<think>", "</think>", "<", "/", "think", ">", " ", "\n", "word"])).map("".join)
)
def test_where_the_chunks_are_cut_makes_no_difference_to_thoughts(content: str) -> None:
    assert split(*content) == split(content)


def test_text_that_can_be_no_tag_is_not_held_back() -> None:
    assert ThinkSplitter().feed("<t") == []
    assert ThinkSplitter().feed("<table") == [TextDelta("<table")]


def test_endless_white_space_is_passed_on() -> None:
    assert ThinkSplitter().feed("\n" * 100) == [TextDelta("\n" * 100)]
