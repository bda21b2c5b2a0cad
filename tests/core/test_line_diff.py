"""The difference between two texts, held against the real `patch`."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.line_diff import changed_blocks, hunks, line_counts, split_keeping_ends, unified_diff
from tests.examples import examples

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x y"]), max_size=12)


def joined(lines: list[str], end: str) -> str:
    return "\n".join(lines) + end


TEXTS = st.builds(joined, LINES, st.sampled_from(["", "\n"]))


@given(TEXTS, TEXTS)
def test_blocks_turn_one_text_into_the_other(before: str, after: str) -> None:
    old, new = split_keeping_ends(before), split_keeping_ends(after)
    made: list[str] = []
    place = 0
    for block in changed_blocks(old, new):
        made += old[place : block.a_start] + new[block.b_start : block.b_end]
        place = block.a_end
    assert made + old[place:] == new


@given(st.text(alphabet="ab\r\n\x0b\u2028", max_size=30))
def test_lines_joined_are_the_text_again(text: str) -> None:
    assert "".join(split_keeping_ends(text)) == text


@settings(max_examples=examples(25), deadline=None)
@given(before=TEXTS, after=TEXTS)
def test_git_applies_what_unified_diff_writes(
    before: str, after: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("diff")
    diff = unified_diff(before, after, "file.txt")
    if not diff:
        assert before == after
        return
    _apply(folder, before, diff)
    assert (folder / "file.txt").read_text() == after


def _apply(folder: Path, before: str, diff: str) -> None:
    (folder / "file.txt").write_text(before)
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "--unidiff-zero"],
        check=False,
        cwd=folder,
        input=diff.encode(),
        capture_output=True,
    )
    assert done.returncode == 0, (done.stderr, diff)


def test_a_new_file_comes_from_nowhere() -> None:
    assert unified_diff(None, "a\nb", "n.py") == (
        "--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    )


def test_added_and_removed_lines_are_counted() -> None:
    assert line_counts("a\nb\nc\n", "a\nB\nc\nd\n") == (2, 1)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12), st.integers(0, 4))
def test_hunks_number_the_lines_of_both_texts(before: list[str], after: list[str], context: int) -> None:
    texts = {"old": [f"{line}\n" for line in before], "new": [f"{line}\n" for line in after]}
    found = [line for hunk in hunks("".join(texts["old"]), "".join(texts["new"]), context=context) for line in hunk]
    for line in found:
        assert line.old is None or texts["old"][line.old - 1] == line.text
        assert line.new is None or texts["new"][line.new - 1] == line.text
        assert {" ": (True, True), "-": (True, False), "+": (False, True)}[line.mark] == (
            line.old is not None,
            line.new is not None,
        )
    gone, come = {line.old for line in found if line.mark == "-"}, {line.new for line in found if line.mark == "+"}
    stay = [[line for number, line in enumerate(texts[which], 1) if number not in changed]
            for which, changed in (("old", gone), ("new", come))]  # fmt: skip
    assert stay[0] == stay[1]


def test_hunks_hold_what_lies_around_a_change_and_no_more() -> None:
    text = "".join(f"{number}\n" for number in range(1, 41))
    (first, second) = hunks(text, text.replace("5\n", "five\n", 1).replace("30\n", ""), context=2)
    assert [(line.mark, line.old, line.new) for line in first][:3] == [(" ", 3, 3), (" ", 4, 4), ("-", 5, None)]
    assert [(line.mark, line.old, line.new) for line in second] == [
        (" ", 28, 28), (" ", 29, 29), ("-", 30, None), (" ", 31, 30), (" ", 32, 31),
    ]  # fmt: skip
