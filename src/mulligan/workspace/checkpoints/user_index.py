"""Records the content of the user's index as a commit; only reads the index."""

import json
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from mulligan.core.secrets import IN_FOLDERS, KEY_FILES, SECRET_FOLDERS, SETTING_FILES, is_secret
from mulligan.runtime.regular_files import read_regular
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.area import Area, scratch
from mulligan.workspace.checkpoints.index_file import (
    Entry,
    UnreadableIndex,
    compose,
    entries,
    needs_git,
    notable_entries,
)
from mulligan.workspace.checkpoints.model import GITLINK, CheckpointRefused, IndexRecord
from mulligan.workspace.git import Git

MAX_INDEX_BYTES = 1_000_000_000
"""The index of ten million files."""

SECRET_NAMES = zlib.crc32(repr((SECRET_FOLDERS, KEY_FILES, SETTING_FILES, IN_FOLDERS)).encode())
"""Changes when the list of secret names does: then the files have to be checked again."""

FIXED_DATE = "@1 +0000"
"""The same content has to give the same commit."""


@frozen
class UserIndex:
    record: IndexRecord
    submodules: tuple[str, ...]
    secrets: tuple[str, ...]
    """Tracked files that count as secret by their names."""


async def record_index(area: Area, state: dict[str, Any]) -> UserIndex:
    """Record the index's content. If the index has not changed since the last time, the result comes from `state`."""
    data = read_index(area)
    checksum = data[-area.oid_bytes :].hex()
    key = f"{len(data)}:{checksum}:{SECRET_NAMES}"
    known = state.get("index", {})
    # A zero checksum means that git was configured not to compute one.
    if known.get("key") == key and checksum.strip("0"):
        record = IndexRecord(known["commit"], known["tree"], known["flagged"])
        return UserIndex(record, tuple(known["submodules"]), tuple(known["secrets"]))
    found = await _record(area)
    state["index"] = {
        "key": key,
        "commit": found.record.commit,
        "tree": found.record.tree,
        "flagged": found.record.flagged,
        "submodules": found.submodules,
        "secrets": found.secrets,
    }
    return found


def read_index(area: Area) -> bytes:
    path = area.repository.git_dir / "index"
    return read_regular(path, limit=MAX_INDEX_BYTES) if path.exists() else compose((), area.oid_bytes)


async def copy_index(area: Area, name: str) -> Path:
    """A self-contained copy of the index, with its times, which tell git what files to read again."""
    source, copy = area.repository.git_dir / "index", scratch(area) / name
    copy.write_bytes(read_index(area))
    if source.exists():
        times = source.stat()
        os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))
    if _unfolded_by_git(copy.read_bytes(), area.oid_bytes):
        git = replace(area.repository, index=copy)
        await git.run("update-index", "--no-split-index", "--index-version", "4")
        await git.run("update-index", "--index-version", "2")
    return copy


async def flagged_entries(git: Git, record: IndexRecord) -> list[Entry]:
    """Entries that a tree can't represent."""
    if not record.flagged:
        return []
    text = (await git.run("cat-file", "commit", record.commit)).stdout.partition(b"\n\n")[2]
    rows: list[list[Any]] = json.loads(text)["flagged"]
    return [
        Entry(os.fsencode(path), int(mode, 8), oid, stage, "a" in marks, "s" in marks, "i" in marks)
        for path, mode, oid, stage, marks in rows
    ]


async def _record(area: Area) -> UserIndex:
    copy = await copy_index(area, "index")
    data = copy.read_bytes()
    notable = notable_entries(data, area.oid_bytes)
    flagged = [entry for entry in notable if entry.flagged]
    if any(entry.stage for entry in flagged):
        copy.write_bytes(compose((e for e in entries(data, area.oid_bytes) if not e.stage), area.oid_bytes))
    # Objects that the user's index names may be missing from the repository; that is not our doing.
    tree = (await replace(area.git, index=copy).run("write-tree", "--missing-ok")).text
    parents = await _keep_stages(area.git, flagged)
    rows = [[os.fsdecode(e.path), f"{e.mode:o}", e.oid, e.stage, _marks(e)] for e in flagged]
    commit = await commit_tree(area.git, tree, parents, json.dumps({"flagged": rows}), date=FIXED_DATE)
    submodules = tuple(os.fsdecode(e.path) for e in notable if f"{e.mode:o}" == GITLINK)
    return UserIndex(IndexRecord(commit, tree, bool(flagged)), submodules, secret_entries(data, area.oid_bytes))


def secret_entries(data: bytes, oid_bytes: int) -> tuple[str, ...]:
    """Paths in an index that count as secret by their names, without intent-to-add entries."""
    named = (os.fsdecode(entry.path) for entry in entries(data, oid_bytes) if not entry.intended)
    return tuple(dict.fromkeys(path for path in named if is_secret(path)))


async def commit_tree(git: Git, tree: str, parents: list[str], message: str, *, date: str) -> str:
    """Raises `GitError` if a parent is missing."""
    given = [part for parent in dict.fromkeys(parents) for part in ("-p", parent)]
    env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    return (await git.run("commit-tree", tree, *given, "-F", "-", stdin=message.encode("ascii"), env=env)).text


async def _keep_stages(git: Git, flagged: list[Entry]) -> list[str]:
    """A commit of the contents of an unfinished merge, so that git's garbage collection does not remove them."""
    open_contents = sorted({entry.oid for entry in flagged if entry.stage and f"{entry.mode:o}" != GITLINK})
    if not open_contents:
        return []
    rows = b"".join(f"100644 blob {oid}\t{number}\0".encode() for number, oid in enumerate(open_contents))
    tree = (await git.run("mktree", "-z", "--missing", stdin=rows)).text
    return [await commit_tree(git, tree, [], "contents of an unfinished merge", date=FIXED_DATE)]


def _marks(entry: Entry) -> str:
    return "a" * entry.assumed_unchanged + "s" * entry.skipped + "i" * entry.intended


def _unfolded_by_git(data: bytes, oid_bytes: int) -> bool:
    try:
        return needs_git(data, oid_bytes)
    except UnreadableIndex as error:
        raise CheckpointRefused(f"The repository's index can't be read: {error}.") from error
