"""The folder of a run: logs, and a report for people and programs."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mulligan.fixing.report import CUT_BYTES, DIFF_BYTES, LOG_BYTES, RunFolder
from mulligan.fixing.report_text import report_text
from mulligan.types.fixing import Plan, PlanStep
from mulligan.workspace.commands import shortened
from tests.fixing.run_states import COMMAND, a_check, a_command_run, a_failed_run, a_record, a_run

DIFF = "--- a/pages.py\n+++ b/pages.py\n@@ -1 +1 @@\n-first = 1\n+first = 0\n"
TOKEN = "ghp_" + "a1" * 20


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path, "ab12cd34ef")


def sections(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.tag == "h2" and token.nesting == 1]


def test_a_log_holds_what_was_run_and_all_it_wrote(folder: RunFolder) -> None:
    name = folder.log(a_command_run(3, stdout="1 failed\n", stderr="warning"))
    assert name == "logs/03-verify.log"
    assert (folder.path / name).read_text() == (
        f"command: {COMMAND}\nnumber: 3\npurpose: verify\nattempt: 1\nended: exit code 1\nseconds: 2.5\n"
        "\n--- stdout ---\n1 failed\n\n--- stderr ---\nwarning\n"
    )


def test_the_log_of_a_command_that_hung_says_so(folder: RunFolder) -> None:
    name = folder.log(a_command_run(1, exit_code=-9, timed_out=True))
    assert "ended: stopped at its time limit\n" in (folder.path / name).read_text()


def test_a_flood_is_cut_in_the_middle(folder: RunFolder) -> None:
    flood = "ä" * LOG_BYTES
    log = folder.path / folder.log(
        a_command_run(1, command="x" * 100_000, stdout=f"begins{flood}ends", stderr=f"begins{flood}ends")
    )
    text = log.read_text()
    assert 0.9 * LOG_BYTES < log.stat().st_size <= LOG_BYTES
    assert text.count("begins") == text.count("ends") == 2
    assert text.count("bytes left out") == 3


def test_a_stream_may_take_the_room_that_the_other_leaves(folder: RunFolder) -> None:
    stdout = "line\n" * (LOG_BYTES * 9 // 50)
    assert stdout in (folder.path / folder.log(a_command_run(1, stdout=stdout))).read_text()


@given(st.text(max_size=400), st.integers(min_value=110, max_value=400))
def test_a_cut_text_keeps_its_beginning_and_its_end(text: str, room: int) -> None:
    cut = shortened(text, room)
    assert len(cut.encode("utf-8", "replace")) <= room + CUT_BYTES
    if cut != text:
        head, tail = re.split(r"\n\[… [\d,]+ bytes left out …\]\n", cut, maxsplit=1)
        assert text.startswith(head)
        assert text.endswith(tail)


def test_nothing_in_the_folder_looks_like_a_token(folder: RunFolder) -> None:
    folder.log(a_command_run(1, command=f"push {TOKEN}", stdout=f"used {TOKEN}", stderr=TOKEN))
    folder.write(a_failed_run(goal=f"push with {TOKEN}"), diff=f"+key = '{TOKEN}'\n")
    for file in (path for path in folder.path.rglob("*") if path.is_file()):
        text = file.read_text()
        assert TOKEN not in text
        assert "masked" in text


def test_the_report_is_written_beside_the_logs_and_replaced_as_a_whole(folder: RunFolder) -> None:
    folder.write(a_run(), diff="")
    path = folder.write(a_failed_run(), diff=DIFF)
    assert path == folder.report
    assert path.read_text().startswith("# Fix run `ab12cd34ef`: failed\n")
    assert sorted(file.name for file in folder.path.iterdir()) == ["report.json", "report.md"]


def test_the_report_for_people_has_everything_in_its_place() -> None:
    text = report_text(a_failed_run(files=("src/pages.py",)), diff=DIFF)
    assert sections(text) == [
        "Next step",
        "What judges it",
        "Attempts",
        "Failures left",
        "Files",
        "Budget",
        "Diff",
    ]
    for words in (
        "- Reason: all attempts were made, and the project's commands still fail (`bounded_attempts_exceeded`)",
        "- Attempts: 3 of 3",
        "Started: 2027-01-15 08:00:00 UTC, ended 2027-01-15 08:01:30 UTC",
        "1. Fix the slice (for tests/test\\_pages.py::test\\_first)",
        "### Before any change\n\n- `python -m pytest -q`: tests fail, exit code 1, 2.5 s: ",
        "### Attempt 3: discarded\n\nPlan by the model: The first page begins too late\n\n1. Fix the slice (for",
        "- judged: No failure is gone: still 1.\n\n```diff\ndiff --git a/src/pages.py",
        "+    return pages[2]\n",
        "+    return pages[4]\n",
        "([log](logs/04-verify.log))",
        "- `tests/test_pages.py::test_first`: assert 3 == 2",
        "- `src/pages.py`\n",
        "| commands of the model | 4 | 8 |",
        "| seconds of these | 17.2 | 1800 |",
        f"```diff\n{DIFF}```\n",
    ):
        assert words in text


def test_a_verified_run_tells_how_each_command_was_and_is() -> None:
    current_checks = (a_check(passed=True, kind=None, summary=""),)
    state = a_failed_run(verdict="verified", reason="passed", current_checks=current_checks, files=("pages.py",))
    text = report_text(state, diff="")
    assert "  - before: tests fail: tests/test\\_pages.py::test\\_first failed\n  - now: passed\n" in text
    assert sections(text) == ["Next step", "What judges it", "Attempts", "Files", "Budget"]


def test_the_result_of_a_single_attempt_is_shown_once() -> None:
    record = a_record(1, outcome="passed", diff=DIFF)
    text = report_text(a_failed_run(verdict="verified", reason="passed", attempts_made=(record,)), diff=DIFF)
    assert text.count("+first = 0") == 1
    assert "### Attempt 1: passed\n" in text


def test_other_changes_that_pass_are_shown_after_the_result() -> None:
    other = DIFF.replace("first = 0", "first = number - number")
    record = a_record(1, outcome="passed", diff=DIFF, also_passing=(other,))
    text = report_text(a_failed_run(verdict="verified", reason="passed", attempts_made=(record,)), diff=DIFF)
    assert sections(text)[-2:] == ["Diff", "Other changes with which everything passes"]
    assert text.endswith(f"```diff\n{other}```\n")


def test_a_run_that_has_just_begun_has_a_report_too() -> None:
    text = report_text(a_run(), diff="")
    assert text.startswith("# Fix run `ab12cd34ef`: not ended\n")
    assert "`mulligan fix --resume ab12cd34ef`" in text


def test_long_lists_are_cut() -> None:
    text = report_text(a_run(files=tuple(f"{number}.py" for number in range(150))), diff="")
    assert "- `99.py`\n- … and 50 more\n" in text


@given(st.one_of(st.just("```\n# no heading\n## none\n| a | b |\n<!--"), st.text(max_size=60)))
def test_foreign_text_breaks_no_section(text: str) -> None:
    plan = Plan(next="coder", plan=(PlanStep(step=text, failure=text),), reason=text)
    runs = (a_command_run(1, command=text, summary=text),)
    made = (a_record(1, plan=plan, diff=text, summary=text),)
    state = a_failed_run(
        goal=text, explanation=text, attempts_made=made, runs=runs, current_checks=(a_check(summary=text),)
    )
    assert sections(report_text(state, diff=f"+{text}"))[-2:] == ["Budget", "Diff"]
    assert sections(report_text(state, diff=f"+{text}"))[:3] == ["Next step", "What judges it", "Attempts"]


def test_the_report_for_programs_has_the_same(folder: RunFolder) -> None:
    folder.write(a_failed_run(runs=(a_command_run(1, stdout="long", log="logs/01-verify.log"),)), diff=DIFF)
    fields = json.loads((folder.path / "report.json").read_text())
    assert (fields["status"], fields["reason"]) == ("failed", "bounded_attempts_exceeded")
    assert (fields["attempts"], len(fields["failure_history"]["entries"])) == (3, 3)
    assert [each["plan"]["plan"][0]["step"] for each in fields["attempts_made"]] == ["Fix the slice"] * 3
    assert "+    return pages[3]\n" in fields["attempts_made"][1]["diff"]
    assert fields["budget"]["steps of the coder"] == {"used": 9, "allowed": 12}
    assert fields["diff"] == DIFF
    assert fields["next_steps"]
    (run,) = fields["runs"]
    assert (run["log"], run["passed"], "stdout" in run) == ("logs/01-verify.log", False, False)


def test_a_huge_diff_is_cut(folder: RunFolder) -> None:
    report = folder.write(a_run(), diff="+line\n" * DIFF_BYTES)
    assert DIFF_BYTES * 0.9 < report.stat().st_size < DIFF_BYTES * 1.1


def test_names_that_are_no_text_can_be_reported(folder: RunFolder) -> None:
    report = folder.write(a_run(files=("\udcff.py",), goal="\udcff"), diff="+\udcff\n")
    assert "## Files" in report.read_text()
    assert json.loads((folder.path / "report.json").read_text())["files"] == ["\udcff.py"]
