import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.protocols.constrained_reply import StreamedString


@given(st.text(), st.booleans(), st.integers(1, 7))
def test_any_text_comes_out_wherever_the_chunks_fall(text: str, ascii_only: bool, size: int) -> None:
    raw = json.dumps(text, ensure_ascii=ascii_only)[1:]
    string = StreamedString()

    assert "".join(string.feed(raw[at : at + size]) for at in range(0, len(raw), size)) == text


def test_a_character_is_not_shown_before_it_is_whole() -> None:
    string = StreamedString()

    assert string.feed("a\\ud83d") == "a"
    assert string.feed("\\ud") == ""
    assert string.feed("e00b") == "😀b"


def test_what_follows_the_closing_quote_is_dropped() -> None:
    string = StreamedString()

    assert string.feed('done"} ') == "done"
    assert string.feed("more") == ""


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        pytest.param(r"a\d+b", r"a\d+b", id="an escape that JSON doesn't know"),
        pytest.param(r"a\ud83db", "a\N{REPLACEMENT CHARACTER}b", id="half a character, then another"),
        pytest.param(r"a\ude00b", "a\N{REPLACEMENT CHARACTER}b", id="the second half alone"),
        pytest.param(r"a\uzz", r"a\uzz", id="no number"),
        pytest.param("a\nb\tc", "a\nb\tc", id="line breaks as they are"),
        pytest.param("a\\", "a", id="cut off in an escape"),
    ],
)
def test_what_is_no_json_is_read_as_far_as_it_goes(raw: str, text: str) -> None:
    string = StreamedString()

    assert "".join(string.feed(each) for each in raw) == text
