"""From what a synthesis is written, and how much of it fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.context_budget import ContextBudget
from mulligan.core.synthesis import (
    MAX_TOKENS,
    SYNTHESIS_SYSTEM,
    SynthesisQuestion,
    SynthesisSource,
    document_lines,
    fit_sources,
    in_order,
    synthesis_budget,
    synthesis_messages,
    wanted_documents,
)
from mulligan.types.model_io import SystemText, UserText, WireMessage

ORDER = ["MULLIGAN.md", "AGENTS.md", "ROADMAP.md", "CONTEXT.md", "one.py", "two.py", "three.py"]


def source(path: str, lines: int = 100) -> SynthesisSource:
    """A hundred lines have about 2,000 characters."""
    numbered = tuple((number, "0123456789 abcdefgh") for number in range(1, lines + 1))
    return SynthesisSource(path, numbered, lines, document=path.endswith(".md"))


SOURCES = [source(path) for path in ORDER]


def text_of(messages: list[WireMessage]) -> str:
    system, user = messages
    assert system == SystemText(SYNTHESIS_SYSTEM)
    assert isinstance(user, UserText)
    return user.text


def test_documents_are_found_at_the_top_and_in_docs_and_guides_of_their_names_are_not_taken_for_them() -> None:
    paths = [
        "README.md",
        "AGENTS.md",
        "agents.md",
        "docs/agents.md",
        "docs/AGENTS.md",
        "docs/context.md",
        "CHANGELOG.md",
        "docs/changes.md",
        "docs/architecture.md",
        "docs/design.md",
        "src/architecture.md",
        "docs/MULLIGAN.md",
        "docs/q3-RoadMap-draft.md",
        "MULLIGAN.md",
        "roadmap.md",
        "CONTEXT.md",
        "src/CONTEXT.md",
        "docs/deep/roadmap.md",
        "roadmap.txt",
        "MULLIGAN.md.bak",
    ]
    assert wanted_documents(paths) == [
        "MULLIGAN.md",
        "docs/MULLIGAN.md",
        "AGENTS.md",
        "roadmap.md",
        "docs/q3-RoadMap-draft.md",
        "CONTEXT.md",
        "docs/architecture.md",
        "CHANGELOG.md",
    ]


@pytest.mark.parametrize(
    ("whole", "order"),
    [
        pytest.param(False, ["ROADMAP.md", "one.py", "two.py", "docs/architecture.md", "CHANGELOG.md"], id="of a part"),
        pytest.param(
            True, ["ROADMAP.md", "docs/architecture.md", "one.py", "two.py", "CHANGELOG.md"], id="of the whole"
        ),
    ],
)
def test_the_roadmap_stays_before_files_and_the_structure_leads_where_the_whole_is_asked_about(
    whole: bool, order: list[str]
) -> None:
    documents = [source(path) for path in ("ROADMAP.md", "docs/architecture.md", "CHANGELOG.md")]
    found = in_order(documents, [source("one.py"), source("two.py")], whole=whole)
    assert [each.path for each in found] == order


def test_of_a_changelog_only_the_newest_entries_are_read() -> None:
    assert (document_lines("CHANGELOG.md"), document_lines("docs/roadmap.md")) == (60, 500)


def test_lines_from_several_places_are_told_apart_and_numbered_as_in_the_file() -> None:
    lines = ((1, '"""Loans."""'), (40, "def lend():"), (41, "    ..."), (90, "def fine():"))
    assert str(SynthesisSource("loans.py", lines, 120)) == (
        '<file path="loans.py" lines="1-1, 40-41, 90-90 of 120">\n'
        '"""Loans."""\n[…]\ndef lend():\n    ...\n[…]\ndef fine():\n</file>'
    )


def test_the_model_is_told_that_roadmap_and_changelog_decide_on_what_is_done() -> None:
    assert "roadmap and changelog count more than what the code suggests" in SYNTHESIS_SYSTEM


@pytest.mark.parametrize(
    ("context", "speed", "reply", "tokens"),
    [
        pytest.param(None, None, None, MAX_TOKENS, id="nothing is known"),
        pytest.param(1_000_000, None, None, 32_000, id="a large context"),
        pytest.param(8_192, None, None, 6_963, id="a small context"),
        pytest.param(4_096, None, None, 3_096, id="a tiny context leaves room for the answer"),
        pytest.param(8_192, None, 4_000, 4_192, id="the user wants long replies"),
        pytest.param(None, 100.0, None, 6_000, id="a minute of reading"),
        pytest.param(None, 5.0, None, 800, id="a very slow model gets a little all the same"),
        pytest.param(8_192, 1_000.0, None, 6_963, id="the context is the tighter limit"),
    ],
)
def test_the_room_is_what_context_and_speed_allow(
    context: int | None, speed: float | None, reply: int | None, tokens: int
) -> None:
    budget = ContextBudget(context) if context else None
    assert synthesis_budget(budget, reads_per_second=speed, reply_tokens=reply) == (tokens, 3.5)


@pytest.mark.parametrize(
    ("room", "kept"),
    [
        pytest.param(100_000, ORDER, id="all"),
        pytest.param(12_900, ORDER[:-1], id="the last file goes first"),
        pytest.param(10_800, ORDER[:-2], id="then the second"),
        pytest.param(8_700, ORDER[:-3], id="then the first"),
        pytest.param(6_500, ORDER[:3], id="then CONTEXT"),
        pytest.param(4_400, ORDER[:2], id="and roadmap"),
        pytest.param(2_300, ORDER[:1], id="then AGENTS.md"),
        pytest.param(900, ORDER[:1], id="MULLIGAN.md is only cut"),
        pytest.param(0, ORDER[:1], id="and never dropped"),
    ],
)
def test_what_gives_way_gives_way_in_order(room: int, kept: list[str]) -> None:
    assert [each.path for each in fit_sources(SOURCES, room)] == kept


def test_a_file_after_one_that_did_not_fit_is_dropped_though_it_would_fit() -> None:
    sources = [source("one.py"), source("long.py", 1000), source("short.py", 1)]
    assert [each.path for each in fit_sources(sources, 2_800)] == ["one.py"]


def test_the_source_at_which_the_room_ends_is_cut_if_enough_of_it_remains() -> None:
    one, long = fit_sources([source("one.py"), source("long.py", 1000)], 4_000)
    assert len(one.lines) == 100
    assert 40 <= len(long.lines) < 100
    assert f'<file path="long.py" lines="1-{len(long.lines)} of 1000">' in str(long)


def test_without_a_mulligan_md_everything_may_go() -> None:
    assert fit_sources([source("AGENTS.md"), source("one.py")], 100) == ()


def test_the_request_holds_the_result_the_sources_and_the_question_at_its_end() -> None:
    messages, kept = synthesis_messages(
        SynthesisQuestion("What is here?"),
        tool="get_codebase_overview",
        result="3 files.",
        sources=SOURCES,
        char_limit=100_000,
    )
    text = text_of(messages)
    assert kept == tuple(SOURCES)
    assert '<result tool="get_codebase_overview">\n3 files.\n</result>' in text
    assert '<document path="MULLIGAN.md" lines="1-100 of 100">\n0123456789 abcdefgh\n' in text
    assert '<file path="two.py" lines="1-100 of 100">' in text
    assert text.endswith("Question: What is here?")
    assert "lack of room" not in text


def test_the_request_says_what_it_leaves_out_and_what_was_asked_before() -> None:
    asked = SynthesisQuestion("And the tests?", "What is here?")
    messages, _ = synthesis_messages(asked, tool="t", result="r", sources=SOURCES, char_limit=12_000)
    assert "Not given for lack of room: two.py, three.py" in text_of(messages)
    assert text_of(messages).endswith("Before that the user had asked: What is here?\nQuestion: And the tests?")


@given(
    room=st.integers(3_000, 40_000),
    question=st.text("abc ", max_size=30_000),
    result=st.text("xyz\n", max_size=30_000),
    lengths=st.lists(st.integers(1, 500), max_size=len(ORDER)),
)
def test_the_request_never_outgrows_its_room(room: int, question: str, result: str, lengths: list[int]) -> None:
    sources = [source(path, lines) for path, lines in zip(ORDER, lengths, strict=False)]
    messages, kept = synthesis_messages(
        SynthesisQuestion(question), tool="t", result=result, sources=sources, char_limit=room
    )
    assert len(SYNTHESIS_SYSTEM) + len(text_of(messages)) <= room
    assert [each.path for each in kept] == [each.path for each in sources][: len(kept)]
    assert not sources or kept
