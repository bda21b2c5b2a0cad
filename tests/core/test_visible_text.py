"""What a user is asked about is seen as it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.visible_text import in_full, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("ls", "ls", id="nothing odd"),
        pytest.param("ls \x1b[8m; rm -rf ~\x1b[0m", "ls ^[[8m; rm -rf ~^[[0m", id="hidden by a colour"),
        pytest.param("rm -rf ~\rls      ", "rm -rf ~^Mls      ", id="written over"),
        pytest.param("rm x\b\bls", "rm x^H^Hls", id="taken back"),
        pytest.param("a\u202eb", "a<U+202E>b", id="turned around"),
        pytest.param("a\u2066b\u2069", "a<U+2066>b<U+2069>", id="isolated"),
        pytest.param("rm\u200d -r", "rm<U+200D> -r", id="joined by nothing"),
        pytest.param("a\xadb\u3164c\U000e0041", "a<U+00AD>b<U+3164>c<U+E0041>", id="no width"),
        pytest.param("ls\xa0/", "ls<U+00A0>/", id="no space, though it looks like one"),
        pytest.param("cat <<X\n\ta\nX", "cat <<X\n^Ia\nX", id="lines are lines, a tab is told from spaces"),
        pytest.param("cat grün/שלום.txt", "cat grün/שלום.txt", id="letters of any language"),
    ],
)
def test_a_command_is_shown_in_full(text: str, shown: str) -> None:
    assert in_full(text) == shown


@given(st.text())
def test_no_character_is_left_that_a_screen_obeys(text: str) -> None:
    for shown in (in_full(text), visible(text)):
        for letter in shown:
            assert letter in "\t\n" or unicodedata.category(letter) not in {"Cc", "Cs", "Zl", "Zp"}
            assert unicodedata.bidirectional(letter) not in {
                "LRE",
                "RLE",
                "LRO",
                "RLO",
                "PDF",
                "LRI",
                "RLI",
                "FSI",
                "PDI",
            }


@given(st.text())
def test_what_can_be_seen_is_kept(text: str) -> None:
    seen = [letter for letter in text if letter in " \n" or unicodedata.category(letter)[0] in "LNPS"]
    kept = iter(in_full(text))
    odd = set("\u115f\u1160\u3164\uffa0\u2800")
    assert all(letter in kept for letter in seen if letter not in odd)
