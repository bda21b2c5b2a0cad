"""Reads HEAD, branches, and unfinished git operations."""

import hashlib
import os
import re
import zlib
from pathlib import Path

from mulligan.runtime.regular_files import read_regular, read_regular_text
from mulligan.workspace.checkpoints.model import Head
from mulligan.workspace.git import Git, run_both

MERGE_FILES = ("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG")
"""Files of the git folder that a restore brings back."""
MAX_FILE_BYTES = 16_000_000
"""Bytes of such a file: the patch of a rebase may be large."""
OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
NAMING_COMMITS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
OPERATIONS = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or a series of patches",
    "sequencer": "a series of picks or reverts",
    "BISECT_LOG": "a bisection",
}
"""Operations that are only noted: they span many commits, and only git knows how to undo them."""


async def read_head(git: Git) -> Head:
    name, commit = await run_both(_branch(git), commit_of(git, "HEAD"))
    return Head(name, commit)


async def _branch(git: Git) -> str | None:
    # Read without a process where possible, since every checkpoint needs it.
    text = read_regular_text(git.git_dir / "HEAD", "utf-8", "surrogateescape").strip()
    if text.startswith("ref: refs/heads/") and text != "ref: refs/heads/.invalid":
        return text.removeprefix("ref: ")
    if OBJECT_ID.fullmatch(text):
        return None
    return (await git.run("symbolic-ref", "--quiet", "HEAD", accept=(0, 1))).text or None


async def commit_of(git: Git, name: str) -> str | None:
    # Also read without a process: a fix run asks this fifty times, and a process takes 6 ms of CPU time.
    found = _loose_id(git, name)
    if found and _is_loose_commit(git, found):
        return found
    return (await git.run("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}", accept=(0, 1))).text or None


def _loose_id(git: Git, name: str) -> str | None:
    """The id that HEAD, a branch or an id stands for, if it is in a loose ref."""
    if OBJECT_ID.fullmatch(name):
        return name
    if name != "HEAD" and not name.startswith("refs/heads/"):
        return None
    text = _read_ref((git.git_dir if name == "HEAD" else git.common_dir) / name)
    if name == "HEAD" and text.startswith("ref: refs/heads/"):
        text = _read_ref(git.common_dir / text.removeprefix("ref: "))
    return text if OBJECT_ID.fullmatch(text) else None


def _read_ref(file: Path) -> str:
    try:
        return read_regular_text(file, "utf-8", "surrogateescape").strip()
    except (OSError, ValueError):
        return ""


def _is_loose_commit(git: Git, commit: str) -> bool:
    try:
        packed = read_regular(git.common_dir / "objects" / commit[:2] / commit[2:], limit=MAX_FILE_BYTES)
        return zlib.decompressobj().decompress(packed, len(b"commit ")) == b"commit "
    except (OSError, ValueError, zlib.error):
        return False


def read_merge_files(git_dir: Path) -> dict[str, str]:
    found = {name: git_dir / name for name in MERGE_FILES}
    return {
        name: os.fsdecode(read_regular(path, limit=MAX_FILE_BYTES)) for name, path in found.items() if path.is_file()
    }


def operation_under_way(git_dir: Path) -> str:
    """Names and digests of the operations under way: changes with every step of an operation."""
    signs: list[str] = []
    for name in OPERATIONS:
        place = git_dir / name
        files = sorted(place.rglob("*")) if place.is_dir() else [place] if place.exists() else []
        if files:
            digest = hashlib.sha256()
            for file in files:
                digest.update(os.fsencode(file.relative_to(git_dir)) + b"\0")
                digest.update(read_regular(file, limit=MAX_FILE_BYTES) if file.is_file() else b"")
            signs.append(f"{name} {digest.hexdigest()}")
    return "\n".join(signs)
