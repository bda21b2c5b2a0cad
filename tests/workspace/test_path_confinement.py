import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.ports.files import GrepQuery
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.paths import Located, Missing, locate
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.targets import meant_paths
from tests.examples import examples


def found(root: Path, path: str) -> str:
    located = locate(root, path)
    assert isinstance(located, Located), f"{path!r} was not found"
    return located.relative


@pytest.fixture
def app(write: Callable[..., Path]) -> Path:
    return write("src/app.py", "inside\n")


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        "./src/app.py",
        "src//app.py",
        "src/app.py/",
        "src/../src/./app.py",
        "nowhere/../src/app.py",
        "../project/src/app.py",
        "src\\app.py",
        ".\\src\\app.py",
        '"src/app.py"',
        "'src/app.py'",
        "`src/app.py`",
        "  src/app.py\n",
        "src/app.py:12",
        "src/app.py:12:5",
        "src/app.py:12-20",
        "src/app.py#L12",
        "src/app.py#L12-L20",
        "src/app.py:",
        "`src/app.py:12`",
        "/src/app.py",
        "{root}/src/app.py",
        "{root}/src/app.py:3",
    ],
)
@pytest.mark.usefixtures("app")
def test_the_ways_in_which_models_write_a_path_all_lead_to_the_file(root: Path, path: str) -> None:
    assert found(root, path.format(root=root)) == "src/app.py"


@pytest.mark.parametrize("path", ["", ".", "./", "/", "//", "{root}", "{root}/", "src/.."])
@pytest.mark.usefixtures("app")
def test_the_project_itself_has_several_names(root: Path, path: str) -> None:
    assert found(root, path.format(root=root)) == "."


@pytest.mark.parametrize("name", ["notes:12", "back\\slash.txt", "'quoted'", " padded ", "~", "#L3"])
def test_a_file_that_is_really_called_so_is_found_by_its_literal_name(
    root: Path, write: Callable[..., Path], name: str
) -> None:
    write(name, "literal")
    write("notes", "other")

    assert found(root, name) == name


@pytest.mark.parametrize("path", ["project/src/app.py", "project/src/app.py:3", "./project/src/app.py"])
@pytest.mark.usefixtures("app")
def test_a_path_that_begins_with_the_projects_own_name_is_found(root: Path, path: str) -> None:
    assert root.name == "project"
    assert found(root, path) == "src/app.py"


def test_a_folder_called_like_the_project_comes_first(root: Path, app: Path, write: Callable[..., Path]) -> None:
    write(f"project/{app.relative_to(root)}", "inner")
    assert found(root, "project/src/app.py") == "project/src/app.py"


def test_a_home_path_that_lies_inside_the_project_is_found(
    root: Path, app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))

    assert found(root, "~/project/src/app.py") == str(app.relative_to(root))


def test_an_absolute_path_through_another_name_of_the_project_is_found(root: Path, app: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)

    assert found(root, f"{alias}/src/app.py") == str(app.relative_to(root))


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../outside/private.txt",
        "src/../../outside/private.txt",
        "../nowhere",
        "{parent}/outside/private.txt",
        "{parent}",
        "/etc/passwd",
        "~",
        "~/outside",
        "..\\outside\\private.txt",
        "'../outside/private.txt'",
        "../outside/private.txt:1",
        "{root}2",
        "out/private.txt",
        "out",
        "private_link",
        "dangling_out",
    ],
)
@pytest.mark.usefixtures("app")
async def test_what_lies_outside_the_project_is_denied(
    root: Path, files: ProjectFiles, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))
    (root.parent / "project2").mkdir()
    (root / "out").symlink_to(root.parent / "outside")
    (root / "private_link").symlink_to(root.parent / "outside" / "private.txt")
    (root / "dangling_out").symlink_to(root.parent / "outside" / "nothing")
    path = path.format(root=root, parent=root.parent)

    for call in (files.read_text(path), files.list_dir(path), files.grep(GrepQuery("OUTSIDE", path))):
        with pytest.raises(CallRejected, match="outside the project") as refused:
            await call
        assert refused.value.kind == "permission_denied"


@pytest.mark.parametrize(
    "spelt",
    [
        "{folder}/x.sql",
        "/{folder}/x.sql",
        "{root}/{folder}/x.sql",
        "project/{folder}/x.sql",
        "`{folder}/x.sql`",
        "'{folder}/x.sql'",
        "{folder}/x.sql:12",
        "{folder}//./x.sql",
        "src/../{folder}/x.sql",
    ],
)
@pytest.mark.parametrize("folder", ["migrations", "link"])
@pytest.mark.parametrize("there", [True, False])
def test_a_rule_about_a_file_meets_every_spelling(
    root: Path, write: Callable[..., Path], spelt: str, folder: str, *, there: bool
) -> None:
    write("migrations/x.sql" if there else "migrations/other.sql", "")
    (root / "link").symlink_to("migrations")
    given = spelt.format(folder=folder, root=root)
    assert meant_paths(root, given)[0] == "migrations/x.sql"
    if "`" not in given:
        assert meant_paths(root, given.replace("/", "\\"))[0] == "migrations/x.sql"


def test_a_path_that_leads_out_is_judged_as_it_is_written(root: Path) -> None:
    assert meant_paths(root, "/etc/passwd") == ("/etc/passwd",)
    assert meant_paths(root, "\0") == ("\0",)


def test_an_absolute_path_that_exists_nowhere_is_read_from_the_project(root: Path) -> None:
    assert locate(root, "/nowhere/at/all.py") == Missing("nowhere/at/all.py")


@pytest.mark.parametrize("path", [".git/config", ".git", "sub/.git/HEAD", ".GIT/config", ".mulligan/x", ".git/nothing"])
async def test_internal_folders_are_closed(files: ProjectFiles, write: Callable[..., Path], path: str) -> None:
    for existing in (".git/config", ".GIT/config", "sub/.git/HEAD", ".mulligan/x"):
        write(existing, "internal")

    for call in (files.read_text(path), files.list_dir(path), files.grep(GrepQuery("internal", path))):
        with pytest.raises(CallRejected, match="not open to tools") as refused:
            await call
        assert refused.value.kind == "permission_denied"


async def test_a_link_into_an_internal_folder_is_closed(
    root: Path, files: ProjectFiles, write: Callable[..., Path]
) -> None:
    write(".git/config", "internal")
    (root / "config").symlink_to(".git/config")

    with pytest.raises(CallRejected, match="not open to tools"):
        await files.read_text("config")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        pytest.param("notes.txt", ".env", id="a link with a harmless name to a secret"),
        pytest.param(".env", "notes.txt", id="a link with the name of a secret"),
        pytest.param("plain.txt", ".aws/config", id="a link into a secret folder"),
    ],
)
async def test_a_link_does_not_open_a_secret(
    root: Path, files: ProjectFiles, write: Callable[..., Path], name: str, target: str
) -> None:
    write(target, "password")
    (root / name).symlink_to(target)

    for call in (files.read_text(name), files.grep(GrepQuery("password", name))):
        with pytest.raises(CallRejected, match="secrets") as refused:
            await call
        assert refused.value.kind == "permission_denied"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("a\0b", "character", id="a NUL byte"),
        pytest.param("a\ud800b", "character", id="half of a surrogate pair"),
        pytest.param("x" * 300, "longer", id="a name too long"),
        pytest.param("ä" * 200, "longer", id="a name too long in bytes only"),
        pytest.param("/".join(["deep"] * 3000), "longer", id="a path too long"),
        pytest.param("src/app.py/inner", "src/app.py is a file", id="a file on the way"),
    ],
)
@pytest.mark.usefixtures("app")
async def test_a_path_that_can_not_be_is_answered_in_words(files: ProjectFiles, path: str, words: str) -> None:
    with pytest.raises(CallRejected, match=words) as refused:
        await files.read_text(path)

    assert refused.value.kind == "exec_error"


@pytest.mark.parametrize("path", ["loop/../link", "knot", "nowhere/../loop/../link"])
async def test_a_loop_of_links_does_not_hide_a_link_that_leads_out(root: Path, files: ProjectFiles, path: str) -> None:
    (root / "loop").symlink_to("loop")
    (root / "knot").symlink_to("loop/../link")
    (root / "link").symlink_to(root.parent / "outside" / "private.txt")

    for call in (files.read_text(path), files.grep(GrepQuery("OUTSIDE", path))):
        with pytest.raises(CallRejected, match="circles"):
            await call


@pytest.fixture(scope="module")
def maze() -> Iterator[Path]:
    """A project full of links, some of which lead out."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        (top / "outside" / "src").mkdir(parents=True)
        for private in ("outside/private.txt", "outside/src/app.py", "private.txt"):
            (top / private).write_text("OUTSIDE")
        root = top / "project"
        (root / "src" / "deep").mkdir(parents=True)
        for own in ("src/app.py", "src/deep/app.py", "private.txt"):
            (root / own).write_text("INSIDE")
        links = {
            "out": "../outside",
            "up": "..",
            "src/here": ".",
            "src/deep/top": "../../..",
            "loop": "loop",
            "file": "../outside/private.txt",
            "absolute": str(top / "outside"),
            "around": "../project/src",
            "knot": "loop/../file",
            "knots": "loop/../knot",
        }
        for name, target in links.items():
            (root / name).symlink_to(target)
        yield root


PARTS = st.sampled_from(
    [
        *("..", ".", "", "~", "src", "deep", "app.py", "private.txt", "project", "outside"),
        *("out", "up", "here", "top", "loop", "file", "absolute", "around", "knot", "knots", "ROOT", "TOP", "nowhere"),
    ]
)
SEPARATORS = st.sampled_from(["/", "/", "/", "\\", "//", "/./"])
ENDS = st.sampled_from(["", "", "/", ":12", '"', "'", " ", "#L1"])


@st.composite
def winding_paths(draw: st.DrawFn) -> str:
    parts = draw(st.lists(PARTS, min_size=1, max_size=7))
    return "".join(part + draw(SEPARATORS) for part in parts).rstrip("/") + draw(ENDS)


@settings(max_examples=examples(400), deadline=None)
@given(path=winding_paths())
def test_no_path_leads_out_of_the_project(maze: Path, path: str) -> None:
    path = path.replace("ROOT", str(maze)).replace("TOP", str(maze.parent))

    try:
        located = locate(maze, path)
    except CallRejected:
        return
    if isinstance(located, Located):
        assert located.real.name == "loop" or located.real == located.real.resolve()
        assert located.real.is_relative_to(maze)
        assert not located.real.is_file() or located.real.read_text() == "INSIDE"


@settings(max_examples=examples(60), deadline=None)
@given(path=winding_paths())
async def test_the_door_never_gives_out_content_from_outside(maze: Path, path: str) -> None:
    path = path.replace("ROOT", str(maze)).replace("TOP", str(maze.parent))
    files = ProjectFiles(maze)

    with suppress(CallRejected):
        assert (await files.read_text(path)).lines == ("INSIDE",)
    with suppress(CallRejected):
        assert all("OUTSIDE" not in match.text for match in (await files.grep(GrepQuery("SIDE", path))).matches)
