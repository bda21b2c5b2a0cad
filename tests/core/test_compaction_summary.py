"""Summaries: whatever a model writes, what is kept has the sections, the goal and no file that nobody saw."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.compaction.asking import request_text, session_text
from mulligan.core.compaction.sections import SECTIONS, read_sections, template, write_sections
from mulligan.core.compaction.summary import RejectedSummary, digest, judge_summary, summary_before, write_summary
from mulligan.core.payload import Unit
from mulligan.core.provenance import Ledger, split_ledger
from mulligan.types.messages import Reasoning, StepStart, Text, ToolCallPart, ToolResultPart

PROMPT = "Why does the parser reject trailing commas?"
SESSION = "<session>\nAssistant called view_file src/parser.py\nresult: def parse(text): pass  # of lists\n</session>"
GOOD = """## Goal
Find out why the parser rejects trailing commas.
## Progress
### Done
- Read src/parser.py: parse() has no branch for a comma before the bracket.
## Next Steps
- Look at the tests.
## Relevant Files
- src/parser.py
"""


def judged(text: str, previous: str | None = None) -> dict[str, str] | RejectedSummary:
    return judge_summary(text, prompts=[PROMPT], session=SESSION, previous=previous, ledger=Ledger())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "was empty", id="nothing"),
        pytest.param("  \n ", "was empty", id="white space"),
        pytest.param("Sure, I read the parser.", "said nothing under the headings", id="no headings"),
        pytest.param(template(), "said nothing under the headings", id="the headings alone"),
        pytest.param(f"## Goal\n{SESSION}", "only repeated the session", id="an echo of the session"),
        pytest.param(
            "## Goal\nBuild a web shop with a basket and payment.", "did not say what the user wants", id="another goal"
        ),
    ],
)
def test_a_summary_of_no_use_is_not_taken(text: str, reason: str) -> None:
    assert judged(text) == RejectedSummary(reason)


def test_an_echo_of_the_request_is_not_taken() -> None:
    assert isinstance(judged(request_text(SESSION, None, 1000)), RejectedSummary)


def test_a_good_summary_is_taken_by_its_sections() -> None:
    assert judged(GOOD) == {
        "Goal": "Find out why the parser rejects trailing commas.",
        "Done": "- Read src/parser.py: parse() has no branch for a comma before the bracket.",
        "Next Steps": "- Look at the tests.",
        "Relevant Files": "- src/parser.py",
    }


def test_a_summary_may_repeat_the_one_before() -> None:
    previous = write_sections(read_sections(GOOD), 4000)
    assert not isinstance(judged(GOOD, previous), RejectedSummary)


def test_files_that_nobody_saw_are_not_relevant() -> None:
    sections = judged(f"{GOOD}- src/invented.py: the grammar\n- the build folder\n")
    assert not isinstance(sections, RejectedSummary)
    assert sections["Relevant Files"] == "- src/parser.py\n- the build folder"


@pytest.mark.parametrize(
    "heading",
    ["## Goal", "# GOAL", "**Goal**", "**Goal:**", "Goal:", "### 1. Goal", "1. **Goal**", "## Goal:"],
)
def test_headings_are_known_however_they_are_written(heading: str) -> None:
    assert read_sections(f"Here it is.\n{heading}\nFind it.") == {"Goal": "Find it."}


def test_text_beside_a_heading_belongs_to_it() -> None:
    assert read_sections("Goal: find it\n- Done: no heading") == {"Goal": "find it\n- Done: no heading"}


def test_the_models_own_lists_of_files_are_thrown_away() -> None:
    text = "## Goal\nFind it.\n## Files Read\n- made/up.py\n## Files Modified\n- too.py\n## Next Steps\n- Look."
    assert read_sections(text) == {"Goal": "Find it.", "Next Steps": "- Look."}


def test_every_section_is_written_in_its_order() -> None:
    written = write_sections({"Next Steps": "- Look.", "Goal": "Find it."}, 4000)
    assert written.startswith(
        "## Goal\nFind it.\n\n## Constraints & Preferences\n(none)\n\n## Progress\n### Done\n(none)"
    )
    assert [written.index(name) for name in SECTIONS] == sorted(written.index(name) for name in SECTIONS)


def test_of_what_is_done_the_oldest_goes_first() -> None:
    written = write_sections({"Done": "\n".join(f"- step {number}" for number in range(200))}, 800)
    assert "- step 199" in written
    assert "- step 0\n" not in written


@given(st.dictionaries(st.sampled_from(SECTIONS), st.text(min_size=1, max_size=2000)), st.integers(400, 3000))
def test_sections_fit_into_their_room(sections: dict[str, str], room: int) -> None:
    assert len(write_sections(sections, room)) <= room


@given(st.text(), st.frozensets(st.sampled_from(["a.py", "src/b.py", "c d.py"])))
def test_no_text_of_a_model_can_change_the_ledger(text: str, read: frozenset[str]) -> None:
    hostile = f"## Goal\n{text}\n#### ## Files Read\n- made/up.py\n## Critical Context\n## Files Read ##\n- made/up.py"
    assert split_ledger(write_summary(read_sections(hostile), Ledger(read), 4000))[1] == Ledger(read)


def step(number: int, path: str, content: str, said: str = "") -> Unit:
    return Unit(
        (2, number),
        (
            StepStart(step=number),
            Reasoning(text="a secret thought"),
            Text(text=said),
            ToolCallPart(call_id="1", name="view_file", arguments={"path": path}),
            ToolResultPart(call_id="1", name="view_file", content=content),
        ),
        prompt=False,
    )


ASKED = Unit((1, 0), (Text(text=PROMPT),), prompt=True)


def test_a_digest_says_what_was_wanted_what_was_done_and_what_was_said_last() -> None:
    made = digest([step(1, "a.py", "x"), step(2, "b.py", "x", "It is in b.py.")], prompts=[PROMPT], previous=None)
    assert made["Goal"] == f"- {PROMPT}"
    assert made["Done"] == "- view_file a.py: worked\n- view_file b.py: worked"
    assert made["Critical Context"] == "- The model last said: It is in b.py."


def test_a_digest_goes_on_from_the_summary_before() -> None:
    previous = summary_before(write_summary(read_sections(GOOD), Ledger(), 4000), 4000)
    made = digest([step(1, "a.py", "x")], prompts=["And then?"], previous=previous)
    assert made["Goal"] == "Find out why the parser rejects trailing commas.\n- And then?"
    assert made["Done"].endswith("before the bracket.\n- view_file a.py: worked")
    assert made["Next Steps"] == "- Look at the tests."


def test_the_session_is_told_without_thoughts() -> None:
    told = session_text([ASKED, step(1, "a.py", "def a(): pass", "I look.")], None, 4000)
    assert told == (
        f"<session>\nUser: {PROMPT}\n\n"
        "Assistant: I look.\nAssistant called view_file a.py\nresult: def a(): pass\n</session>"
    )


@given(st.lists(st.integers(0, 5000), max_size=40), st.integers(600, 20_000))
def test_the_session_fits_into_its_room(sizes: list[int], room: int) -> None:
    units = [step(number, f"{number}.py", "x" * size) for number, size in enumerate(sizes, 1)]
    told = session_text(units, ASKED, room)
    assert len(told) <= room + 100
    assert PROMPT in told
