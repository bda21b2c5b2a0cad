import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mulligan.ports.files import FileText
from mulligan.tools.view_file import MAX_RESULT_CHARS, ViewFile, show_lines
from mulligan.types.tool_calls import Succeeded
from mulligan.workspace.files.project_files import ProjectFiles

Write = Callable[..., Path]
Call = Callable[..., Awaitable[str]]
Refused = Callable[..., Awaitable[tuple[str, str]]]


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


async def test_a_short_file_is_shown_whole(write: Write, call: Call) -> None:
    write("src/app.py", "import os\n\nprint(os)\n")

    assert await call("view_file", path="src/app.py") == (
        "src/app.py (lines 1-3 of 3)\n1: import os\n2: \n3: print(os)"
    )


async def test_two_hundred_lines_are_shown_by_default_and_how_to_go_on(write: Write, call: Call) -> None:
    write("a.txt", numbered(640))

    shown = (await call("view_file", path="a.txt")).split("\n")

    assert shown[0] == "a.txt (lines 1-200 of 640)"
    assert (shown[1], shown[200]) == ("  1: line 1", "200: line 200")
    assert shown[201:] == ["[lines 201-640 not shown; call view_file with start_line=201]"]


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        pytest.param({"start_line": 201}, 201, 400, id="200 lines from a start"),
        pytest.param({"start_line": 600}, 600, 640, id="up to the end"),
        pytest.param({"end_line": 5}, 1, 5, id="up to a line"),
        pytest.param({"start_line": 7, "end_line": 7}, 7, 7, id="one line"),
        pytest.param({"start_line": 630, "end_line": 9999}, 630, 640, id="beyond the end"),
        pytest.param({"start_line": 10, "end_line": 640}, 10, 509, id="at most 500"),
        pytest.param({"start_line": 0, "end_line": 3}, 1, 3, id="from 0"),
        pytest.param({"start_line": "3", "end_line": "4"}, 3, 4, id="numbers as text"),
        pytest.param({"start_line": 640, "end_line": None}, 640, 640, id="no end"),
    ],
)
async def test_a_range_is_inclusive_and_bounded(
    write: Write, call: Call, arguments: dict[str, Any], first: int, last: int
) -> None:
    write("a.txt", numbered(640))

    shown = (await call("view_file", path="a.txt", **arguments)).split("\n")

    assert shown[0] == f"a.txt (lines {first}-{last} of 640)"
    assert [line.strip() for line in shown[1 : last - first + 2]] == [
        f"{number}: line {number}" for number in range(first, last + 1)
    ]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        pytest.param(
            {"start_line": 4}, "exec_error", "a.txt has 3 lines; there is no line 4", id="start beyond the end"
        ),
        pytest.param(
            {"start_line": 3, "end_line": 2}, "schema_reject", "end_line (2) is before", id="end before start"
        ),
        pytest.param({"end_line": -1}, "schema_reject", "end_line (-1) is before", id="a negative end"),
        pytest.param({"start_line": -5}, "schema_reject", "numbered from 1", id="a negative start"),
        pytest.param({"start_line": "abc"}, "schema_reject", "start_line: ", id="no number"),
        pytest.param({"lines": 5}, "schema_reject", "lines: ", id="an unknown argument"),
    ],
)
async def test_a_range_that_makes_no_sense_is_answered_in_words(
    write: Write, refused: Refused, arguments: dict[str, Any], kind: str, words: str
) -> None:
    write("a.txt", numbered(3))

    failure = await refused("view_file", path="a.txt", **arguments)

    assert failure[0] == kind
    assert words in failure[1]


async def test_an_empty_file_is_said_to_be_empty(write: Write, call: Call, refused: Refused) -> None:
    write("a.txt")

    assert await call("view_file", path="a.txt") == "a.txt is empty (0 lines)."
    assert await refused("view_file", path="a.txt", start_line=2) == (
        "exec_error",
        "a.txt has 0 lines; there is no line 2.",
    )


async def test_another_encoding_is_named(root: Path, call: Call) -> None:
    (root / "a.txt").write_bytes("café\n".encode("cp1252"))

    assert await call("view_file", path="a.txt") == "a.txt (lines 1-1 of 1, decoded as cp1252)\n1: café"


async def test_an_over_long_line_is_cut_with_a_mark(write: Write, call: Call) -> None:
    write("a.txt", "x" * 1_500 + "\nnext\n")

    shown = (await call("view_file", path="a.txt")).split("\n")

    assert shown[1:] == [f"1: {'x' * 500}… [1000 more characters]", "2: next"]


async def test_a_result_stays_within_its_size_and_says_where_to_go_on(write: Write, call: Call) -> None:
    write("a.txt", f"{'x' * 400}\n" * 200)

    shown = await call("view_file", path="a.txt")

    last = int(shown.split("\n")[-2].split(":")[0])
    assert 40 < last < 200
    assert len(shown) < MAX_RESULT_CHARS + 200
    assert shown.startswith(f"a.txt (lines 1-{last} of 200)")
    assert shown.endswith(f"[lines {last + 1}-200 not shown; call view_file with start_line={last + 1}]")


async def test_a_missing_file_is_refused_with_the_nearest_name(write: Write, refused: Refused) -> None:
    write("src/app.py")

    assert await refused("view_file", path="app.py") == (
        "exec_error",
        "app.py does not exist in the project. Did you mean src/app.py?",
    )


LINE = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=30)


@settings(deadline=None)
@given(
    lines=st.lists(LINE, min_size=1, max_size=40),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    start=st.integers(1, 40),
    length=st.integers(1, 40),
)
async def test_the_numbered_lines_are_exactly_the_lines_of_the_file(
    lines: list[str], ending: str, start: int, length: int
) -> None:
    assume(not lines[0].startswith("\ufeff"))
    start = 1 + start % len(lines)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.txt").write_bytes("".join(line + ending for line in lines).encode())
        tool = ViewFile(ProjectFiles(Path(folder)))

        outcome = await tool.run({"path": "a.txt", "start_line": start, "end_line": start + length - 1})

    expected = lines[start - 1 : start - 1 + length]
    assert isinstance(outcome, Succeeded)
    header, *shown = outcome.content.split("\n")
    assert header == f"a.txt (lines {start}-{start + len(expected) - 1} of {len(lines)})"
    for number, (line, text) in enumerate(zip(shown, expected, strict=False), start):
        assert line.lstrip(" ") == f"{number}: {text}"
    rest = shown[len(expected) :]
    assert len(rest) == (1 if start + len(expected) <= len(lines) else 0)


@settings(deadline=None)
@given(
    widths=st.lists(st.integers(0, 3_000), min_size=1, max_size=900),
    length=st.integers(1, 600),
)
def test_following_the_directions_shows_every_line_once(widths: list[int], length: int) -> None:
    file = FileText("a.txt", tuple("x" * width for width in widths), "utf-8")
    seen: list[int] = []
    start = 1
    while start <= len(widths):
        shown = show_lines(file, start, start + length - 1)
        body = [line for line in shown.split("\n")[1:] if not line.startswith("[")]
        seen += [int(line.split(":")[0]) for line in body]
        start += len(body)

    assert seen == list(range(1, len(widths) + 1))
