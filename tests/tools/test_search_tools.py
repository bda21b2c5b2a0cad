from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from mulligan.ports.tools import Tool
from mulligan.types.tool_calls import Succeeded

Write = Callable[..., Path]
Call = Callable[..., Awaitable[str]]
Refused = Callable[..., Awaitable[tuple[str, str]]]


async def test_grep_shows_places_and_counts(write: Write, call: Call) -> None:
    write("a.py", "def run():\n")
    write("b.py", "x\n    def run():\n")

    assert await call("grep", pattern="def run") == (
        "2 matching lines in 2 files:\na.py:1: def run():\nb.py:2:     def run():"
    )


@pytest.mark.parametrize("pattern", ["def run", "run("])
async def test_grep_tells_of_which_files_it_shows_lines(write: Write, tools: Mapping[str, Tool], pattern: str) -> None:
    for path in ("b.py", "a.py", "c.py"):
        write(path, "x\n" if path == "c.py" else "def run():\ndef run():\n")

    outcome = await tools["grep"].run({"pattern": pattern})

    assert isinstance(outcome, Succeeded)
    assert sorted(outcome.trace.read) == ["a.py", "b.py"]


async def test_grep_counts_one_in_the_singular(write: Write, call: Call) -> None:
    write("a.py", "def run():\n")

    assert (await call("grep", pattern="def run", glob="")).startswith("1 matching line in 1 file:\n")


async def test_grep_says_how_many_of_how_many_are_shown(write: Write, call: Call) -> None:
    write("a.txt", "needle\n" * 100)

    shown = (await call("grep", pattern="needle")).split("\n")

    assert shown[0].startswith("The first 60 of 100 matching lines in 1 file; narrow the search")
    assert len(shown) == 61


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({}, "No line matches 'needle' in the project. Files that .gitignore covers", id="the project"),
        pytest.param({"path": "src"}, "in src.", id="a folder"),
        pytest.param({"glob": "*.py"}, "in files like *.py.", id="a glob"),
        pytest.param({}, "Try ignore_case or a shorter pattern.", id="what to try"),
        pytest.param({"fixed": True, "ignore_case": True, "glob": "*"}, "Try no glob.", id="what is left to try"),
        pytest.param({"pattern": r"a\|b"}, r"Alternatives are separated by |, not by \|", id="another dialect"),
    ],
)
async def test_a_search_that_finds_nothing_succeeds_and_helps(
    write: Write, call: Call, arguments: dict[str, str], words: str
) -> None:
    write("src/app.py", "hay\n")

    assert words in await call("grep", **{"pattern": "needle", **arguments})


async def test_grep_takes_an_unreadable_expression_as_plain_text_and_says_so(write: Write, call: Call) -> None:
    write("a.py", "print(x)\n")

    assert await call("grep", pattern="print(") == (
        "Not a regular expression (unclosed group), so it was searched for as plain text.\n"
        "1 matching line in 1 file:\na.py:1: print(x)"
    )


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        pytest.param({"pattern": ""}, "schema_reject", "pattern: ", id="an empty pattern"),
        pytest.param({}, "schema_reject", "pattern: Field required", id="no pattern"),
        pytest.param({"pattern": "x", "path": ".."}, "permission_denied", "outside", id="a path outside"),
        pytest.param({"pattern": "x", "path": "nowhere"}, "exec_error", "does not exist", id="a missing path"),
        pytest.param({"pattern": "x", "glob": "*.{a"}, "exec_error", "not a valid glob", id="a broken glob"),
    ],
)
async def test_grep_refuses_in_words(refused: Refused, arguments: dict[str, str], kind: str, words: str) -> None:
    failure = await refused("grep", **arguments)

    assert failure[0] == kind
    assert words in failure[1]


async def test_find_files_shows_one_path_a_line(write: Write, call: Call) -> None:
    for path in ("src/turn.py", "tests/test_turn.py", "a.txt"):
        write(path)

    assert await call("find_files", pattern="turn") == "src/turn.py\ntests/test_turn.py"
    assert await call("find_files", pattern="*.py", path="src") == "src/turn.py"


async def test_find_files_says_what_was_cut_off(write: Write, call: Call) -> None:
    for number in range(130):
        write(f"{number:03}.txt")

    shown = (await call("find_files", pattern="*.txt")).split("\n")

    assert (len(shown), shown[0]) == (101, "000.txt")
    assert shown[-1] == "[30 more of 130 not shown; narrow the pattern or the path]"


async def test_find_files_that_finds_nothing_succeeds_and_says_where_it_looked(call: Call) -> None:
    assert await call("find_files", pattern="*.rs") == (
        "No file fits '*.rs' in the project. Files that .gitignore covers were not looked at."
    )


async def test_list_dir_shows_folders_files_and_sizes(write: Write, call: Call) -> None:
    write("src/a.py")
    write("b.txt", "x" * 2_500)
    write("c.bin", "x" * 3_400_000)
    write("d.log", "x")
    write(".gitignore", "*.log\n")

    assert await call("list_dir") == (
        "The project (4 entries; 1 more that .gitignore covers):\n"
        "src/\n.gitignore (6 B)\nb.txt (2.5 kB)\nc.bin (3.4 MB)"
    )
    assert await call("list_dir", path="src/") == "src/ (1 entry):\na.py (0 B)"


async def test_list_dir_says_that_a_folder_is_empty(root: Path, call: Call) -> None:
    (root / "void").mkdir()

    assert await call("list_dir", path="void") == "void/ is empty."


async def test_list_dir_says_what_was_cut_off(write: Write, call: Call) -> None:
    for number in range(205):
        write(f"{number:03}.txt")

    shown = (await call("list_dir", path=".")).split("\n")

    assert shown[0] == "The project (205 entries):"
    assert shown[-1] == "[5 more not shown; use find_files to look among them]"
    assert len(shown) == 202
