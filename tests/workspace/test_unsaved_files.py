"""Files as an editor has them: read, searched, changed and written through it."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mulligan.ports.files import GrepQuery
from mulligan.types.changes import FileState
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.targets import StagedFiles
from mulligan.workspace.files.unsaved import UnsavedFiles


@dataclass
class Buffers:
    """An editor that has these texts open."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    reads: bool = True
    writes: bool = True
    refusal: str | None = None

    async def read(self, path: str) -> str | None:
        return self.texts.get(path)

    async def write(self, path: str, text: str) -> str | None:
        self.texts[path] = text
        return self.refusal


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("one\n")
    return tmp_path


@pytest.mark.parametrize(
    ("on_disk", "in_editor", "seen"),
    [
        pytest.param(b"one\n", "two\n", b"two\n", id="typed over"),
        pytest.param(b"one\n", "one\n", b"one\n", id="saved"),
        pytest.param(b"one\r\ntwo\r\n", "one\ntwo\n", b"one\r\ntwo\r\n", id="line endings left out"),
        pytest.param(b"one\r\ntwo\r\n", "one\n2\n", b"one\r\n2\r\n", id="typed over in a file of Windows"),
        pytest.param(b"one\n", "one", b"one\n", id="the last line ending left out"),
        pytest.param(b"one\n", "", b"", id="emptied"),
        pytest.param(b"caf\xe9\n", "caf\u00e9s\n", b"caf\xe9s\n", id="in the file's encoding"),
        pytest.param(b"\0\1", "text", b"\0\1", id="a binary file"),
    ],
)
async def test_what_stands_in_a_file(project: Path, on_disk: bytes, in_editor: str, seen: bytes) -> None:
    (project / "a.py").write_bytes(on_disk)

    image = await UnsavedFiles(project, Buffers({"a.py": in_editor})).present("a.py")

    assert image == FileState(seen)


async def test_a_search_sees_what_was_read_and_is_not_saved(project: Path) -> None:
    unsaved = UnsavedFiles(project, Buffers({"a.py": "typed\n"}))

    async def staged() -> StagedFiles:
        return unsaved.images

    files = ProjectFiles(project, staged=staged, unsaved=unsaved)
    assert (await files.read_text("a.py")).lines == ("typed",)

    assert [match.text for match in (await files.grep(GrepQuery("typed"))).matches] == ["typed"]
    assert (await files.grep(GrepQuery("one"))).total == 0


async def test_what_was_saved_meanwhile_is_forgotten(project: Path) -> None:
    editor = Buffers({"a.py": "two\n"})
    unsaved = UnsavedFiles(project, editor)
    await unsaved.present("a.py")
    assert unsaved.images == {"a.py": FileState(b"two\n")}

    (project / "a.py").write_text("two\n")
    await unsaved.look_again()

    assert unsaved.images == {}


@pytest.mark.parametrize(
    ("path", "image", "can"),
    [
        pytest.param("a.py", FileState(b"two\n"), True, id="text"),
        pytest.param("a.py", FileState(b"two\n", "100755"), True, id="a program that is there"),
        pytest.param("new.py", FileState(b"two\n"), True, id="a new file"),
        pytest.param("new.sh", FileState(b"two\n", "100755"), False, id="a new program"),
        pytest.param("new/b.py", FileState(b"two\n"), False, id="in a new folder"),
        pytest.param("a.py", FileState(b"\xef\xbb\xbftwo\n"), False, id="with a byte order mark"),
        pytest.param("a.py", FileState(b"\0"), False, id="a binary file"),
        pytest.param("a.py", FileState(b"b.py", "120000"), False, id="a link"),
    ],
)
def test_what_an_editor_can_write(project: Path, path: str, image: FileState, can: bool) -> None:
    assert UnsavedFiles(project, Buffers()).writes(path, image) is can
    assert not UnsavedFiles(project).writes(path, image)


async def test_an_editor_that_does_not_write_leaves_the_disk_to_be_changed(project: Path) -> None:
    unsaved = UnsavedFiles(project, Buffers({"a.py": "two\n"}, writes=False))

    assert await unsaved.to_be_written("a.py") == FileState(b"one\n")
