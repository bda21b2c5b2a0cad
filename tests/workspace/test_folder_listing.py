import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mulligan.ports.files import DirEntry
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.project_files import ProjectFiles
from tests.examples import examples
from tests.odd_files import ODD_FILES

Write = Callable[..., Path]
Git = Callable[..., str]


async def names(files: ProjectFiles, path: str = ".") -> list[str]:
    return [entry.name for entry in (await files.list_dir(path)).entries]


async def walk(files: ProjectFiles, path: str = ".") -> list[str]:
    """All files that listings lead to, folder by folder."""
    found: list[str] = []
    for name in await names(files, path):
        inner = name if path == "." else f"{path}/{name}"
        found += await walk(files, inner.rstrip("/")) if name.endswith("/") else [inner]
    return sorted(found)


async def test_folders_come_first_and_names_are_sorted(files: ProjectFiles, write: Write) -> None:
    for path in ("b.txt", "A.txt", "zoo/x", "Bar/x", ".hidden"):
        write(path, "12345")

    listing = await files.list_dir(".")

    assert [entry.name for entry in listing.entries] == ["Bar/", "zoo/", ".hidden", "A.txt", "b.txt"]
    assert listing.entries[0] == DirEntry("Bar/", None)
    assert listing.entries[-1] == DirEntry("b.txt", 5)
    assert (listing.path, listing.hidden) == (".", 0)


async def test_internal_folders_are_neither_listed_nor_counted(files: ProjectFiles, write: Write, git: Git) -> None:
    git("init", "-q")
    write(".mulligan/state", "x")
    write("a.txt", "x")

    listing = await files.list_dir(".")

    assert ([entry.name for entry in listing.entries], listing.hidden) == (["a.txt"], 0)


async def test_the_names_of_secrets_may_be_seen(files: ProjectFiles, write: Write) -> None:
    write(".env", "x")
    write(".ssh/id_rsa", "x")

    assert await names(files) == [".ssh/", ".env"]
    assert await names(files, ".ssh") == ["id_rsa"]


@pytest.mark.parametrize("in_git", [True, False], ids=["in a repository", "outside of one"])
async def test_what_gitignore_covers_is_left_out_and_counted(
    files: ProjectFiles, write: Write, git: Git, in_git: bool
) -> None:
    if in_git:
        git("init", "-q")
    write(".gitignore", "*.log\n/build/\n!keep.log\n")
    write("sub/.gitignore", "local.txt\n!again.log\n")
    for path in ("a.log", "keep.log", "build/x", "sub/local.txt", "sub/again.log", "sub/b.log", "sub/build/x"):
        write(path)

    top = await files.list_dir(".")
    sub = await files.list_dir("sub")

    assert ([entry.name for entry in top.entries], top.hidden) == (["sub/", ".gitignore", "keep.log"], 2)
    assert ([entry.name for entry in sub.entries], sub.hidden) == (["build/", ".gitignore", "again.log"], 2)


async def test_an_ignored_folder_is_listed_when_asked_for_by_name(files: ProjectFiles, write: Write) -> None:
    write(".gitignore", "vendor/\n*.js\n")
    write("vendor/lib/a.js")

    assert await names(files, "vendor/lib") == ["a.js"]


async def test_the_repository_own_exclude_file_counts(files: ProjectFiles, write: Write, git: Git) -> None:
    git("init", "-q")
    write(".git/info/exclude", "private/\n")
    write("private/x")
    write("a.txt")

    assert await names(files) == ["a.txt"]
    assert await walk(files) == list((await files.find_files("**", ".", 10)).paths)


async def test_the_exclude_file_counts_in_a_linked_work_tree(root: Path, write: Write, git: Git) -> None:
    write("main/a.txt")
    main, linked = root / "main", root / "linked"
    git("init", "-q", folder=main)
    git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "first", folder=main)
    git("worktree", "add", "-q", str(linked), folder=main)
    write("main/.git/info/exclude", "private/\n")
    write("linked/private/x")
    write("linked/b.txt")

    assert await names(ProjectFiles(linked)) == ["b.txt"]


async def test_rules_of_the_repository_around_the_project_count(root: Path, write: Write, git: Git) -> None:
    git("init", "-q")
    write(".gitignore", "node_modules/\n/package/dist\n")
    for path in ("package/node_modules/x", "package/dist/x", "package/a.js"):
        write(path)
    package = ProjectFiles(root / "package")

    assert await names(package) == ["a.js"]
    assert (await package.find_files("**", ".", 10)).paths == ("a.js",)


@pytest.mark.parametrize("in_git", [True, False], ids=["kept in git", "not kept in git"])
async def test_a_home_folder_that_ignores_everything_does_not_hide_the_project(
    root: Path, write: Write, git: Git, in_git: bool
) -> None:
    if in_git:
        git("init", "-q")
    write(".gitignore", "*\n")
    write("project/.gitignore", "*.log\n")
    for path in ("project/src/a.py", "project/src/a.log"):
        write(path)
    project = ProjectFiles(root / "project")

    assert await names(project, "src") == ["a.py"]
    assert (await project.find_files("a", "src", 10)).paths == ("src/a.py",)


async def test_a_rule_that_git_can_not_read_spoils_no_other(files: ProjectFiles, write: Write) -> None:
    write(".gitignore", b"\xef\xbb\xbf*.bom\r\n!\n//\n\xff\xfe\n*.log\n")
    for path in ("a.bom", "a.log", "a.txt"):
        write(path)

    assert await names(files) == [".gitignore", "a.txt"]


async def test_links_and_odd_entries_are_listed(root: Path, files: ProjectFiles, write: Write) -> None:
    write("src/a.py", "123")
    (root / "folder_link").symlink_to("src")
    (root / "dangling").symlink_to("nothing")
    os.mkfifo(root / "pipe")

    assert await names(files) == ["folder_link/", "src/", "dangling", "pipe"]


async def test_names_that_can_not_be_shown_are_made_showable(root: Path, files: ProjectFiles) -> None:
    (root / "two\nlines").touch()
    os.close(os.open(os.fsencode(root) + b"/latin\xe9", os.O_CREAT))

    listed = await names(files)

    assert listed == ["latin\ufffd", "two\ufffdlines"]
    assert list((await files.find_files("*", ".", 10)).paths) == listed


@pytest.mark.parametrize(
    ("path", "words"),
    [("a.txt", "is a file; use view_file"), ("nowhere", "does not exist"), ("srcs", "Did you mean src?")],
)
async def test_what_is_no_folder_is_answered_in_words(files: ProjectFiles, write: Write, path: str, words: str) -> None:
    write("a.txt")
    write("src/deep/x")

    with pytest.raises(CallRejected) as refused:
        await files.list_dir(path)
    assert refused.value.kind == "exec_error"
    assert words in str(refused.value)


RULES = st.lists(
    st.sampled_from(
        [
            *("*.log", "!*.log", "a", "a/", "/a", "!a/", "b/*", "!b/c", "*", "!*/", "!*.txt", "a/**/c", "**/b"),
            *("b.tx?", "[ab].log", "# note", "", "\\#x", "a/b/", "/*", "!/a", "c*", "  ", "b/**"),
            *("*/b", "a/*/c", "b.tx[!a]", "\\!x", "c.md ", "**/", "!**/c/", "x.*", "b/**/*.log", "[", "**/c/**"),
        ]
    ),
    max_size=5,
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rules=st.tuples(RULES, RULES))
async def test_listings_searches_and_git_agree_on_what_is_ignored(
    root: Path, files: ProjectFiles, write: Write, git: Git, rules: tuple[list[str], list[str]]
) -> None:
    if not (root / ".git").exists():
        git("init", "-q")
        folders = ("", "a/", "b/", "a/b/", "a/b/c/", "b/c/")
        for path in (f"{folder}{name}" for folder in folders for name in ("x.log", "b.txt", "a.log", "c.md")):
            write(path)
    write(".gitignore", "\n".join(rules[0]))
    write("a/.gitignore", "\n".join(rules[1]))

    visible = sorted(git("ls-files", "--others", "--exclude-standard").splitlines())

    assert await walk(files) == visible
    assert list((await files.find_files("**", ".", 100)).paths) == visible


@pytest.mark.parametrize(("make", "words"), ODD_FILES)
@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude", ".git"])
async def test_rules_that_are_no_file_hide_nothing(
    root: Path, files: ProjectFiles, place: str, make: Callable[[Path], None], words: str
) -> None:
    assert words
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    make(root / place)
    (root / "a.txt").write_text("x")

    assert "a.txt" in [entry.name for entry in (await files.list_dir(".")).entries]
