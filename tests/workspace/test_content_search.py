import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.ports.files import GrepMatch, GrepQuery, GrepResult
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.ripgrep import Ripgrep
from mulligan.workspace.files.ripgrep_output import MAX_LINE_CHARS, excerpt

Write = Callable[..., Path]


def places(result: GrepResult) -> list[str]:
    return [f"{match.path}:{match.line}" for match in result.matches]


async def test_matches_come_by_path_and_line_with_their_text(files: ProjectFiles, write: Write) -> None:
    write("b.py", "x\n  def run():\n")
    write("a/c.py", "def run():\r\ny\ndef run2():\n")

    result = await files.grep(GrepQuery(r"def \w+"))

    assert result == GrepResult(
        matches=(
            GrepMatch("a/c.py", 1, "def run():"),
            GrepMatch("a/c.py", 3, "def run2():"),
            GrepMatch("b.py", 2, "  def run():"),
        ),
        total=3,
        files=2,
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param(GrepQuery("a.c"), ["x.txt:1", "x.txt:2"], id="a regular expression"),
        pytest.param(GrepQuery("a.c", fixed=True), ["x.txt:2"], id="plain text"),
        pytest.param(GrepQuery("ABC"), [], id="case counts"),
        pytest.param(GrepQuery("ABC", ignore_case=True), ["x.txt:1"], id="case does not count"),
        pytest.param(GrepQuery("--flag"), ["x.txt:3"], id="a pattern like an option"),
        pytest.param(GrepQuery(r"(?<=--)flag"), ["x.txt:3"], id="a look-behind"),
        pytest.param(GrepQuery(r"end$"), ["x.txt:4"], id="the end of a Windows line"),
        pytest.param(GrepQuery("no such thing"), [], id="nothing"),
    ],
)
async def test_patterns_mean_what_they_say(
    files: ProjectFiles, write: Write, query: GrepQuery, found: list[str]
) -> None:
    write("x.txt", "abc\na.c\n--flag\nend\r\n")

    assert places(await files.grep(query)) == found


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        pytest.param("*.py", ["a.py:1", "src/b.py:1", "src/deep/c.py:1"], id="an ending"),
        pytest.param("*.{py,ts}", ["a.py:1", "src/b.py:1", "src/d.ts:1", "src/deep/c.py:1"], id="braces"),
        pytest.param("src/*.py", ["src/b.py:1"], id="a folder"),
        pytest.param("src/**/*.py", ["src/b.py:1", "src/deep/c.py:1"], id="a folder and below"),
        pytest.param("/*.py", ["a.py:1"], id="the top only"),
        pytest.param("'*.py'", ["a.py:1", "src/b.py:1", "src/deep/c.py:1"], id="quoted"),
        pytest.param("*.rs", [], id="nothing"),
    ],
)
async def test_a_glob_narrows_the_search_and_leaves_gitignore_in_force(
    files: ProjectFiles, write: Write, glob: str, found: list[str]
) -> None:
    write(".gitignore", "made.py\n")
    for path in ("a.py", "src/b.py", "src/deep/c.py", "src/d.ts", "src/made.py"):
        write(path, "needle\n")

    result = await files.grep(GrepQuery("needle", glob=glob))

    assert places(result) == found
    assert (result.total, result.files) == (len(found), len(found))


@pytest.mark.parametrize("path", ["src", "src/", "./src", "src/b.py", "{root}/src"])
async def test_the_path_may_be_a_folder_or_a_file(root: Path, files: ProjectFiles, write: Write, path: str) -> None:
    write("a.py", "needle\n")
    write("src/b.py", "needle\n")

    assert places(await files.grep(GrepQuery("needle", path.format(root=root)))) == ["src/b.py:1"]


async def test_a_file_that_is_named_is_searched_whatever_the_glob_or_gitignore_says(
    files: ProjectFiles, write: Write
) -> None:
    write(".gitignore", "*.log\n")
    write("a.log", "needle\n")

    assert places(await files.grep(GrepQuery("needle", "a.log", glob="*.py"))) == ["a.log:1"]


async def test_a_glob_that_can_not_be_read_is_rejected(files: ProjectFiles) -> None:
    with pytest.raises(CallRejected, match="not a valid glob") as refused:
        await files.grep(GrepQuery("x", glob="*.{py"))

    assert refused.value.kind == "exec_error"


async def test_what_must_not_be_seen_is_not_searched(root: Path, files: ProjectFiles, write: Write) -> None:
    hidden = (
        *(
            ".env",
            ".env.local",
            ".ENV.production",
            "server.pem",
            "id_rsa",
            "secrets.yml",
            ".aws/config",
            "x/.ssh/config",
        ),
        *(".git/config", ".mulligan/state", "sub/.git", "ignored.log"),
    )
    for path in hidden:
        write(path, "needle\n")
    write(".gitignore", "*.log\n")
    write(".env.example", "needle\n")
    (root / "link.txt").symlink_to(".env")
    (root / "out").symlink_to(root.parent / "outside")

    result = await files.grep(GrepQuery("needle|OUTSIDE"))

    assert (places(result), result.total, result.files) == ([".env.example:1"], 1, 1)


@pytest.mark.parametrize("path", [".env", ".aws", ".aws/config"])
async def test_searching_a_secret_by_name_is_denied(files: ProjectFiles, write: Write, path: str) -> None:
    write(".env", "needle\n")
    write(".aws/config", "needle\n")

    with pytest.raises(CallRejected, match="secrets") as refused:
        await files.grep(GrepQuery("needle", path))
    assert refused.value.kind == "permission_denied"


async def test_a_folder_that_is_called_like_a_secret_file_is_searched(files: ProjectFiles, write: Write) -> None:
    write("credentials/views.py", "needle\n")

    assert places(await files.grep(GrepQuery("needle", "credentials"))) == ["credentials/views.py:1"]


async def test_binary_files_are_passed_over_and_not_counted(files: ProjectFiles, write: Write) -> None:
    write("a.bin", b"needle\n\0needle\n")
    write("late.bin", b"needle\n" * 20_000 + b"\0")
    write("b.txt", "needle\n")

    for query in (GrepQuery("needle", limit=3), GrepQuery("needle", limit=100)):
        result = await files.grep(query)
        assert (places(result), result.total, result.files) == (["b.txt:1"], 1, 1)
    assert (await files.grep(GrepQuery("needle", "a.bin"))).total == 0


async def test_other_encodings_are_searched(files: ProjectFiles, write: Write) -> None:
    write("latin.txt", "café needle\n".encode("cp1252"))
    write("wide.txt", "café needle\n".encode("utf-16"))

    result = await files.grep(GrepQuery("needle"))

    assert [match.text for match in result.matches] == ["café needle", "café needle"]


async def test_the_limit_cuts_the_matches_and_not_the_total(files: ProjectFiles, write: Write) -> None:
    for name in ("a.txt", "b.txt"):
        write(name, "needle\n" * 50)

    result = await files.grep(GrepQuery("needle", limit=60))

    assert (len(result.matches), result.total, result.files) == (60, 100, 2)
    assert places(result)[-1] == "b.txt:10"


async def test_a_flood_is_cut_off_and_still_counted(root: Path, write: Write) -> None:
    for name in ("a.txt", "b.txt"):
        write(name, "needle and more\n" * 3_000)
    write(".env", "needle\n" * 10)
    files = ProjectFiles(root, ripgrep=Ripgrep(root, output_cap=50_000))

    result = await files.grep(GrepQuery("needle", limit=5))

    assert (len(result.matches), result.total, result.files) == (5, 6_000, 2)


async def test_a_search_that_takes_too_long_is_stopped_in_words(root: Path, write: Write) -> None:
    write("a.txt", "needle\n")
    files = ProjectFiles(root, ripgrep=Ripgrep(root, time_limit=0))

    with pytest.raises(CallRejected, match="took longer") as refused:
        await files.grep(GrepQuery("needle"))
    assert refused.value.kind == "exec_error"


async def test_many_searches_at_once_do_not_mix(files: ProjectFiles, write: Write) -> None:
    for number in range(8):
        write(f"{number}.txt", f"needle{number}\n")

    results = await asyncio.gather(*(files.grep(GrepQuery(f"needle{number}")) for number in range(8)))

    assert [places(result) for result in results] == [[f"{number}.txt:1"] for number in range(8)]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("print(", "unclosed group"), ("a[0", "unclosed character class"), ("*x", "repetition operator")],
)
async def test_a_pattern_that_is_no_expression_is_rejected_with_the_reason(
    files: ProjectFiles, pattern: str, words: str
) -> None:
    with pytest.raises(CallRejected, match=words) as refused:
        await files.grep(GrepQuery(pattern))

    assert refused.value.kind == "schema_reject"


@pytest.mark.parametrize("pattern", ["a\0b", "a\ud800b", "x" * 3_000_000], ids=["NUL", "surrogate", "too long"])
async def test_a_pattern_that_no_command_can_take_is_answered_in_words(files: ProjectFiles, pattern: str) -> None:
    with pytest.raises(CallRejected, match="could not be started") as refused:
        await files.grep(GrepQuery(pattern))

    assert refused.value.kind == "exec_error"
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("line", "start", "shown"),
    [
        pytest.param("short\r\n", 0, "short", id="a short line is whole"),
        pytest.param("x" * MAX_LINE_CHARS, 5, "x" * MAX_LINE_CHARS, id="one that just fits is whole"),
        pytest.param("a" * 500, 0, "a" * MAX_LINE_CHARS + "…", id="a match at the start"),
        pytest.param("a" * 500, 499, "…" + "a" * MAX_LINE_CHARS, id="a match at the end"),
        pytest.param("é" * 100 + "x" * 200 + "é" * 200, 200, "…" + "é" * 60 + "x" * 140 + "…", id="in characters"),
    ],
)
def test_a_long_line_is_cut_around_its_match(line: str, start: int, shown: str) -> None:
    assert excerpt(line.encode(), start) == shown
