"""What git wrote is read as git reads it, and what we write git reads."""

import os

import pytest

from mulligan.workspace.checkpoints.index_file import (
    Entry,
    UnreadableIndex,
    compose,
    entries,
    needs_git,
    notable_entries,
)
from tests.workspace.checkpoints.repositories import Repository

LONG = "long/" + "x" * 200 + "/" + "y" * 250


def filled(repository: Repository) -> None:
    for name in ("a", "b", "folder/c", "folder/d", "ü", os.fsdecode(b"\xff"), LONG):
        repository.write(name)
    repository.write("p").chmod(0o755)
    repository.git("add", "-A")


def read(repository: Repository) -> list[Entry]:
    return list(entries((repository.root / ".git/index").read_bytes(), 20))


@pytest.mark.parametrize("version", ["2", "4"])
def test_entries_are_what_git_lists(repository: Repository, version: str) -> None:
    filled(repository)
    repository.git("update-index", "--index-version", version)
    listed = [f"{e.mode:o} {e.oid} {e.stage}\t{os.fsdecode(e.path)}" for e in read(repository)]
    assert listed == repository.git("ls-files", "-s", "-z").split("\0")[:-1]
    assert {e.path: e.size for e in read(repository)}[b"a"] == len("content\n")


@pytest.mark.parametrize("version", ["3", "4"])
def test_flags_are_read(repository: Repository, version: str) -> None:
    filled(repository)
    repository.git("update-index", "--assume-unchanged", "a")
    repository.git("update-index", "--skip-worktree", "b")
    repository.write("new")
    repository.git("add", "-N", "new")
    repository.git("update-index", "--index-version", version)
    flagged = notable_entries((repository.root / ".git/index").read_bytes(), 20)
    marks = {e.path: (e.assumed_unchanged, e.skipped, e.intended) for e in flagged}
    assert marks == {b"a": (True, False, False), b"b": (False, True, False), b"new": (False, False, True)}


def test_a_composed_index_is_read_by_git_with_flags_and_stages(repository: Repository) -> None:
    filled(repository)
    repository.commit()
    kept = [entry for entry in read(repository) if entry.path != b"b"]
    oid = kept[0].oid
    added = [Entry(b"b", 0o100644, oid, stage) for stage in (1, 2, 3)]
    added += [Entry(b"z", 0o100644, oid, skipped=True), Entry(b"zz", 0o100644, oid, assumed_unchanged=True)]
    (repository.root / ".git/index").write_bytes(compose([*added, *kept], 20))
    listed = repository.git("ls-files", "-s", "-t", "-v", "-z").split("\0")[:-1]
    assert [line[0] + line[-2:] for line in listed if line[-2:] in {"\tb", "\tz", "zz"}] == [
        "M\tb",
        "M\tb",
        "M\tb",
        "S\tz",
        "hzz",
    ]
    assert repository.git("fsck") == ""
    assert repository.git("diff-files", "--name-only", "a") == ""


def test_a_split_index_is_known_as_one(repository: Repository) -> None:
    filled(repository)
    assert not needs_git((repository.root / ".git/index").read_bytes(), 20)
    repository.git("update-index", "--split-index")
    assert needs_git((repository.root / ".git/index").read_bytes(), 20)


@pytest.mark.parametrize("data", [b"", b"DIRC", b"XXXX\0\0\0\2\0\0\0\0", b"DIRC\0\0\0\2\0\0\0\5short"])
def test_what_is_no_index_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableIndex):
        list(entries(data, 20))
