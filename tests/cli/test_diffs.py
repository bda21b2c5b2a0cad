"""Changes as people read them."""

import io
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from mulligan.cli.views.diffs import diff_text, show_diff
from mulligan.types.changes import FileState, PendingChange
from mulligan.workspace.changes.change_text import exact_diff, line_changes, notes, summary


def link(target: bytes) -> FileState:
    return FileState(target, "120000")


def program(data: bytes) -> FileState:
    return FileState(data, "100755")


def text(data: bytes) -> FileState:
    return FileState(data)


def change(before: FileState | None, after: FileState | None, path: str = "src/a.py") -> PendingChange:
    return PendingChange(
        id="ab12cd34ef",
        project="/p",
        seq=1,
        chat_id=None,
        message_id=None,
        path=path,
        status="pending",
        before=before,
        after=after,
        created_at=0.0,
        updated_at=0.0,
    )


EDIT = change(text(b"one\ntwo\nthree\n"), text(b"one\n2\nthree\nfour\n"))
BINARY, OTHER_BINARY = FileState(b"\0" * 1500), FileState(b"\0\1")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        pytest.param(EDIT.before, EDIT.after, "edit src/a.py +2 -1", id="an edit"),
        pytest.param(None, text(b"a\nb"), "create src/a.py +2 -0", id="a new file"),
        pytest.param(text(b"a\n"), None, "delete src/a.py +0 -1", id="a deleted file"),
        pytest.param(None, text(b""), "create src/a.py +0 -0", id="an empty file"),
        pytest.param(BINARY, OTHER_BINARY, "edit src/a.py (binary)", id="a binary file"),
        pytest.param(text(b"a"), link(b"b"), "edit src/a.py (symbolic link)", id="a link"),
        pytest.param(text(b"a"), program(b"a"), "edit src/a.py (mode)", id="a mode"),
        pytest.param(text(b"a"), program(b"b"), "edit src/a.py +1 -1", id="a mode and more"),
    ],
)
def test_a_summary_says_what_and_how_much(before: FileState | None, after: FileState | None, words: str) -> None:
    assert summary(change(before, after)) == words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        pytest.param(None, BINARY, ["new: a binary file of 1.5 kB"], id="a new binary file"),
        pytest.param(BINARY, None, ["deleted: a binary file of 1.5 kB"], id="a deleted binary file"),
        pytest.param(
            BINARY, OTHER_BINARY, ["a binary file of 1.5 kB becomes a binary file of 2 B"], id="a changed binary file"
        ),
        pytest.param(
            text(b"a\n"), BINARY, ["a text file becomes a binary file of 1.5 kB"], id="text that becomes binary"
        ),
        pytest.param(None, link(b"to/here"), ["new: a symbolic link to to/here"], id="a new link"),
        pytest.param(
            link(b"a"), link(b"b\n\xff"), ["a symbolic link to a becomes a symbolic link to b^J<U+DCFF>"], id="a link"
        ),
        pytest.param(text(b"a"), link(b"b"), ["a text file becomes a symbolic link to b"], id="a file made a link"),
        pytest.param(None, text(b""), ["new: an empty file"], id="a new empty file"),
        pytest.param(text(b""), None, ["deleted: an empty file"], id="a deleted empty file"),
        pytest.param(None, program(b"x"), ["a program (mode 100755)"], id="a new program"),
        pytest.param(text(b"x"), program(b"x"), ["becomes a program (mode 100755)"], id="made a program"),
        pytest.param(program(b"x"), text(b"x"), ["is no program any more (mode 100644)"], id="no program any more"),
        pytest.param(
            program(b"\0"),
            text(b"\0\0"),
            ["a binary file of 1 B becomes a binary file of 2 B", "is no program any more (mode 100644)"],
            id="several things",
        ),
        pytest.param(text(b"x"), text(b"\xef\xbb\xbfx"), ["encoding: utf-8 becomes utf-8-sig"], id="a byte order mark"),
        pytest.param(text(b"x"), text(b"y"), [], id="text alone needs no words"),
        pytest.param(text(b""), text(b"y"), [], id="a file that gets its first line"),
    ],
)
def test_what_a_diff_does_not_say_is_said_in_words(
    before: FileState | None, after: FileState | None, words: list[str]
) -> None:
    assert notes(change(before, after)) == words
    assert diff_text(change(before, after)).splitlines()[: len(words)] == words


def test_a_diff_is_a_unified_diff() -> None:
    assert diff_text(EDIT) == ("--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n")


def test_what_is_no_text_has_no_diff() -> None:
    assert exact_diff(change(None, BINARY)) is None
    assert line_changes(change(None, BINARY)) is None


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        pytest.param("a\x1b[2J\x1b]0;owned\x07", "+a^[[2J^[]0;owned^G", id="escape sequences"),
        pytest.param("admin\u202enimda", "+admin<U+202E>nimda", id="text that shows backwards"),
        pytest.param("pass\u200bword", "+pass<U+200B>word", id="a space without width"),
        pytest.param("one\x0ctwo\x7f", "+one^Ltwo^?", id="other controls"),
        pytest.param("50%\r100%", "+50%^M\n+100%", id="a line that would overwrite itself"),
        pytest.param("\ttab 漢字 🙂 é", "+\ttab 漢字 🙂 é", id="tabs and other scripts stay"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_written_out(data: str, shown: str) -> None:
    made = change(None, text(f"{data}\n".encode()))
    assert diff_text(made).split("\n", 3)[3] == f"{shown}\n"


def test_a_path_can_not_forge_lines_of_a_diff() -> None:
    made = change(None, text(b"x\n"), path="a\n+++ b/innocent\t\udcff")
    assert diff_text(made).splitlines()[1] == "+++ b/a^J+++ b/innocent^I<U+DCFF>"
    assert summary(made) == "create a^J+++ b/innocent^I<U+DCFF> +1 -0"


def test_a_change_of_line_endings_is_seen() -> None:
    shown = diff_text(change(text(b"a\r\nb\n"), text(b"a\nb\n")))
    assert shown.splitlines()[3:] == ["-a^M", "+a", " b"]


def test_line_endings_that_stay_as_they_are_are_no_news() -> None:
    shown = diff_text(change(text(b"a\r\nb\r\n"), text(b"a\r\nc\r\n")))
    assert shown.splitlines()[3:] == [" a", "-b", "+c"]


@given(st.binary(max_size=60) | st.text(max_size=30).map(str.encode), st.binary(max_size=60), st.text(max_size=9))
def test_whatever_a_file_holds_its_diff_is_safe_to_show(before: bytes, after: bytes, path: str) -> None:
    made = change(text(before), text(after), path)
    for shown in (diff_text(made), summary(made)):
        controls = [one for one in shown if unicodedata.category(one) in ("Cc", "Cs") and one not in "\t\n"]
        assert controls == []


def test_git_applies_an_exact_diff_with_line_endings_of_its_own(tmp_path: Path) -> None:
    made = change(text(b"a\r\nb\x0c\r\n"), text(b"a\r\nc\x0c\r\n"), path="a.txt")
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\x0c\r\n")
    diff = exact_diff(made)
    assert diff is not None
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (tmp_path / "a.txt").read_bytes() == b"a\r\nc\x0c\r\n"


def coloured(made: PendingChange, environment: dict[str, str]) -> str:
    paper = io.StringIO()
    console = Console(
        file=paper, width=30, force_terminal=True, color_system="standard", markup=False, highlight=False, emoji=False,
        _environ={"TERM": "xterm", **environment},
    )  # fmt: skip
    show_diff(made, console, heading="the heading")
    return paper.getvalue()


def test_a_terminal_gets_colours() -> None:
    shown = coloured(EDIT, {})
    assert "\x1b[1mthe heading" in shown
    assert "\x1b[31m-two\x1b[0m\n" in shown
    assert "\x1b[32m+2\x1b[0m\n" in shown
    assert "\x1b[36m@@ -1,3 +1,4 @@\x1b[0m\n" in shown


def test_a_deleted_line_of_dashes_is_no_heading() -> None:
    assert "\x1b[31m--- old\x1b[0m" in coloured(change(text(b"-- old\n"), text(b"")), {})


def test_whoever_wants_no_colours_gets_none() -> None:
    shown = coloured(EDIT, {"NO_COLOR": "1"})
    assert "\x1b[3" not in shown


def test_lines_longer_than_the_terminal_stay_whole() -> None:
    shown = coloured(change(None, text(b"word " * 30 + b"\n")), {"NO_COLOR": "1"})
    assert "+" + "word " * 30 in shown


def test_a_pipe_gets_the_whole_diff_however_long(capsys: pytest.CaptureFixture[str]) -> None:
    made = change(None, text(b"word\n" * 5000))
    show_diff(made, heading="the heading")
    assert capsys.readouterr().out == "the heading\n" + diff_text(made)
    assert diff_text(made).count("+word\n") == 5000
