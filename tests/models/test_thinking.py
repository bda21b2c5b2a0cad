import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.thinking import MARKS, ThinkingMarks, ThinkingSplitter
from mulligan.types.model_io import ReasoningDelta, TextDelta, TextWasReasoning

PIECES = [
    *(each.opening for each in MARKS), *(each.closing for each in MARKS),
    "<|start|>assistant", "<|channel|>final<|message|>", "<|return|>",
]  # fmt: skip


def split(*chunks: str) -> tuple[str, str]:
    """The reasoning and the text."""
    splitter = ThinkingSplitter()
    events = [event for chunk in chunks for event in splitter.feed(chunk)] + splitter.close()
    reasoning = text = ""
    for event in events:
        match event:
            case TextDelta():
                text += event.text
            case ReasoningDelta():
                reasoning += event.text
            case TextWasReasoning():
                reasoning, text = event.text, ""
    return reasoning, text


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
        pytest.param("hm</think>Hello", "hm", "Hello", id="never opened"),
        pytest.param("First.\n\nThen.\n</think>\n\nHello", "First.\n\nThen.\n", "Hello", id="never opened, on lines"),
        pytest.param("hm[/THINK]Hello", "hm", "Hello", id="never opened, Magistral"),
        pytest.param("</think>Hello", "", "Hello", id="closed at once, never opened"),
        pytest.param("The tag `</think>` ends it.", "", "The tag `</think>` ends it.", id="named in code"),
        pytest.param('It looks for "</think>" there.', "", 'It looks for "</think>" there.', id="named in quotes"),
        pytest.param("```\na</think>b\n```", "", "```\na</think>b\n```", id="in a fence"),
        pytest.param(
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>",
            "hm",
            "Hello",
            id="channels",
        ),
        pytest.param(
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
            "<|start|>assistant<|channel|>analysis<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>Hello",
            "ab",
            "I look.Hello",
            id="channels, several",
        ),
        pytest.param(
            "hm<|end|><|start|>assistant<|channel|>final<|message|>Hello", "hm", "Hello", id="channels, never opened"
        ),
        pytest.param(
            "We use the tool.<|start|>assistant<|channel|>commentary to=functions.grep <|constrain|>json<|message|>{}",
            "We use the tool.",
            "<|start|>assistant<|channel|>commentary to=functions.grep <|constrain|>json<|message|>{}",
            id="channels, a call after thoughts that were never opened",
        ),
    ],
)
def test_thoughts_at_the_beginning_are_told_apart(content: str, reasoning: str, text: str) -> None:
    assert split(content) == (reasoning, text)


@pytest.mark.parametrize("marks", MARKS)
def test_every_familys_marks_are_known(marks: ThinkingMarks) -> None:
    assert split(f"{marks.opening}\nFirst.\nThen.\n{marks.closing}\n\nHello") == ("\nFirst.\nThen.\n", "Hello")


@given(
    content=st.lists(
        st.sampled_from([*PIECES, "<", "/", "think", ">", " ", "\n", "word", "`", "```"]), max_size=12
    ).map("".join)
)
def test_where_the_chunks_are_cut_makes_no_difference_to_thoughts(content: str) -> None:
    assert split(*content) == split(content)


def test_text_that_can_be_no_tag_is_not_held_back() -> None:
    assert ThinkingSplitter().feed("<t") == []
    assert ThinkingSplitter().feed("<table") == [TextDelta("<table")]


def test_endless_white_space_is_passed_on() -> None:
    assert ThinkingSplitter().feed("\n" * 100) == [TextDelta("\n" * 100)]
