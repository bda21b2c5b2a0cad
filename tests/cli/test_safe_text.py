import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.cli.text.safe_text import lenient_stream, one_line, safe_text


@pytest.mark.parametrize(
    ("hostile", "safe"),
    [
        pytest.param("a\x1b[31mred\x1b[0m", "ared", id="colours"),
        pytest.param("a\x1b[2J\x1b[Hb", "ab", id="clearing the screen"),
        pytest.param("a\x1b]0;owned\x07b", "ab", id="the window's title"),
        pytest.param("a\x1b]52;c;cGFzdGU=\x1b\\b", "ab", id="the clipboard"),
        pytest.param("a\x1bP1$r\x1b\\b", "ab", id="a device string"),
        pytest.param("a\x9b31mb", "ab", id="one-byte control sequence"),
        pytest.param("a\x1b]0;never ended", "a0;never ended", id="an open sequence loses its escape"),
        pytest.param("50%\r100%\r\n", "50%100%\n", id="carriage returns"),
        pytest.param("bell\x07 back\x08 null\x00", "bell back null", id="single controls"),
        pytest.param("x \u202egnp.exe", "x gnp.exe", id="text that shows backwards"),
        pytest.param("half \ud83d", "half \ufffd", id="half of a surrogate pair"),
        pytest.param("tab\tand\nnewline stay", "tab\tand\nnewline stay", id="tab and newline"),
        pytest.param("grüße → 漢字 🙂", "grüße → 漢字 🙂", id="other scripts"),
    ],
)
def test_what_a_terminal_would_obey_is_taken_out(hostile: str, safe: str) -> None:
    assert safe_text(hostile) == safe


@given(st.text(st.characters() | st.sampled_from("\x1b[]0;m\x07\x9b\\P")))
def test_no_text_brings_a_control_character_but_tab_and_newline(text: str) -> None:
    kept = safe_text(text)
    assert not [character for character in kept if unicodedata.category(character) == "Cc" and character not in "\t\n"]
    kept.encode()


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


def test_a_stream_that_lacks_a_character_shows_a_question_mark() -> None:
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    lenient_stream(latin).write("✓ ü")
    latin.seek(0)
    assert latin.read() == "? ü"
