"""The private git folder of a work tree: its own index, settings that convert nothing, a lock, saved state.

It lies in the work tree's own git folder and shares the repository's objects. Its index is a cache: what a file held
when it had this size and these times. It can be deleted at any time.
"""

import asyncio
import fcntl
import json
import os
import shutil
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from mulligan.runtime.regular_files import read_regular, read_regular_text
from mulligan.types.frozen import frozen
from mulligan.workspace.changes.writing import NO_HARD_LINKS
from mulligan.workspace.checkpoints.model import CheckpointRefused, IgnoreRules
from mulligan.workspace.git import Git, open_repository, user_settings

LOCK_SECONDS = 300.0
POLL_SECONDS = 0.01
MAX_STATE_BYTES = 64_000_000
"""Bytes of the state that is saved between checkpoints."""

SETTINGS = r"^(core\.(excludesfile|ignorecase|precomposeunicode)|extensions\.partialclone)$"
"""The user's settings that apply here too: what they ignore, and properties of their file system."""

RAW_BYTES = "* -text -eol -crlf -ident -filter !working-tree-encoding\n"
"""Attributes of the highest precedence, so that no other file makes git convert content."""

OWN_RULE = "\n.mulligan/\n"
"""Mulligan's own folder is outside checkpoints."""


@frozen
class Area:
    repository: Git
    """The repository with the user's index and settings."""
    git: Git
    """The same work tree, with our own index and settings."""
    rules: IgnoreRules
    oid_bytes: int
    partial_clone: bool

    @property
    def folder(self) -> Path:
        return self.git.git_dir

    @property
    def index(self) -> Path:
        return self.folder / "index"

    @property
    def root(self) -> Path:
        return self.repository.work_tree

    def forget_index(self) -> None:
        for name in ("index", "index.lock", "state.json"):
            (self.folder / name).unlink(missing_ok=True)

    def read_state(self) -> dict[str, Any]:
        try:
            return json.loads(read_regular(self.folder / "state.json", limit=MAX_STATE_BYTES))
        except (OSError, ValueError):
            return {}

    def write_state(self, state: Mapping[str, Any]) -> None:
        replace_file(self.folder / "state.json", json.dumps(state).encode())


@asynccontextmanager
async def private_area(folder: Path) -> AsyncGenerator[Area]:
    """The private area of the work tree around a folder, created if missing, and locked while in use."""
    repository = await open_repository(folder)
    settings = await user_settings(folder, SETTINGS)
    _refuse_home(repository.work_tree)
    place = repository.git_dir / "mulligan"
    place.mkdir(exist_ok=True)
    opened = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        await _take(opened)
        area = _area(repository, place, settings)
        _set_up(area, settings)
        _clear_leftovers(area)
        try:
            yield area
        finally:
            shutil.rmtree(area.folder / "scratch", ignore_errors=True)
    finally:
        os.close(opened)


def forget_sweep(area: Area, state: dict[str, Any]) -> None:
    """Make the next checkpoint check again which files the ignore rules cover.

    Called before the index is written, so that a process killed in between can't skip that check.
    """
    state.pop("swept", None)
    area.write_state(state)


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_bytes(data)
    fresh.replace(path)


def _refuse_home(work_tree: Path) -> None:
    home = Path(os.path.realpath(Path.home()))
    if work_tree == home or work_tree in home.parents:
        raise CheckpointRefused(
            f"{work_tree} is, or holds, your home folder. Checkpoints of all that lies in it are not taken; "
            "work in a repository of its own."
        )


def _area(repository: Git, place: Path, settings: Mapping[str, str]) -> Area:
    personal = Path(settings.get("core.excludesfile") or _default_excludes()).expanduser()
    if not personal.is_absolute():
        personal = repository.work_tree / personal
    git = replace(
        repository,
        git_dir=place,
        common_dir=place,
        objects=repository.common_dir / "objects",
        settings=(f"core.excludesFile={personal}",),
    )
    return Area(
        repository=repository,
        git=git,
        rules=IgnoreRules(exclude=_text(repository.common_dir / "info" / "exclude"), personal=_text(personal)),
        oid_bytes=20 if repository.object_format == "sha1" else 32,
        partial_clone="extensions.partialclone" in settings,
    )


def _default_excludes() -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return f"{base}/git/ignore"


def _text(path: Path) -> str:
    try:
        return read_regular_text(path, "utf-8", "surrogateescape")
    except OSError:
        return ""


def _set_up(area: Area, settings: Mapping[str, str]) -> None:
    repository = area.repository
    version = 0 if repository.object_format == "sha1" else 1
    lines = [
        "[core]",
        f"repositoryformatversion = {version}",
        "bare = false",
        # Capture what is in the work tree, even if the user's settings make git ignore such differences.
        "fileMode = true",
        "symlinks = true",
        "untrackedCache = false",
        f"ignoreCase = {settings.get('core.ignorecase', 'false')}",
        f"precomposeUnicode = {settings.get('core.precomposeunicode', 'false')}",
        # The index is a cache, rewritten each time: it needs no checksum.
        "[index]",
        "skipHash = true",
        # Two commands read the index at once, each on a core.
        "threads = 1",
        *(["[extensions]", f"objectFormat = {repository.object_format}"] if version else []),
    ]
    files = {
        "config": "\n".join([*lines, ""]),
        "HEAD": "ref: refs/heads/none\n",
        "info/attributes": RAW_BYTES,
        "info/exclude": area.rules.exclude + OWN_RULE,
    }
    # With these, git would take its settings from elsewhere.
    for name in ("commondir", "config.worktree"):
        (area.folder / name).unlink(missing_ok=True)
    for name in ("refs", "info"):
        (area.folder / name).mkdir(exist_ok=True)
    for name, text in files.items():
        if _text(area.folder / name) != text:
            replace_file(area.folder / name, text.encode("utf-8", "surrogateescape"))


def _clear_leftovers(area: Area) -> None:
    """Remove what a killed process left. No other process is active here: we hold the lock."""
    (area.folder / "index.lock").unlink(missing_ok=True)
    shutil.rmtree(area.folder / "scratch", ignore_errors=True)
    release_index(area)


def scratch(area: Area) -> Path:
    """A folder for files that are needed only during the current call."""
    place = area.folder / "scratch"
    place.mkdir(exist_ok=True)
    return place


def seize_index(area: Area) -> None:
    """Hold git's own lock on the user's index, so that no git command changes it.

    The lock is a hard link to a file of ours, so that a lock left by a killed process can be recognised as ours.
    """
    mark, lock = area.folder / "index-mark", area.repository.git_dir / "index.lock"
    mark.touch()
    try:
        try:
            lock.hardlink_to(mark)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            lock.touch(exist_ok=False)
            mark.write_text(str(lock.stat().st_ino))
    except FileExistsError:
        raise CheckpointRefused(
            f"Another git command is at work in {area.root}, or one was ended: {lock} exists. "
            "If no git command is running, delete that file."
        ) from None


def release_index(area: Area) -> None:
    mark, lock = area.folder / "index-mark", area.repository.git_dir / "index.lock"
    with suppress(FileNotFoundError):
        if lock.samefile(mark) or read_regular(mark) == str(lock.stat().st_ino).encode():
            lock.unlink()
    mark.unlink(missing_ok=True)


async def _take(opened: int) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise CheckpointRefused("Another checkpoint or restore has been under way here for too long.") from None
            await asyncio.sleep(POLL_SECONDS)
        else:
            return
