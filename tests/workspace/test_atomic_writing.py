import asyncio
import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.workspace.changes.file_locks import file_lock
from mulligan.workspace.changes.writing import remove_left_behind, write_file_state
from mulligan.workspace.files.file_bytes import read_file_state

Write = Callable[..., Path]
Git = Callable[..., str]

OLD = FileState(b"old\n")
NEW = FileState(b"new\r\n\xff")


def leftovers(root: Path) -> list[str]:
    return [str(file) for file in root.rglob("*") if file.name.startswith(".mulligan-")]


def permissions(file: Path) -> int:
    return stat.S_IMODE(file.lstat().st_mode)


def test_a_file_is_replaced_to_the_byte_and_nothing_else_is_left(root: Path, write: Write) -> None:
    file = write("src/a.py", "old\n")

    write_file_state(root, "src/a.py", expected=OLD, image=NEW)

    assert file.read_bytes() == NEW.data
    assert leftovers(root) == []


def test_whoever_has_the_old_file_open_still_reads_it_whole(root: Path, write: Write) -> None:
    with write("a.py", "old\n").open("rb") as reader:
        write_file_state(root, "a.py", expected=OLD, image=NEW)

        assert reader.read() == b"old\n"


def test_a_new_file_gets_its_folders(root: Path) -> None:
    write_file_state(root, "a/b/c.py", expected=None, image=NEW)

    assert (root / "a/b/c.py").read_bytes() == NEW.data


def test_a_deleted_file_leaves_its_folder(root: Path, write: Write) -> None:
    write("a/b.py", "old\n")

    write_file_state(root, "a/b.py", expected=OLD, image=None)

    assert list((root / "a").iterdir()) == []


@pytest.mark.parametrize(
    ("bits", "mode", "kept"),
    [
        pytest.param(0o600, "100644", 0o600, id="private"),
        pytest.param(0o664, "100644", 0o664, id="for the group"),
        pytest.param(0o750, "100755", 0o750, id="a program"),
        pytest.param(0o640, "100755", 0o750, id="becomes a program"),
        pytest.param(0o755, "100644", 0o644, id="is no program any more"),
    ],
)
def test_permissions_are_kept(root: Path, write: Write, bits: int, mode: Any, kept: int) -> None:
    file = write("a.py", "old\n")
    file.chmod(bits)

    write_file_state(root, "a.py", expected=read_file_state(file), image=FileState(b"new", mode))

    assert permissions(file) == kept


@pytest.mark.parametrize(("mode", "bits"), [("100644", 0o666), ("100755", 0o777)])
def test_a_new_file_gets_the_permissions_that_the_person_gives_new_files(root: Path, mode: Any, bits: int) -> None:
    umask = os.umask(0o027)
    try:
        write_file_state(root, "a.py", expected=None, image=FileState(b"new", mode))
    finally:
        os.umask(umask)

    assert permissions(root / "a.py") == bits & ~0o027


def test_links_are_made_changed_and_deleted_themselves(root: Path, write: Write) -> None:
    write("a.txt", "a")
    one, other = FileState(b"a.txt", "120000"), FileState(b"b.txt", "120000")

    write_file_state(root, "link", expected=None, image=one)
    assert (root / "link").readlink() == Path("a.txt")
    write_file_state(root, "link", expected=one, image=other)
    assert (root / "link").readlink() == Path("b.txt")
    write_file_state(root, "link", expected=other, image=None)
    assert not (root / "link").is_symlink()
    assert (root / "a.txt").read_text() == "a"


def made_read_only(root: Path) -> None:
    (root / "a.py").chmod(0o444)


def in_a_read_only_folder(root: Path) -> None:
    root.chmod(0o555)


def changed(root: Path) -> None:
    (root / "a.py").write_text("other\n")


def deleted(root: Path) -> None:
    (root / "a.py").unlink()


def a_folder(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "a.py").mkdir()


def a_link(root: Path) -> None:
    (root / "a.py").rename(root / "b.py")
    (root / "a.py").symlink_to("b.py")


@pytest.mark.parametrize("image", [NEW, None], ids=["replace", "delete"])
@pytest.mark.parametrize(
    ("meanwhile", "words"),
    [
        pytest.param(made_read_only, r"a\.py is read-only.*chmod u\+w", id="read-only"),
        pytest.param(in_a_read_only_folder, "read-only folder", id="in a read-only folder"),
        pytest.param(changed, "changed by another program", id="changed"),
        pytest.param(deleted, "changed by another program", id="deleted"),
        pytest.param(a_folder, "is a folder", id="a folder by now"),
        pytest.param(a_link, "changed by another program", id="a link by now"),
    ],
)
def test_what_is_not_as_expected_is_left_alone(
    root: Path, write: Write, meanwhile: Callable[[Path], None], words: str, image: FileState | None
) -> None:
    write("a.py", "old\n")
    meanwhile(root)
    before = sorted((file.name, read_file_state(file)) for file in root.iterdir() if file.is_file())

    with pytest.raises(CallRejected, match=words):
        write_file_state(root, "a.py", expected=OLD, image=image)

    root.chmod(0o755)
    after = sorted((f.name, read_file_state(f)) for f in root.iterdir() if f.is_file())
    assert after == before
    assert leftovers(root) == []


def test_a_file_that_appeared_is_not_replaced_by_a_new_one(root: Path, write: Write) -> None:
    file = write("a.py", "somebody's\n")

    with pytest.raises(CallRejected, match="changed by another program"):
        write_file_state(root, "a.py", expected=None, image=NEW)
    assert file.read_text() == "somebody's\n"


def test_a_file_that_appears_at_the_last_moment_is_not_replaced(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.link

    def link(*arguments: Any, **options: Any) -> None:
        (root / "a.py").write_text("somebody's\n")
        real(*arguments, **options)

    monkeypatch.setattr(os, "link", link)

    with pytest.raises(CallRejected, match="made by another program"):
        write_file_state(root, "a.py", expected=None, image=NEW)
    assert (root / "a.py").read_text() == "somebody's\n"
    assert leftovers(root) == []


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("../outside/private.txt", "not a path inside", id="up and out"),
        pytest.param("/etc/passwd", "not a path inside", id="absolute"),
        pytest.param("a/../../x", "not a path inside", id="up in the middle"),
        pytest.param("", "not a path inside", id="empty"),
        pytest.param(".git/config", "git's own", id="git's folder"),
        pytest.param("sub/.GIT/hooks/x", "git's own", id="git's folder in capitals"),
        pytest.param(".mulligan/x", "Mulligan's own", id="our folder"),
        pytest.param(".env", "secrets", id="a secret"),
        pytest.param("x/.ssh/config", "secrets", id="below a secret folder"),
        pytest.param("x" * 300, "longer than", id="a name too long"),
        pytest.param("/".join(["x" * 200] * 30), "longer than", id="a path too long"),
        pytest.param("a\0b", "not a path", id="a NUL"),
        pytest.param("file.txt/below.py", "is a file, not a folder", id="below a file"),
        pytest.param("out/private.txt", "symbolic link", id="through a link that leads out"),
        pytest.param("in/new.txt", "symbolic link", id="through a link that stays in"),
    ],
)
def test_what_is_not_open_to_changes_is_refused(root: Path, write: Write, path: str, words: str) -> None:
    write("file.txt", "text")
    write("folder/x.txt")
    (root / "out").symlink_to(root.parent / "outside")
    (root / "in").symlink_to("folder")

    with pytest.raises(CallRejected, match=words):
        write_file_state(root, path, expected=None, image=NEW)
    assert (root.parent / "outside/private.txt").read_text() == "OUTSIDE\n"
    assert leftovers(root) == []


def test_a_folder_of_ours_that_is_a_link_is_not_used(root: Path) -> None:
    (root / ".mulligan").symlink_to(root.parent / "outside")

    with pytest.raises(CallRejected, match=r"\.mulligan is a symbolic link"):
        write_file_state(root, "a.py", expected=None, image=NEW)
    assert [file.name for file in (root.parent / "outside").iterdir()] == ["private.txt"]


def test_a_folder_that_becomes_a_link_while_the_file_is_written_is_not_followed(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("src/private.txt", "old\n")
    real = os.replace

    def replace(*arguments: Any, **options: Any) -> None:
        (root / "src").rename(root / "was-src")
        (root / "src").symlink_to(root.parent / "outside")
        real(*arguments, **options)

    monkeypatch.setattr(os, "replace", replace)
    write_file_state(root, "src/private.txt", expected=OLD, image=NEW)

    assert (root.parent / "outside/private.txt").read_text() == "OUTSIDE\n"
    assert (root / "was-src/private.txt").read_bytes() == NEW.data


@pytest.mark.parametrize(
    ("failing", "number_and_words"),
    [
        pytest.param("fsync", (errno.ENOSPC, "no space left on the disk"), id="a full disk"),
        pytest.param("fsync", (errno.EDQUOT, "quota"), id="a used-up quota"),
        pytest.param("replace", (errno.EACCES, "no permission"), id="no permission"),
        pytest.param("replace", (errno.EROFS, "only be read"), id="a read-only file system"),
        pytest.param("replace", (errno.EIO, "Input/output error"), id="a broken disk"),
    ],
)
def test_a_write_that_fails_leaves_the_old_file_and_says_why(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch, failing: str, number_and_words: tuple[int, str]
) -> None:
    file = write("a.py", "old\n")
    number, words = number_and_words

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, failing, fail)

    with pytest.raises(CallRejected, match=rf"a\.py can't be written: .*{words}"):
        write_file_state(root, "a.py", expected=OLD, image=NEW)
    assert file.read_bytes() == b"old\n"
    assert leftovers(root) == []


@pytest.mark.parametrize("expected", [OLD, None], ids=["replace", "create"])
def test_on_another_file_system_the_temporary_file_stands_beside_its_target(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch, expected: FileState | None
) -> None:
    (root / "src").mkdir()
    if expected:
        write("src/a.py", "old\n")
    beside: list[bool] = []

    def across(real: Callable[..., None]) -> Callable[..., None]:
        def move(*arguments: Any, src_dir_fd: int, dst_dir_fd: int, **options: Any) -> None:
            beside.append(os.path.sameopenfile(src_dir_fd, dst_dir_fd))
            if not beside[-1]:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
            real(*arguments, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, **options)

        return move

    monkeypatch.setattr(os, "replace", across(os.replace))
    monkeypatch.setattr(os, "link", across(os.link))
    write_file_state(root, "src/a.py", expected=expected, image=NEW)

    assert beside == [False, True]
    assert (root / "src/a.py").read_bytes() == NEW.data
    assert leftovers(root) == []


def test_where_there_are_no_hard_links_a_new_file_is_renamed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", fail)
    write_file_state(root, "a.py", expected=None, image=NEW)

    assert (root / "a.py").read_bytes() == NEW.data
    assert leftovers(root) == []


def test_our_folder_is_ignored_by_git(root: Path, git: Git) -> None:
    git("init", "-q")

    write_file_state(root, "a.py", expected=None, image=NEW)

    assert (root / ".mulligan" / ".gitignore").read_text() == "*\n"
    assert git("status", "--porcelain") == "?? a.py\n"


def test_only_temporary_files_of_dead_processes_are_removed(root: Path, write: Write) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    name = f".mulligan-{{}}-{'0' * 16}"
    gone = [f".mulligan/tmp/{name.format(dead.pid)}", f"src/{name.format(dead.pid)}"]
    kept = [
        f".mulligan/tmp/{name.format(os.getpid())}",
        ".mulligan/tmp/something-else",
        f"elsewhere/{name.format(dead.pid)}",
    ]
    for path in (*gone, *kept):
        write(path)

    remove_left_behind(root, [("src",), ("missing",)])

    assert [path for path in (*gone, *kept) if (root / path).exists()] == kept


async def test_a_lock_lets_one_at_a_file_at_a_time(root: Path) -> None:
    order: list[str] = []

    async def work(name: str) -> None:
        async with file_lock(root, "a.py"):
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    await asyncio.gather(work("one"), work("two"), work("three"))

    assert [each.split()[1] for each in order] == ["in", "out"] * 3


async def test_locks_of_different_files_do_not_wait_for_each_other(root: Path) -> None:
    async with file_lock(root, "a.py"), file_lock(root, "b.py", time_limit=0):
        assert len(list((root / ".mulligan/locks").iterdir())) == 2


async def test_a_lock_that_is_not_to_be_had_is_refused_in_words(root: Path) -> None:
    async with file_lock(root, "a.py"):
        with pytest.raises(CallRejected, match=r"a\.py has been locked by another process for 0 s"):
            async with file_lock(root, "a.py", time_limit=0):
                pass


HOLD = "import fcntl, sys; fcntl.flock(f := open(sys.argv[1]), fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"


def hold(lock: Path) -> subprocess.Popen[bytes]:
    """Another process that has the lock and does not let go."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    return holder


async def test_a_lock_ends_with_the_process_that_holds_it(root: Path) -> None:
    async with file_lock(root, "a.py"):
        (lock,) = (root / ".mulligan/locks").iterdir()
    with hold(lock) as holder:
        with pytest.raises(CallRejected, match="another process"):
            async with file_lock(root, "a.py", time_limit=0):
                pass
        holder.kill()
    async with file_lock(root, "a.py", time_limit=0):
        assert holder.returncode == -9
