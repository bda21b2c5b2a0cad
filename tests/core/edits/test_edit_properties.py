"""What holds for every text: lines outside the place never change, and nothing but a refusal is ever raised."""

import random
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mulligan.core.edits import Ambiguous, EditRefused, NotFound, apply_edit, apply_edits, locate_match
from mulligan.core.line_diff import split_keeping_ends
from mulligan.types.edits import TextEdit

WORDS = [
    "load",
    "total",
    "return",
    "count_items",
    "if",
    "self.value",
    "x1",
    "=",
    "+",
    "(a, b)",
    '"text"',
    "# note",
    "{",
    "}",
]
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
JUNK = st.text(
    alphabet=st.sampled_from(list("ab1 \t\n\r\x00\x0b\u2028\ud800\u201c\u200b\u0301e-+>`.\\n\"'#:|/&;{}")), max_size=60
)


def line(depth: int, words: list[str]) -> str:
    return "    " * depth + " ".join(words)


LINES = st.builds(line, st.integers(0, 3), st.lists(st.sampled_from(WORDS), max_size=5))


def dropped_blanks(text: str) -> str:
    return "".join(line for line in split_keeping_ends(text) if line.strip())


def doubled_blanks(text: str) -> str:
    return "".join(line if line.strip() else line * 2 for line in split_keeping_ends(text))


def numbered(text: str) -> str:
    return "".join(f"{number}: {line}" for number, line in enumerate(split_keeping_ends(text), 7))


def typo(text: str) -> str:
    return text.replace("total", "toatl", 1)


DRIFTS: list[Callable[[str], str]] = [
    lambda text: text,
    lambda text: text.replace("    ", "\t"),
    lambda text: text.replace("    ", "  "),
    lambda text: text.replace("\n", "  \n"),
    lambda text: text.replace('"', "\u201d"),
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text.replace("\n", "\\n"),
    lambda text: text.replace("\r\n", "\n"),
    lambda text: "".join("    " + line for line in split_keeping_ends(text)),
    lambda text: "".join(line.lstrip() or line for line in split_keeping_ends(text)),
    lambda text: f"```\n{text}\n```",
    lambda text: "".join("-" + line for line in split_keeping_ends(text)),
    lambda text: "".join("> " + line for line in split_keeping_ends(text)),
    dropped_blanks,
    doubled_blanks,
    numbered,
    typo,
]


@st.composite
def drifted_edits(draw: st.DrawFn) -> tuple[str, str, str]:
    ending = draw(ENDINGS)
    lines = draw(st.lists(LINES, min_size=1, max_size=25))
    first = draw(st.integers(0, len(lines) - 1))
    last = draw(st.integers(first + 1, len(lines)))
    span = lines[first:last]
    changed = list(span)
    changed[draw(st.integers(0, len(span) - 1))] = draw(LINES)
    place = draw(st.integers(0, len(span)))
    changed[place:place] = draw(st.lists(LINES, max_size=2))
    content = ending.join(lines) + draw(st.sampled_from(["", ending]))
    drift = draw(st.sampled_from(DRIFTS))
    return content, drift(ending.join(span) + ending), drift(ending.join(changed) + ending)


@settings(max_examples=400, deadline=None)
@given(drifted_edits())
def test_no_line_outside_the_place_changes(edit: tuple[str, str, str]) -> None:
    content, old, new = edit
    _hold_still_outside(content, old, new)


@settings(max_examples=400, deadline=None)
@given(JUNK, JUNK, JUNK)
@example("a\ud800b\n", "a\ud800 b\n", "c\n")
@example("a\r\r\nb", "a\n\nb", "c")
@example("\ufeff# x\n", "# x\n", "# y\n")
def test_junk_is_refused_or_kept_to_its_place(content: str, old: str, new: str) -> None:
    _hold_still_outside(content, old, new)


@settings(max_examples=200, deadline=None)
@given(JUNK, JUNK, JUNK, st.integers(0, 60), st.integers(0, 60))
def test_a_piece_of_the_file_itself_is_refused_or_kept_to_its_place(
    content: str, new: str, noise: str, start: int, end: int
) -> None:
    _hold_still_outside(content, content[start:end], new)
    _hold_still_outside(content, content[start:end] + noise, new)


NAMES = ("load", "total", "basket", "count_items", "checksum", "offset", "reader", "pending")
CALLS = st.builds(
    "{}{} = {}({}, {})".format,
    st.sampled_from(["", "    "]),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.integers(0, 99),
)


@st.composite
def misspelt_edits(draw: st.DrawFn) -> tuple[str, str, str]:
    """Lines that are all different, some of them edited; what is sent drifted, and has up to three wrong letters."""
    lines = draw(st.lists(CALLS, min_size=3, max_size=20, unique_by=str.strip))
    first = draw(st.integers(0, len(lines) - 2))
    span: list[str] = [*lines[first : draw(st.integers(first + 2, len(lines)))]]
    added = draw(st.integers(1, len(span)))
    new: list[str] = [*span[:added], "    brand_new_line(7)", *span[added:]]
    for _ in range(draw(st.integers(0, 3))):
        line = draw(st.integers(0, len(span) - 1))
        at = draw(st.sampled_from([place for place, sign in enumerate(span[line]) if sign.isalpha()]))
        wrong = span[line][:at] + draw(st.sampled_from("qxzjk")) + span[line][at + 1 :]
        new[line if line < added else line + 1] = span[line] = wrong
    drift = draw(st.sampled_from(DRIFTS))
    return "".join(f"{each}\n" for each in lines), drift("\n".join(span)), drift("\n".join(new))


@settings(max_examples=300, deadline=None)
@given(misspelt_edits())
def test_a_drifted_edit_changes_nothing_else_and_nothing_the_second_time(edit: tuple[str, str, str]) -> None:
    content, old, new = edit
    _hold_still_outside(content, old, new)
    try:
        once = apply_edit(content, old, new)
    except EditRefused:
        return
    assert "".join(line for line in split_keeping_ends(once) if "brand_new_line" not in line) == content
    with pytest.raises(EditRefused):
        apply_edit(once, old, new)


@settings(max_examples=150, deadline=None)
@given(JUNK, JUNK, JUNK)
def test_replacing_everywhere_is_done_or_refused(content: str, old: str, new: str) -> None:
    try:
        result = apply_edits(content, [TextEdit(old, new, replace_all=True)]).text
    except EditRefused:
        return
    assert result != content or not old


def _hold_still_outside(content: str, old: str, new: str) -> None:
    found = locate_match(content, old)
    try:
        result = apply_edit(content, old, new)
    except EditRefused:
        return
    if not old:
        assert content == ""
        assert result == new
        return
    assert not isinstance(found, Ambiguous | NotFound)
    above, below = _around(content, found.start, found.end)
    assert result.startswith(above)
    assert result.endswith(below)
    assert len(result) >= len(above) + len(below)


def _around(content: str, start: int, end: int) -> tuple[str, str]:
    """The lines before the first and after the last that the place touches."""
    place, above, below = 0, "", ""
    for line in split_keeping_ends(content):
        if place + len(line) <= start:
            above += line
        elif place >= max(end, start + 1):
            below += line
        place += len(line)
    return above, below


def _hard_edits() -> list[tuple[str, str, str, str]]:
    lines = [f"value_{number} = compute({number})" for number in range(20_000)]
    words = random.Random(3).choices(WORDS, k=60_000)
    long_line = " ".join(words)
    file = "\n".join(lines) + "\n"
    return [
        ("a long line, a part of it misspelt", long_line, "count_itmes self.value total", "x"),
        ("a long line, all of it misspelt", long_line, long_line.replace("total", "toatl", 1), "x"),
        ("one line over and over", "same()\n" * 20_000, "smae()\n" * 3, "x\n"),
        ("many lines of one kind", "same()\n" * 20_000, "same()\n" * 1_500 + "smae()\n", "x\n"),
        ("a needle as large as the file", file, file.replace("compute(7)", "comptue(7)"), "x\n"),
        ("a needle larger than the file", file, file + file, "x\n"),
        ("blank lines alone", "\n" * 20_000, "a\n" + "\n" * 500, "x\n"),
        ("literal newlines", file, "x = 1\\n" * 20_000, "y"),
        ("elisions", file, "...\n" * 5_000, "...\n"),
        ("marks", file, "".join(f"{number}: > + \n" for number in range(5_000)), "x\n"),
    ]


@pytest.mark.parametrize(("content", "old", "new"), [pytest.param(*edit, id=name) for name, *edit in _hard_edits()])
def test_text_that_is_made_to_be_hard_is_refused(content: str, old: str, new: str) -> None:
    with pytest.raises(EditRefused):
        apply_edit(content, old, new)


def test_a_new_text_of_many_lines_goes_in_where_the_old_one_drifted() -> None:
    added = "".join(f"  line_{number}()\n" for number in range(20_000))
    result = apply_edit("def f():\n    go()\n    stop()\n", "def f():\n  go()\n", "def f():\n  go()\n" + added)
    assert result == "def f():\n    go()\n" + added.replace("  line", "    line") + "    stop()\n"
