"""Changes of real files, applied and reverted, while people go on working."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.types.changes import FileState
from mulligan.workspace.changes.file_locks import file_lock
from tests.workspace.change_bench import ChangeBench, bench

__all__ = ["bench"]

Write = Callable[..., Path]

LINES = [f"line {number}\n" for number in range(1, 31)]
BEFORE = "".join(LINES).encode()


def with_line(text: bytes, number: int, line: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    lines[number - 1] = line
    return b"".join(lines)


AFTER = with_line(BEFORE, 12, b"line twelve\n")


async def test_an_edit_is_applied_and_rewound_to_the_byte(bench: ChangeBench, write: Write) -> None:
    file = write("src/a.py", BEFORE)
    change = await bench.add("src/a.py", BEFORE, AFTER)

    applied = await bench.apply(change)
    assert (applied.success, applied.change.status, file.read_bytes()) == (True, "applied", AFTER)
    assert applied.message == "src/a.py: applied"

    reverted = await bench.revert(applied.change)
    assert (reverted.success, reverted.change.status, file.read_bytes()) == (True, "reverted", BEFORE)


async def test_a_creation_is_applied_and_rewound(bench: ChangeBench) -> None:
    change = await bench.add("new/a.py", None, b"new\n")

    assert (await bench.apply(change)).success
    assert bench.tree() == {"new/a.py": b"new\n"}
    assert (await bench.revert(change)).success
    assert bench.tree() == {}


async def test_a_deletion_is_applied_and_rewound(bench: ChangeBench, write: Write) -> None:
    write("a.bin", b"\0\xff")
    change = await bench.add("a.bin", b"\0\xff", None)

    assert (await bench.apply(change)).success
    assert bench.tree() == {}
    assert (await bench.revert(change)).success
    assert bench.tree() == {"a.bin": b"\0\xff"}


async def test_a_program_and_a_link_come_back_as_they_were(bench: ChangeBench, root: Path, write: Write) -> None:
    write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (root / "link").symlink_to("run.sh")
    program = await bench.add("run.sh", FileState(b"#!/bin/sh\n", "100755"), None)
    link = await bench.add("link", FileState(b"run.sh", "120000"), None)

    outcomes = await bench.pending.apply([program, link])
    assert [outcome.success for outcome in outcomes] == [True, True]
    assert not os.path.lexists(root / "link")
    await bench.pending.revert([program, link])

    assert os.access(root / "run.sh", os.X_OK)
    assert (root / "link").readlink() == Path("run.sh")


async def test_changes_are_applied_in_order_and_rewound_the_other_way_round(bench: ChangeBench, write: Write) -> None:
    write("a.py", b"1\n")
    changes = [await bench.add("a.py", f"{n}\n".encode(), f"{n + 1}\n".encode()) for n in (1, 2, 3)]

    applied = await bench.pending.apply(changes[::-1])
    assert [outcome.change.seq for outcome in applied] == [1, 2, 3]
    assert bench.tree() == {"a.py": b"4\n"}

    reverted = await bench.pending.revert([outcome.change for outcome in applied])
    assert [outcome.change.seq for outcome in reverted] == [3, 2, 1]
    assert bench.tree() == {"a.py": b"1\n"}


async def test_what_somebody_else_did_is_not_rewound(bench: ChangeBench, write: Write) -> None:
    file = write("src/a.py", AFTER)
    change = await bench.add("src/a.py", BEFORE, AFTER)

    applied = await bench.apply(change)
    reverted = await bench.revert(applied.change)

    assert (reverted.success, reverted.change.status, file.read_bytes()) == (True, "reverted", AFTER)


async def test_what_is_there_already_counts_as_applied(bench: ChangeBench, write: Write) -> None:
    write("a.py", AFTER)
    change = await bench.add("a.py", BEFORE, AFTER)

    outcome = await bench.apply(change)

    assert (outcome.success, outcome.change.status) == (True, "applied")
    assert "already" in outcome.message


async def test_a_file_that_changed_elsewhere_gets_the_change_and_keeps_the_rest(
    bench: ChangeBench, write: Write
) -> None:
    theirs = with_line(BEFORE, 25, b"theirs\n") + b"and more\n"
    file = write("a.py", theirs)
    change = await bench.add("a.py", BEFORE, AFTER)

    applied = await bench.apply(change)
    assert applied.success
    assert "changed on disk" in applied.message
    assert file.read_bytes() == with_line(theirs, 12, b"line twelve\n")
    # What was really there and really written is what the change holds from then on.
    assert (applied.change.before, applied.change.after) == (FileState(theirs), FileState(file.read_bytes()))

    file.write_bytes(b"first of all\n" + file.read_bytes())
    assert (await bench.revert(applied.change)).success
    assert file.read_bytes() == b"first of all\n" + theirs


async def test_a_line_that_changed_two_lines_away_is_kept(bench: ChangeBench, write: Write) -> None:
    theirs = with_line(BEFORE, 10, b"theirs\n")
    file = write("a.py", theirs)

    assert (await bench.apply(await bench.add("a.py", BEFORE, AFTER))).success
    assert file.read_bytes() == with_line(theirs, 12, b"line twelve\n")


async def test_several_places_are_changed_all_or_none(bench: ChangeBench, write: Write) -> None:
    both = with_line(AFTER, 28, b"line twenty-eight\n")
    theirs = with_line(BEFORE, 28, b"a line of somebody else's making\n")
    file = write("a.py", theirs)

    outcome = await bench.apply(await bench.add("a.py", BEFORE, both))

    assert not outcome.success
    assert outcome.message == "a.py changed on disk since; the text around line 28 is no longer there."
    assert (file.read_bytes(), outcome.change.status) == (theirs, "pending")


async def test_a_place_that_is_there_twice_is_refused_with_its_line(bench: ChangeBench, write: Write) -> None:
    theirs = BEFORE + BEFORE
    file = write("src/a.py", theirs)

    outcome = await bench.apply(await bench.add("src/a.py", BEFORE, AFTER))

    assert not outcome.success
    assert outcome.message == "src/a.py changed on disk since; the text around line 12 is there twice."
    assert file.read_bytes() == theirs


async def test_the_same_words_elsewhere_are_not_taken_for_the_place(bench: ChangeBench, write: Write) -> None:
    before = b"def f():\n    x = 1\n    return x\n\n\nEND = 0\n"
    after = before.replace(b"x = 1", b"x = 2")
    # Somebody took the function out, and the same three lines stand in another one.
    theirs = b"END = 0\n\n\nclass A:\n    y = 3\n\n    z = 1\n    x = 1\n    w = 2\n"
    file = write("a.py", theirs)

    assert not (await bench.apply(await bench.add("a.py", before, after))).success
    assert file.read_bytes() == theirs


async def test_the_end_of_a_line_is_not_taken_for_a_line(bench: ChangeBench, write: Write) -> None:
    theirs = b"not a\nb\nc\n"
    file = write("a.py", theirs)

    assert not (await bench.apply(await bench.add("a.py", b"a\nb\nc\n", b"a\nB\nc\n"))).success
    assert file.read_bytes() == theirs


@pytest.mark.parametrize(
    ("change", "theirs", "result"),
    [
        pytest.param((b"a\nb", b"a\nc"), b"a\nb\nmore\n", b"a\nc\nmore\n", id="the last line was continued"),
        pytest.param((b"a\nb", b"a\nc"), b"a\nb\n", b"a\nc\n", id="a newline was added at the end"),
        pytest.param((b"a\nb\n", b"a\nb"), b"a\nb\nmore\n", None, id="the newline to be taken away is needed now"),
        pytest.param(
            (b"a\nb", b"a\n"), b"a\nb\nmore\n", None, id="the last line to be taken away is in the middle now"
        ),
        pytest.param((b"a\nb\nc\n", b"a\nB\nc\n"), b"top\na\nb\nc", b"top\na\nB\nc", id="the last newline was lost"),
        pytest.param((b"", b"a\n"), b"theirs\n", None, id="an empty file was filled"),
        pytest.param((b"a\n", b""), b"a\ntheirs\n", b"theirs\n", id="all lines go, others came"),
    ],
)
async def test_ends_of_files_are_neither_joined_nor_torn(
    bench: ChangeBench, write: Write, change: tuple[bytes, bytes], theirs: bytes, result: bytes | None
) -> None:
    file = write("a.txt", theirs)

    outcome = await bench.apply(await bench.add("a.txt", *change))

    assert (outcome.success, file.read_bytes()) == (result is not None, result or theirs)


async def test_a_merge_keeps_the_encoding_and_endings_that_the_file_has_now(bench: ChangeBench, write: Write) -> None:
    theirs = BEFORE.replace(b"\n", b"\r\n").decode().replace("line 20", "ligne é").encode("utf-16")
    file = write("a.txt", theirs)

    outcome = await bench.apply(await bench.add("a.txt", BEFORE, AFTER))

    assert outcome.success, outcome.message
    assert file.read_bytes() == theirs.decode("utf-16").replace("line 12", "line twelve").encode("utf-16")


def deleted(file: Path) -> None:
    file.unlink()


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def rewritten(file: Path) -> None:
    file.write_bytes(b"something else\n")


def made_binary(file: Path) -> None:
    file.write_bytes(b"\0\1\2")


def made_a_link(file: Path) -> None:
    file.rename(file.with_name("moved.py"))
    file.symlink_to("moved.py")


def made_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def made_read_only(file: Path) -> None:
    file.chmod(0o444)


def its_folder_made_a_link(file: Path) -> None:
    file.parent.rename(file.parent.with_name("moved"))
    file.parent.symlink_to("moved")


@pytest.mark.parametrize(
    ("meanwhile", "words"),
    [
        pytest.param(deleted, "was deleted since", id="deleted"),
        pytest.param(emptied, "changed on disk since; the text around line 12 is no longer there", id="emptied"),
        pytest.param(rewritten, "changed on disk since; the text around line 12 is no longer there", id="rewritten"),
        pytest.param(made_binary, "binary files can't be merged", id="binary"),
        pytest.param(made_a_link, "is a link by now", id="a link"),
        pytest.param(made_a_folder, "is a folder", id="a folder"),
        pytest.param(made_read_only, "is read-only", id="read-only"),
        pytest.param(its_folder_made_a_link, "src is a symbolic link", id="its folder moved behind a link"),
    ],
)
async def test_an_edit_that_does_not_fit_any_more_is_said_and_stays_pending(
    bench: ChangeBench, write: Write, meanwhile: Callable[[Path], None], words: str
) -> None:
    meanwhile(write("src/a.py", BEFORE))
    write("b.py", b"b\n")
    here = bench.tree()
    change, other = await bench.add("src/a.py", BEFORE, AFTER), await bench.add("b.py", b"b\n", b"B\n")

    outcome, went_on = await bench.pending.apply([change, other])

    assert (outcome.success, outcome.change.status) == (False, "pending")
    assert words in outcome.message
    assert went_on.success
    assert bench.tree() == here | {"b.py": b"B\n"}


async def test_a_mode_that_the_person_changed_is_kept(bench: ChangeBench, write: Write) -> None:
    file = write("a.sh", BEFORE)
    file.chmod(0o755)

    outcome = await bench.apply(await bench.add("a.sh", BEFORE, AFTER))

    assert (outcome.success, file.read_bytes(), os.access(file, os.X_OK)) == (True, AFTER, True)


@pytest.mark.parametrize("after", [b"\0new", None], ids=["edited", "deleted"])
async def test_a_binary_file_of_which_only_the_mode_changed_still_fits(
    bench: ChangeBench, write: Write, after: bytes | None
) -> None:
    write("a.bin", b"\0old").chmod(0o755)

    assert (await bench.apply(await bench.add("a.bin", b"\0old", after))).success
    assert bench.tree() == ({} if after is None else {"a.bin": after})


async def test_a_new_file_does_not_replace_one_that_appeared(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", "somebody's\n")

    outcome = await bench.apply(await bench.add("a.py", None, b"new\n"))

    assert (outcome.success, outcome.message) == (False, "a.py exists by now, with another content.")
    assert file.read_text() == "somebody's\n"


async def test_a_file_that_changed_is_not_deleted(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", "more\n")

    outcome = await bench.apply(await bench.add("a.py", b"old\n", None))

    assert (outcome.success, outcome.message) == (False, "a.py changed on disk since, so it is not deleted.")
    assert file.exists()


async def test_a_created_file_that_somebody_went_on_with_is_not_deleted_by_a_revert(bench: ChangeBench) -> None:
    change = await bench.add("a.py", None, b"new\n")
    await bench.apply(change)
    (bench.root / "a.py").write_text("new\nand mine\n")

    outcome = await bench.revert(change)

    assert (outcome.success, outcome.change.status) == (False, "applied")
    assert bench.tree() == {"a.py": b"new\nand mine\n"}


async def test_one_of_two_changes_of_a_file_can_be_rewound(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", BEFORE)
    both = with_line(AFTER, 25, b"line twenty-five\n")
    first, second = await bench.add("a.py", BEFORE, AFTER), await bench.add("a.py", AFTER, both)
    await bench.pending.apply([first, second])

    assert (await bench.revert(first)).success
    assert file.read_bytes() == with_line(BEFORE, 25, b"line twenty-five\n")


async def test_a_change_made_on_a_rejected_one_is_applied_without_it(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", BEFORE)
    both = with_line(AFTER, 20, b"line twenty\n")
    first, second = await bench.add("a.py", BEFORE, AFTER), await bench.add("a.py", AFTER, both)

    (rejected,) = await bench.pending.reject([first])
    assert (rejected.success, rejected.change.status) == (True, "rejected")
    assert (await bench.apply(second)).success
    assert file.read_bytes() == with_line(BEFORE, 20, b"line twenty\n")


async def test_what_has_another_status_is_said_and_left_alone(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", BEFORE)
    change = await bench.add("a.py", BEFORE, AFTER)

    early = await bench.revert(change)
    assert (early.success, early.message) == (False, "a.py: it is pending; only applied changes can be reverted")
    await bench.pending.reject([change])
    for outcome in (*await bench.pending.apply([change]), *await bench.pending.reject([change])):
        assert not outcome.success
        assert "it is rejected" in outcome.message
    assert file.read_bytes() == BEFORE


@pytest.mark.parametrize("path", ["../outside/private.txt", ".git/config", ".env", "out/private.txt"])
async def test_no_change_reaches_what_is_closed(bench: ChangeBench, root: Path, write: Write, path: str) -> None:
    write(".git/config", b"OUTSIDE\n")
    write(".env", b"OUTSIDE\n")
    (root / "out").symlink_to(root.parent / "outside")

    outcome = await bench.apply(await bench.add(path, b"OUTSIDE\n", b"changed\n"))

    assert not outcome.success
    assert (root / path).read_bytes() == b"OUTSIDE\n"


async def test_two_who_apply_the_same_change_at_once_write_once(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", BEFORE)
    change = await bench.add("a.py", BEFORE, AFTER)

    outcomes = await asyncio.gather(*(bench.pending.apply([change]) for _ in range(5)))

    assert sorted(outcome.success for (outcome,) in outcomes) == [False] * 4 + [True]
    assert file.read_bytes() == AFTER


async def test_giving_up_waits_for_the_write_that_was_begun(
    bench: ChangeBench, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("a.py", BEFORE)
    change = await bench.add("a.py", BEFORE, AFTER)
    begun = asyncio.Event()
    begin_write = bench.store.changes.begin_write

    async def begin(*arguments: Any, **options: Any) -> bool:
        begun.set()
        return await begin_write(*arguments, **options)

    monkeypatch.setattr(bench.store.changes, "begin_write", begin)
    applying = asyncio.create_task(bench.pending.apply([change]))
    await begun.wait()
    applying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await applying

    assert file.read_bytes() == AFTER
    found = await bench.store.changes.find(bench.project, change.id)
    assert (found.status, found.under_way) == ("applied", None)


async def test_giving_up_while_another_holds_the_file_changes_nothing(bench: ChangeBench, write: Write) -> None:
    file = write("a.py", BEFORE)
    change = await bench.add("a.py", BEFORE, AFTER)

    async with file_lock(bench.root, "a.py"):
        applying = asyncio.create_task(bench.pending.apply([change]))
        await asyncio.sleep(0)
        applying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await applying

    assert (file.read_bytes(), await bench.status(change)) == (BEFORE, "pending")


async def test_names_that_are_no_text_are_written(bench: ChangeBench) -> None:
    path = os.fsdecode(b"caf\xe9 \xff.py")

    outcome = await bench.apply(await bench.add(path, None, b"new\n"))

    assert outcome.message == "caf\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}.py: applied"
    assert bench.tree() == {path: b"new\n"}


async def test_with_nothing_left_behind_recovering_makes_nothing(bench: ChangeBench) -> None:
    assert await bench.pending.recover() == []
    assert list(bench.root.iterdir()) == []
