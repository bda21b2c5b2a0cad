"""What a question asks about, as terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.retrieval.terms import EARLIER, MAX_TERMS, Term, asked_stems, read_question, stem, stems


def texts(question: str) -> list[str]:
    return [term.text for term in read_question(question).terms]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("What is the mistake threshold?", ["mistak", "thresh"], id="words"),
        pytest.param("what does `read_reply` return?", ["read_reply", "read", "reply", "return"], id="an identifier"),
        pytest.param("where is readReply?", ["readreply", "read", "reply"], id="camel case"),
        pytest.param("what is in loop/turn.py?", ["loop/turn.py", "loop", "turn", "py"], id="a path"),
        pytest.param('who says "pay your fines"?', ["pay your fines", "pay", "fin"], id="a quoted string"),
        pytest.param("what's the project's licence?", ["licenc"], id="apostrophes are no quotes"),
        pytest.param("what is in this project?", [], id="nothing but stop words"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_question_is_read_as_terms(question: str, expected: list[str]) -> None:
    assert texts(question) == expected


def test_a_name_counts_more_than_its_words() -> None:
    name, *words = read_question("read_reply").terms
    assert name == Term("read_reply", 3.0, literal=True)
    assert all(term.weight == 1.0 for term in words)


def test_terms_of_the_earlier_question_come_last_and_count_less() -> None:
    terms = read_question("and the longest delay?", "how are failed jobs delayed?").terms
    assert [term.text for term in terms] == ["longes", "delay", "fail", "job"]
    assert [term.weight for term in terms] == [1.0, 1.0, EARLIER, EARLIER]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mistakes", "mistake"),
        ("stopped", "stop"),
        ("running", "run"),
        ("configured", "configuration"),
        ("dependencies", "depends"),
        ("licence", "license"),
        ("repetition", "repeats"),
        ("classes", "class"),
        ("fines", "fine"),
        ("codes", "code"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("MAX_CONTINUES", ["max", "contin"], id="a constant"),
        pytest.param("HTTPServer", ["http", "server"], id="an acronym"),
        pytest.param("readReply2", ["read", "reply", "2"], id="camel case and a digit"),
        pytest.param("größe", ["größ"], id="other letters"),
    ],
)
def test_names_are_split_into_their_words(code: str, expected: list[str]) -> None:
    assert list(stems(code)) == expected


def test_a_short_stem_is_searched_for_at_the_start_of_a_word() -> None:
    assert Term("cap").pattern == r"(?:\b|_)cap"
    assert Term("a.b", literal=True).pattern == r"a\.b"


def test_of_a_pasted_log_the_beginning_and_the_end_count() -> None:
    log = "=" * 200_000
    assert texts(f"why does lend fail? {log} the librarian waits") == ["lend", "fail", "librar", "wait"]


@given(st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_a_question(text: str, earlier: str) -> None:
    terms = read_question(text, earlier).terms
    assert len(terms) <= MAX_TERMS
    assert len({term.text for term in terms}) == len(terms)


def test_what_is_asked_about_is_compared_by_stems_that_are_cut_once() -> None:
    text = "Releases are tagged in `make_release`."
    assert asked_stems("how is a release tagged by `make_release`?") & set(stems(text)) == {"releas", "tag", "mak"}
