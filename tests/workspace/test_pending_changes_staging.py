"""What an agent stages in one chat, and what its person then finds."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.types.changes import FileState
from mulligan.types.edits import TextEdit
from mulligan.types.errors import CallRejected, EditRefused
from mulligan.workspace.files.text_files import MAX_FILE_BYTES
from tests.workspace.change_bench import ChangeBench, bench

__all__ = ["bench"]

Write = Callable[..., Path]


async def test_an_edit_is_staged_and_the_disk_is_not_touched(bench: ChangeBench, write: Write) -> None:
    write("src/a.py", "x = 1\ny = 2\n")

    staged = await bench.editing().edit("src/a.py", [TextEdit("x = 1", "x = 10"), TextEdit("y = 2", "y = 20")])

    assert (staged.before, staged.after) == ("x = 1\ny = 2\n", "x = 10\ny = 20\n")
    change = staged.change
    assert (change.path, change.kind, change.status, change.chat_id) == ("src/a.py", "edit", "pending", bench.chat_id)
    assert bench.tree() == {"src/a.py": b"x = 1\ny = 2\n"}
    assert bench.told == [change]
    assert not (bench.root / ".mulligan").exists()


async def test_a_later_edit_builds_on_an_earlier_one(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\n")
    editing = bench.editing()

    first = await editing.edit("a.py", [TextEdit("x = 1", "x = 2")])
    second = await editing.edit("a.py", [TextEdit("x = 2", "x = 3")])
    assert second.before == "x = 2\n"
    assert await editing.pending_count() == 2

    await bench.pending.apply([first.change, second.change])
    assert bench.tree() == {"a.py": b"x = 3\n"}
    assert await editing.pending_count() == 0


async def test_edits_at_the_same_time_all_count(bench: ChangeBench, write: Write) -> None:
    write("a.py", "".join(f"x{number} = 0\n" for number in range(8)))
    editing = bench.editing(apply_now=True)

    await asyncio.gather(*(editing.edit("a.py", [TextEdit(f"x{n} = 0", f"x{n} = {n + 1}")]) for n in range(8)))

    assert bench.tree() == {"a.py": "".join(f"x{number} = {number + 1}\n" for number in range(8)).encode()}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"a\nx\nb", b"a\ny\nb", id="no newline at the end"),
        pytest.param(b"a\r\nx\r\nb\r\n", b"a\r\ny\r\nb\r\n", id="windows"),
        pytest.param(b"a\r\nx\nb\rc\n", b"a\r\ny\nb\rc\n", id="mixed endings"),
        pytest.param(b"\xef\xbb\xbfx\n", b"\xef\xbb\xbfy\n", id="utf-8 with a mark"),
        pytest.param("é\nx\n".encode("utf-16"), "é\ny\n".encode("utf-16"), id="utf-16"),
        pytest.param(
            b"\xfe\xff" + "é\r\nx\r\n".encode("utf-16-be"),
            b"\xfe\xff" + "é\r\ny\r\n".encode("utf-16-be"),
            id="utf-16 big-endian",
        ),
        pytest.param("é\nx\n".encode("cp1252"), "é\ny\n".encode("cp1252"), id="cp1252"),
        pytest.param(b"\x81\nx\n", b"\x81\ny\n", id="latin-1"),
        pytest.param("a\x0cb\x85\u2028c\nx\n".encode(), "a\x0cb\x85\u2028c\ny\n".encode(), id="odd white space"),
    ],
)
async def test_encodings_and_endings_stay_as_they_are(
    bench: ChangeBench, write: Write, before: bytes, after: bytes
) -> None:
    file = write("a.txt", before)
    file.chmod(0o751)

    staged = await bench.editing(apply_now=True).edit("a.txt", [TextEdit("x", "y")])

    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (after, 0o751)
    assert (await bench.revert(staged.change)).success
    assert file.read_bytes() == before


async def test_a_character_that_the_file_can_not_hold_is_refused(bench: ChangeBench, write: Write) -> None:
    write("a.txt", "é x\n".encode("cp1252"))

    with pytest.raises(CallRejected, match="cp1252, which has no '→'"):
        await bench.editing().edit("a.txt", [TextEdit("x", "→")])


async def test_an_edit_through_a_link_changes_the_file_and_keeps_the_link(
    bench: ChangeBench, root: Path, write: Write
) -> None:
    write("src/a.py", "x = 1\n")
    (root / "link.py").symlink_to("src/a.py")

    staged = await bench.editing(apply_now=True).edit("link.py", [TextEdit("x = 1", "x = 2")])

    assert staged.change.path == "src/a.py"
    assert (root / "link.py").readlink() == Path("src/a.py")
    assert (root / "src/a.py").read_text() == "x = 2\n"


async def test_a_file_is_created_with_its_folders(bench: ChangeBench) -> None:
    staged = await bench.editing(apply_now=True).create("src/new/a.py", "x = 1\n")

    assert (staged.before, staged.after, staged.change.status) == (None, "x = 1\n", "applied")
    assert bench.tree() == {"src/new/a.py": b"x = 1\n"}
    assert bench.told == [staged.change]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        pytest.param("`src/a.py`", "src/a.py", id="in quotes"),
        pytest.param("./src/a.py", "src/a.py", id="with a dot"),
        pytest.param("/src/a.py", "src/a.py", id="with a slash"),
        pytest.param("src\\a.py", "src/a.py", id="with a backslash"),
        pytest.param("{root}/src/a.py", "src/a.py", id="absolute"),
        pytest.param("project/src/a.py", "src/a.py", id="with the project's name"),
        pytest.param("project/more/new.py", "more/new.py", id="with the project's name, in a new folder"),
        pytest.param("src/../b.py", "b.py", id="there and back"),
        pytest.param("linked/a.py", "src/a.py", id="through a link to a folder"),
    ],
)
async def test_a_new_path_means_what_the_model_means(
    bench: ChangeBench, root: Path, write: Write, given: str, path: str
) -> None:
    write("src/there.py")
    (root / "linked").symlink_to("src")

    staged = await bench.editing().create(given.format(root=root), "new\n")

    assert staged.change.path == path


async def test_a_folder_called_like_the_project_keeps_its_files(bench: ChangeBench, write: Write) -> None:
    write("project/there.py")
    write("a.py", "at the top\n")
    editing = bench.editing()

    staged = await editing.create("project/a.py", "x = 1\n")
    assert staged.change.path == "project/a.py"
    edited = await editing.edit("project/a.py", [TextEdit("x = 1", "x = 2")])
    assert edited.change.path == "project/a.py"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("a.py", r"a\.py exists already. Use edit_file", id="a file"),
        pytest.param("a.py:12", r"a\.py exists already", id="a place in a file"),
        pytest.param("src", "is a folder", id="a folder"),
        pytest.param("src/", "names a folder", id="a folder's name"),
        pytest.param("staged", "is a folder", id="a folder that is only staged"),
        pytest.param("staged/b.py", "exists already", id="a staged file"),
        pytest.param("dangling", "exists already", id="a link that leads nowhere"),
        pytest.param("a.py/b.py", r"a\.py is a file, not a folder", id="below a file"),
        pytest.param("staged/b.py/c.py", r"staged/b\.py is a file, not a folder", id="below a staged file"),
        pytest.param("../x.py", "outside", id="outside"),
        pytest.param(".git/hooks/x", "git's own", id="in git's folder"),
        pytest.param(".env.local", "secrets", id="a secret"),
        pytest.param("x" * 300, "longer than", id="too long"),
    ],
)
async def test_a_file_is_not_created_where_it_can_not_be(
    bench: ChangeBench, root: Path, write: Write, path: str, words: str
) -> None:
    write("a.py")
    write("src/b.py")
    (root / "dangling").symlink_to("nothing")
    editing = bench.editing()
    await editing.create("staged/b.py", "b\n")

    with pytest.raises(CallRejected, match=words):
        await editing.create(path, "x\n")
    assert await editing.pending_count() == 1


async def test_an_edit_with_nothing_to_replace_creates_where_nothing_is(bench: ChangeBench) -> None:
    editing = bench.editing()

    staged = await editing.edit("new.py", [TextEdit("", "x = 1\n")])
    assert (staged.change.kind, staged.after) == ("create", "x = 1\n")

    with pytest.raises(EditRefused) as refused:
        await editing.edit("new.py", [TextEdit("", "x = 2\n")])
    assert refused.value.report.reason == "exists"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("src/ap.py", r"does not exist .*Did you mean src/app\.py", id="a near miss"),
        pytest.param("src/stagd.py", r"Did you mean src/staged\.py", id="near a staged file"),
        pytest.param("picture.png", "binary file, .*looks like PNG", id="binary"),
        pytest.param("src", "is a folder", id="a folder"),
        pytest.param(".env", "secrets", id="a secret"),
        pytest.param("alias", "secrets", id="a link to a secret"),
        pytest.param("dangling", "symbolic link to something that does not exist", id="a link that leads nowhere"),
        pytest.param("large.txt", "too large", id="too large"),
        pytest.param("../outside/private.txt", "outside", id="outside"),
    ],
)
async def test_what_can_not_be_edited_is_said(
    bench: ChangeBench, root: Path, write: Write, path: str, words: str
) -> None:
    write("src/app.py", "x\n")
    write("picture.png", b"\x89PNG\0x")
    write(".env", "x\n")
    write("large.txt", b"x" * (MAX_FILE_BYTES + 1))
    (root / "dangling").symlink_to("nothing")
    (root / "alias").symlink_to(".env")
    editing = bench.editing()
    await editing.create("src/staged.py", "b\n")

    with pytest.raises(CallRejected, match=words):
        await editing.edit(path, [TextEdit("x", "y")])
    assert await editing.pending_count() == 1


async def test_a_refused_edit_leaves_nothing_behind(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\n")

    with pytest.raises(EditRefused):
        await bench.editing().edit("a.py", [TextEdit("x = 1", "x = 2"), TextEdit("not there at all", "y")])
    assert (await bench.editing().pending_count(), bench.told) == (0, [])


async def test_a_file_is_deleted(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\n")
    editing = bench.editing()

    staged = await editing.delete("a.py")
    assert (staged.before, staged.after, staged.change.kind) == ("x = 1\n", None, "delete")
    with pytest.raises(CallRejected, match="does not exist"):
        await editing.delete("a.py")
    await bench.apply(staged.change)
    assert bench.tree() == {}


async def test_a_binary_file_may_be_deleted(bench: ChangeBench, write: Write) -> None:
    write("a.bin", b"\0\1")

    staged = await bench.editing(apply_now=True).delete("a.bin")

    assert (staged.before, bench.tree()) == (None, {})


async def test_a_link_is_deleted_and_not_what_it_leads_to(bench: ChangeBench, root: Path, write: Write) -> None:
    write("src/a.py", "x\n")
    (root / "link.py").symlink_to("src/a.py")
    (root / "linked").symlink_to("src")
    (root / "src/dangling").symlink_to("nothing")
    editing = bench.editing(apply_now=True)

    assert (await editing.delete("link.py")).change.path == "link.py"
    assert (await editing.delete("linked/dangling")).change.path == "src/dangling"
    assert (await editing.delete("linked")).change.path == "linked"

    assert sorted(os.listdir(root)) == [".mulligan", "src"]  # noqa: PTH208  names
    assert bench.tree() == {"src/a.py": b"x\n"}


@pytest.mark.parametrize(
    ("path", "words"),
    [("src", "is a folder"), ("missing.py", "does not exist"), (".env", "secrets"), (".git/config", "git's own")],
)
async def test_what_can_not_be_deleted_is_said(bench: ChangeBench, write: Write, path: str, words: str) -> None:
    for each in ("src/a.py", ".env", ".git/config"):
        write(each)

    with pytest.raises(CallRejected, match=words):
        await bench.editing().delete(path)


async def test_deleting_what_was_only_staged_takes_it_back(bench: ChangeBench) -> None:
    editing = bench.editing()
    created = await editing.create("a.py", "x = 1\n")
    edited = await editing.edit("a.py", [TextEdit("x = 1", "x = 2")])

    taken_back = await editing.delete("a.py")

    assert (taken_back.before, taken_back.after, taken_back.change.kind) == ("x = 2\n", None, "delete")
    assert taken_back.change.status == "rejected"
    assert [await bench.status(each.change) for each in (created, edited)] == ["rejected"] * 2
    assert (await editing.pending_count(), await editing.staged()) == (0, {})
    assert (await editing.create("a.py", "again\n")).change.kind == "create"


async def test_a_file_that_was_replaced_and_deleted_again_is_deleted(bench: ChangeBench, write: Write) -> None:
    write("a.py", "old\n")
    editing = bench.editing()

    first = await editing.delete("a.py")
    await editing.create("a.py", "new\n")
    await editing.delete("a.py")

    assert await editing.pending_count() == 1
    assert await editing.staged() == {"a.py": None}
    assert (await bench.apply(first.change)).success
    assert bench.tree() == {}


async def test_an_edited_file_that_is_deleted_is_deleted_as_a_change_of_its_own(
    bench: ChangeBench, write: Write
) -> None:
    write("a.py", "x = 1\n")
    editing = bench.editing()
    edited = await editing.edit("a.py", [TextEdit("x = 1", "x = 2")])
    deleted = await editing.delete("a.py")

    assert deleted.before == "x = 2\n"
    await bench.pending.apply([edited.change, deleted.change])
    assert bench.tree() == {}
    await bench.pending.revert([edited.change, deleted.change])
    assert bench.tree() == {"a.py": b"x = 1\n"}


async def test_a_creation_that_was_applied_is_deleted_like_any_file(bench: ChangeBench) -> None:
    editing = bench.editing()
    created = await editing.create("a.py", "x = 1\n")
    await bench.apply(created.change)

    deleted = await editing.delete("a.py")

    assert (deleted.change.status, deleted.change.kind) == ("pending", "delete")
    assert await bench.status(created.change) == "applied"


async def test_the_turn_may_be_named_after_the_editing_was_made(bench: ChangeBench) -> None:
    from mulligan.types.messages import UserMeta

    editing = bench.editing()
    message = await bench.store.messages.add(bench.chat_id, role="user", metadata=UserMeta())
    editing.message_id = message.id

    assert (await editing.create("a.py", "x\n")).change.message_id == message.id


async def test_a_change_that_can_not_be_applied_at_once_is_rejected_and_said(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\n").chmod(0o444)

    with pytest.raises(CallRejected, match=r"a\.py is read-only"):
        await bench.editing(apply_now=True).edit("a.py", [TextEdit("x = 1", "x = 2")])

    (change,) = await bench.store.changes.list(bench.project)
    assert (change.status, bench.told) == ("rejected", [])
    assert bench.tree() == {"a.py": b"x = 1\n"}


async def test_other_chats_do_not_see_what_is_staged(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\n")
    await bench.editing().edit("a.py", [TextEdit("x = 1", "x = 2")])
    other = await bench.store.chats.create(project=bench.project, agent="coder", title="other")

    stranger = replace(bench, chat_id=other.id).editing()

    assert (await stranger.pending_count(), await stranger.staged()) == (0, {})
    assert (await stranger.edit("a.py", [TextEdit("x = 1", "x = 3")])).before == "x = 1\n"


async def test_edits_are_made_from_the_disk_where_staged_ones_no_longer_fit(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", "x = 1\n")
    editing = bench.editing()
    old = await editing.edit("a.py", [TextEdit("x = 1", "x = 2")])
    file.write_text("completely different\n")

    assert await editing.staged() == {}
    new = await editing.edit("a.py", [TextEdit("different", "new")])

    assert new.before == "completely different\n"
    stale, fresh = await bench.pending.apply([old.change, new.change])
    assert (stale.success, fresh.success, file.read_text()) == (False, True, "completely new\n")


async def test_staged_edits_are_seen_on_top_of_what_changed_elsewhere_in_the_file(
    bench: ChangeBench, write: Write
) -> None:
    lines = [f"line {number}\n" for number in range(20)]
    file = write("a.py", "".join(lines))
    editing = bench.editing()
    await editing.edit("a.py", [TextEdit("line 3\n", "line three\n")])
    file.write_text("".join([*lines, "theirs\n"]))

    expected = "".join([*lines, "theirs\n"]).replace("line 3\n", "line three\n")
    assert await editing.staged() == {"a.py": FileState(expected.encode())}


async def test_an_edit_or_a_new_file_with_the_mask_of_a_secret_is_refused(bench: ChangeBench, write: Write) -> None:
    write("a.py", "TOKEN = 'q7Zp2Lw9Xc4V'\n")
    editing = bench.editing()
    mask = "TOKEN = '[masked: secret]'"
    for old, new in ((mask, "TOKEN = load()"), ("TOKEN", mask)):
        with pytest.raises(CallRejected, match=r"\[masked: secret\] stands for a value that you are not shown"):
            await editing.edit("a.py", [TextEdit(old, new)])
    with pytest.raises(CallRejected, match="you are not shown"):
        await editing.create("b.py", mask)
    assert await editing.pending_count() == 0


async def test_a_file_that_holds_the_words_of_a_mask_itself_can_be_edited(bench: ChangeBench, write: Write) -> None:
    write("a.py", "assert shown == '[masked: secret]'\n")
    staged = await bench.editing().edit(
        "a.py", [TextEdit("shown == '[masked: secret]'", "'[masked: secret]' in shown")]
    )
    assert staged.after == "assert '[masked: secret]' in shown\n"
