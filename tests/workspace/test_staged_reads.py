"""The agent's own reads see what it staged, as if it were done."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.ports.files import GrepMatch, GrepQuery, GrepResult
from mulligan.types.changes import FileState
from mulligan.types.edits import TextEdit
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.ripgrep import Ripgrep
from tests.examples import examples
from tests.workspace.change_bench import ChangeBench, bench

__all__ = ["bench"]

Write = Callable[..., Path]
Staged = Mapping[str, bytes | None]


def seeing(root: Path, staged: Staged, *, ripgrep: Ripgrep | None = None) -> ProjectFiles:
    """The project with something staged."""
    images = {path: None if data is None else FileState(data) for path, data in staged.items()}

    async def source() -> Mapping[str, FileState | None]:
        return images

    return ProjectFiles(root, staged=source, ripgrep=ripgrep)


async def test_what_an_agent_stages_is_what_it_reads(bench: ChangeBench, write: Write) -> None:
    write("src/a.py", "x = 1\n")
    write("b.py", "y = 1\n")
    editing, files = bench.editing(), bench.files()

    await editing.edit("src/a.py", [TextEdit("x = 1", "x = 2")])
    await editing.create("new/c.py", "x = 3\n")
    await editing.delete("b.py")

    assert (await files.read_text("src/a.py")).lines == ("x = 2",)
    assert (await files.read_text("new/c.py")).lines == ("x = 3",)
    with pytest.raises(CallRejected, match=r"b\.py does not exist"):
        await files.read_text("b.py")
    assert [entry.name for entry in (await files.list_dir(".")).entries] == ["new/", "src/"]
    assert (await files.find_files("*.py", ".", 9)).paths == ("new/c.py", "src/a.py")
    found = await files.grep(GrepQuery(r"[xy] = \d"))
    assert [(match.path, match.text) for match in found.matches] == [("new/c.py", "x = 3"), ("src/a.py", "x = 2")]


async def test_what_was_applied_or_rejected_is_read_from_the_disk(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\n")
    editing, files = bench.editing(), bench.files()
    staged = await editing.edit("a.py", [TextEdit("x = 1", "x = 2")])

    await bench.pending.reject([staged.change])
    assert (await files.read_text("a.py")).lines == ("x = 1",)
    staged = await editing.edit("a.py", [TextEdit("x = 1", "x = 2")])
    await bench.apply(staged.change)
    assert (await files.read_text("a.py")).lines == ("x = 2",)


async def test_where_the_disk_changed_so_that_staged_edits_do_not_fit_the_disk_is_shown(
    bench: ChangeBench, write: Write
) -> None:
    file = write("a.py", "x = 1\n")
    await bench.editing().edit("a.py", [TextEdit("x = 1", "x = 2")])
    file.write_text("something else\n")

    assert (await bench.files().read_text("a.py")).lines == ("something else",)


async def test_what_took_the_place_of_a_staged_file_is_seen(bench: ChangeBench, write: Write) -> None:
    await bench.editing().create("a", "x\n")
    write("a/b.py", "y\n")

    assert (await bench.files().find_files("*", ".", 9)).paths == ("a/b.py",)


@pytest.mark.parametrize(
    "path", ["src/new.py", "./src/new.py", "`src/new.py`", "src/new.py:3", "project/src/new.py", "{root}/src/new.py"]
)
async def test_a_staged_file_is_found_however_its_path_is_written(root: Path, write: Write, path: str) -> None:
    write("src/old.py")
    files = seeing(root, {"src/new.py": b"new\n"})

    assert (await files.read_text(path.format(root=root))).path == "src/new.py"


async def test_a_file_is_read_through_a_link_as_it_is_staged(root: Path, write: Write) -> None:
    write("src/a.py", "old\n")
    (root / "link.py").symlink_to("src/a.py")
    (root / "linked").symlink_to("src")
    files = seeing(root, {"src/a.py": b"new\n", "src/b.py": b"b\n"})

    assert [(await files.read_text(path)).lines for path in ("link.py", "linked/a.py", "linked/b.py")] == [
        ("new",),
        ("new",),
        ("b",),
    ]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("gone.py", r"gone\.py does not exist", id="a deleted file"),
        pytest.param("link.py", r"link\.py does not exist", id="a deleted link"),
        pytest.param("src/new.p", r"Did you mean src/new\.py", id="near a staged file"),
        pytest.param("src/new.py/x", r"src/new\.py is a file, not a folder", id="below a staged file"),
        pytest.param("picture.png", "binary file, .*PNG", id="a staged picture"),
        pytest.param(".env", "secrets", id="a staged secret"),
        pytest.param("../outside/x", "outside", id="outside"),
    ],
)
async def test_what_is_not_there_to_read_is_said(root: Path, write: Write, path: str, words: str) -> None:
    write("gone.py")
    write("target.py")
    (root / "link.py").symlink_to("target.py")
    staged: Staged = {
        "gone.py": None,
        "link.py": None,
        "src/new.py": b"new\n",
        "picture.png": b"\x89PNG\0",
        ".env": b"TOKEN=1\n",
    }

    with pytest.raises(CallRejected, match=words):
        await seeing(root, staged).read_text(path)


async def test_a_folder_is_listed_as_it_will_be(root: Path, write: Write) -> None:
    write(".gitignore", "*.log\n")
    for path in ("src/a.py", "src/b.py", "src/deep/c.py"):
        write(path, "123")
    staged: Staged = {
        "src/a.py": b"12345",
        "src/b.py": None,
        "src/d.py": b"1",
        "src/new/e.py": b"1",
        "src/x.log": b"1",
        "only/staged/f.py": b"1",
    }
    files = seeing(root, staged)

    listing = await files.list_dir("src")
    assert [(entry.name, entry.size) for entry in listing.entries] == [
        ("deep/", None),
        ("new/", None),
        ("a.py", 5),
        ("d.py", 1),
    ]
    assert listing.hidden == 1
    assert [entry.name for entry in (await files.list_dir(".")).entries] == ["only/", "src/", ".gitignore"]
    assert [entry.name for entry in (await files.list_dir("only/staged")).entries] == ["f.py"]
    with pytest.raises(CallRejected, match=r"src/d\.py is a file; use view_file"):
        await files.list_dir("src/d.py")


async def test_files_are_found_as_they_will_be(root: Path, write: Write) -> None:
    write(".gitignore", "build/\n*.log\n")
    for path in ("src/a.py", "src/b.py", "build/old.py", "x.py"):
        write(path)
    staged: Staged = {
        "src/a.py": b"",
        "src/b.py": None,
        "src/c.py": b"",
        "build/new.py": b"",
        "build/old.py": b"",
        "only/d.py": b"",
        "y.log": b"",
    }
    files = seeing(root, staged)

    assert (await files.find_files("*", ".", 9)).paths == (".gitignore", "only/d.py", "src/a.py", "src/c.py", "x.py")
    assert (await files.find_files("*.py", "src", 1)).total == 2
    assert (await files.find_files("*.py", "only", 9)).paths == ("only/d.py",)
    assert (await files.find_files("*.py", "build", 9)).paths == ("build/new.py", "build/old.py")
    with pytest.raises(CallRejected, match="is not a folder"):
        await files.find_files("*", "src/c.py", 9)


async def test_a_search_counts_staged_texts_in_place_of_those_on_the_disk(root: Path, write: Write) -> None:
    write(".gitignore", "*.log\n")
    for path in ("a/z.py", "a.py", "b.py", "c.py", "gone.py"):
        write(path, "needle\n")
    staged: Staged = {
        "a.py": b"x\nneedle\nneedle\n",
        "b.py": b"nothing\n",
        "gone.py": None,
        "a/new.py": b"needle\n",
        "x.log": b"needle\n",
        ".env": b"needle\n",
        "wide.txt": "needle é\n".encode("utf-16"),
        "binary": b"needle\n\0",
    }
    files = seeing(root, staged)

    result = await files.grep(GrepQuery("needle"))
    assert result == GrepResult(
        matches=(
            GrepMatch("a/new.py", 1, "needle"),
            GrepMatch("a/z.py", 1, "needle"),
            GrepMatch("a.py", 2, "needle"),
            GrepMatch("a.py", 3, "needle"),
            GrepMatch("c.py", 1, "needle"),
            GrepMatch("wide.txt", 1, "needle é"),
        ),
        total=6,
        files=5,
    )
    cut = await files.grep(GrepQuery("needle", limit=3))
    assert (cut.matches, cut.total, cut.files) == (result.matches[:3], 6, 5)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param(GrepQuery("needle", "src"), ["src/a.py", "src/b.txt"], id="a folder"),
        pytest.param(GrepQuery("needle", "src", glob="*.py"), ["src/a.py"], id="a glob"),
        pytest.param(GrepQuery("needle", "src/b.txt", glob="*.py"), ["src/b.txt"], id="a staged file by name"),
        pytest.param(GrepQuery("needle", "c.py"), ["c.py"], id="a file on the disk by name"),
        pytest.param(GrepQuery("needle", "new"), ["new/d.py"], id="a folder that is only staged"),
        pytest.param(GrepQuery("needle", "x.log"), ["x.log"], id="an ignored staged file by name"),
        pytest.param(GrepQuery("needle", "logs"), ["logs/y.py"], id="an ignored folder by name"),
        pytest.param(GrepQuery("old words"), [], id="what is on the disk no more"),
    ],
)
async def test_a_search_keeps_to_its_place(root: Path, write: Write, query: GrepQuery, found: list[str]) -> None:
    write(".gitignore", "*.log\nlogs/\n")
    write("src/a.py", "old words\n")
    write("c.py", "needle\n")
    staged: Staged = {
        "src/a.py": b"needle\n",
        "src/b.txt": b"needle\n",
        "new/d.py": b"needle\n",
        "x.log": b"needle\n",
        "logs/y.py": b"needle\n",
    }

    result = await seeing(root, staged).grep(query)

    assert [match.path for match in result.matches] == found
    assert (result.total, result.files) == (len(found), len(found))


async def test_a_staged_gitignore_hides_nothing_of_what_is_staged(root: Path) -> None:
    result = await seeing(root, {".gitignore": b"*.py\n", "a.py": b"needle\n"}).grep(GrepQuery("needle"))

    assert [match.path for match in result.matches] == ["a.py"]


async def test_a_secret_is_not_searched_by_name_though_it_is_staged(root: Path) -> None:
    with pytest.raises(CallRejected, match="secrets"):
        await seeing(root, {".env": b"needle\n"}).grep(GrepQuery("needle", ".env"))


async def test_a_flood_is_counted_without_the_texts_on_the_disk(root: Path, write: Write) -> None:
    for name in ("a.txt", "b.txt"):
        write(name, "needle and more\n" * 3_000)
    small = Ripgrep(root, output_cap=50_000)

    result = await seeing(root, {"b.txt": b"needle\n" * 2_000}, ripgrep=small).grep(GrepQuery("needle", limit=5))

    assert (len(result.matches), result.total, result.files) == (5, 5_000, 2)


names = st.sampled_from(["a.py", "b.py", "src/a.py", "src/b.py", "src/deep/c.py", "new/d.py", "x.log"])
texts = st.sampled_from([b"needle\n", b"needle\nx\nneedle\n", b"nothing\n", b""])


@settings(max_examples=examples(12), deadline=None)
@given(on_disk=st.dictionaries(names, texts), staged=st.dictionaries(names, st.none() | texts))
async def test_staged_or_done_reads_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, on_disk: dict[str, bytes], staged: dict[str, bytes | None]
) -> None:
    root, done = (tmp_path_factory.mktemp(name).resolve() for name in ("root", "done"))
    final = {path: data for path, data in (on_disk | staged).items() if data is not None}
    for folder, tree in ((root, on_disk), (done, final)):
        (folder / ".gitignore").write_text("*.log\n")
        for path, data in tree.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    differing = {path: data for path, data in staged.items() if on_disk.get(path) != data}

    seen, real = seeing(root, differing), ProjectFiles(done)

    assert await seen.find_files("*", ".", 99) == await real.find_files("*", ".", 99)
    for limit in (2, 99):
        query = GrepQuery("needle", limit=limit)
        assert await seen.grep(query) == await real.grep(query)
    for path in final:
        assert await seen.read_text(path) == await real.read_text(path)
