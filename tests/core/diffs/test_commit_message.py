"""Which line of a reply is the message, and when it can't be used."""

import pytest

from mulligan.core.diffs.commit_message import MAX_SUBJECT_CHARS, commit_question, read_subject, shown_diff
from mulligan.core.diffs.imperative import as_imperative
from mulligan.core.diffs.patch import FileDiff, read_patch
from mulligan.types.model_io import UserText


def changed(path: str = "parser.py", lines: int = 1) -> FileDiff:
    added = "".join(f"+line {number} of {path}\n" for number in range(lines))
    text = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{added}"
    (file,) = read_patch(text)
    return file


@pytest.mark.parametrize(
    ("reply", "subject"),
    [
        pytest.param("Add a limit to the parser", "Add a limit to the parser", id="as it should be"),
        pytest.param("Add a limit.\n", "Add a limit", id="a full stop"),
        pytest.param("```\nAdd a limit\n```", "Add a limit", id="fences"),
        pytest.param('"Add a limit"', "Add a limit", id="quotes"),
        pytest.param(
            "\N{LEFT DOUBLE QUOTATION MARK}Add tabs\N{RIGHT DOUBLE QUOTATION MARK}", "Add tabs", id="curly quotes"
        ),
        pytest.param("Commit message: Add a limit", "Add a limit", id="a label"),
        pytest.param("**Subject:** Add a limit", "Add a limit", id="a label in bold"),
        pytest.param("Here is the message:\n\nAdd a limit", "Add a limit", id="talk before it"),
        pytest.param("Sure! I looked at it.\n`Add a limit`\nHope that helps.", "Add a limit", id="talk around it"),
        pytest.param('git commit -m "Add a limit"', "Add a limit", id="as a command"),
        pytest.param("Added a limit", "Add a limit", id="past"),
        pytest.param("Adds a limit", "Add a limit", id="third person"),
        pytest.param("fix(parser): handled tabs", "fix(parser): handle tabs", id="behind a prefix"),
        pytest.param("Stopping at tabs", "Stop at tabs", id="a doubled letter"),
        pytest.param("Embed the model", "Embed the model", id="a verb that ends like a past"),
        pytest.param("Rewrote it\n\nThe body is left out.", "Rewrite it", id="a body"),
        pytest.param("Rename parser.py to reader", "Rename parser.py to reader", id="a file of the diff"),
    ],
)
def test_the_line_of_a_reply(reply: str, subject: str) -> None:
    read = read_subject(reply, [changed()])
    assert (read.text, read.problems) == (subject, ())


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        pytest.param("", "is empty", id="nothing"),
        pytest.param("Add " + "x" * 80, f"has 84 characters, and {MAX_SUBJECT_CHARS} are the most", id="too long"),
        pytest.param("Parsing of tabs", "does not begin in the imperative mood: `Parsing`", id="a noun of a verb"),
        pytest.param("Tests for the parser", "does not begin in the imperative mood: `Tests`", id="a plural"),
        pytest.param("This change adds a limit", "talks about the message instead of being it", id="talk"),
        pytest.param("Update code", "says nothing about this change", id="says nothing"),
        pytest.param("Say hello", "is the subject of an earlier commit", id="an earlier one"),
        pytest.param("Update README.md with tabs", "names README.md, which is not in the diff", id="another file"),
        pytest.param("Set the key to [masked: API key]", "holds a masked value", id="a mask"),
    ],
)
def test_what_can_not_be_used(reply: str, problem: str) -> None:
    assert problem in read_subject(reply, [changed()], ["Say hello"]).problems


def test_parsing_becomes_an_imperative_where_the_verb_is_known() -> None:
    assert as_imperative("Removing") == "Remove"
    assert as_imperative("tried") == "try"
    assert as_imperative("frobnicated") is None
    assert as_imperative("frobnicate") == "frobnicate"


def test_a_long_diff_is_cut_so_that_every_file_is_seen() -> None:
    files = [changed("long.py", 2_000), changed("short.py", 2), changed(".env", 3), changed("uv.lock", 500)]
    shown = shown_diff(files, 2_000)
    assert len(shown) <= 2_000
    assert "line 1 of short.py" in shown
    assert "line 1 of long.py" in shown
    assert "more changed lines" in shown
    assert "modified .env (+3 -0, secret, not shown)" in shown
    assert "line 1 of .env" not in shown
    assert "line 1 of uv.lock" not in shown


def test_ten_thousand_files_still_fit() -> None:
    files = [changed(f"folder/file{number}.py") for number in range(10_000)]
    question = commit_question(files, 3_000)[-1]
    assert isinstance(question, UserText)
    assert len(question.text) < 4_000
    assert "and 9960 more files" in question.text
