"""Fills a new work tree: copies content and folders, and rewrites paths that point to the checkout."""

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event

from mulligan.runtime.regular_files import UnfitFile, read_regular
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.area import Area, private_area, replace_file, scratch
from mulligan.workspace.checkpoints.index_file import compose, entries
from mulligan.workspace.checkpoints.model import SkippedPath, Snapshot, StepHook
from mulligan.workspace.checkpoints.user_index import flagged_entries
from mulligan.workspace.git import Git

MAX_SCRIPT_BYTES = 1_000_000
"""A larger file in a folder of scripts is a binary."""


@dataclass(frozen=True)
class Moved:
    """A checkout and the work tree made from it."""

    checkout: Path
    to: Path

    def link(self, target: str, place: Path) -> str:
        """The target of a link in the checkout's folder `place` once it is copied to the work tree.

        A link within the checkout points to the same place in the work tree; any other keeps its target.
        """
        inside = Path(os.path.normpath(place / target)).is_relative_to(self.checkout)
        if target.startswith("/"):
            return os.fspath(self.to / os.path.relpath(target, self.checkout)) if inside else target
        return target if inside else os.path.normpath(place / target)

    def text(self, data: bytes) -> bytes:
        return self._whole_path.sub(lambda _: os.fsencode(self.to), data)

    @cached_property
    def _whole_path(self) -> re.Pattern[bytes]:
        """Matches the checkout's path, but not `/code/app` in `/code/app2` or in `/old/code/app`."""
        part = rb"[\w.\-\x80-\xff]"
        return re.compile(rb"(?<!" + part + rb")" + re.escape(os.fsencode(self.checkout)) + rb"(?!" + part + rb")")


def is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()


def move_environment(folder: Path, moved: Moved) -> None:
    """Make a copied Python environment run in its new place, and import the work tree's code where the checkout's was
    installed as editable."""
    for file in _naming_paths(folder):
        data = _read(file)
        changed = moved.text(data)
        if changed != data:
            file.write_bytes(changed)


def _naming_paths(folder: Path) -> Iterator[Path]:
    yield folder / "pyvenv.cfg"
    for script in (folder / "bin").glob("*"):
        if _read(script).startswith(b"#!") or script.name.lower().startswith("activate"):
            yield script
    for pattern in ("*.pth", "*.egg-link", "__editable__*.py"):
        yield from (folder / "lib").glob(f"*/site-packages/{pattern}")


def _read(file: Path) -> bytes:
    """Empty for a link: it may lead out of the work tree, where nothing may be written."""
    try:
        return read_regular(file, limit=MAX_SCRIPT_BYTES, follow=False)
    except UnfitFile:
        return b""


CLONE = 0x40049409
"""Linux's FICLONE: two files share content, but are written separately. Writing to a hard link changes both."""


@frozen
class Measured:
    bytes: int
    sample: Path | None
    """One of the files."""


def measure(folder: Path) -> Measured:
    total, sample = 0, None
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as inside:
            for entry in inside:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry))
                elif entry.is_file(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
                    sample = Path(entry)
    return Measured(total, sample)


class Copying:
    """Copies folders of a checkout into a work tree."""

    def __init__(self, moved: Moved, stop: Event) -> None:
        self._moved = moved
        self._stop = stop
        self._shares = True

    def can_share(self, sample: Path) -> bool:
        with TemporaryFile(dir=self._moved.to) as target, suppress(OSError), sample.open("rb") as source:
            return _cloned(source.fileno(), target.fileno())
        return False

    def folder(self, source: Path, target: Path, *, shown: Path) -> None:
        """Copy a whole folder. `shown` is its path in the checkout, from which its relative links start."""
        waiting = [(source, target, shown)]
        made: list[tuple[Path, os.stat_result]] = []
        while waiting and not self._stop.is_set():
            here, there, place = waiting.pop()
            there.mkdir()
            made.append((there, here.stat()))
            with os.scandir(here) as inside:
                entries = list(inside)
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((Path(entry), there / entry.name, place / entry.name))
                else:
                    # Another program may be changing the folder; a file that is gone need not be copied.
                    with suppress(FileNotFoundError):
                        self._entry(Path(entry), there / entry.name, place)
        for folder, info in reversed(made):
            folder.chmod(stat.S_IMODE(info.st_mode) | stat.S_IRWXU)
            os.utime(folder, ns=(info.st_atime_ns, info.st_mtime_ns))

    def _entry(self, source: Path, target: Path, place: Path) -> None:
        info = source.lstat()
        if stat.S_ISLNK(info.st_mode):
            target.symlink_to(self._moved.link(os.fspath(source.readlink()), place))
        elif stat.S_ISREG(info.st_mode):
            self._file(source, target)
            target.chmod(stat.S_IMODE(info.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
            # Python uses compiled files only if the source's time is unchanged.
            os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))

    def _file(self, source: Path, target: Path) -> None:
        if self._shares:
            with source.open("rb") as original, target.open("xb") as copy:
                self._shares = _cloned(original.fileno(), copy.fileno())
        if not self._shares:
            shutil.copyfile(source, target)


def _cloned(source: int, target: int) -> bool:
    try:
        fcntl.ioctl(target, CLONE, source)
    except OSError:
        return False
    return True


async def fill(root: Path, snapshot: Snapshot, *, on_step: StepHook) -> None:
    """Write files byte for byte, folders, index, and a merge under way."""
    async with private_area(root) as area:
        # Through our own index, which converts nothing, and knows the files from then on.
        await area.git.run("read-tree", snapshot.tree)
        await area.git.run("checkout-index", "--all", "--index", "--quiet")
        for folder in snapshot.folders:
            (root / folder).mkdir(parents=True, exist_ok=True)
        on_step("after the files")
        await _write_index(area, snapshot)
        for name, text in snapshot.merge_files.items():
            replace_file(area.repository.git_dir / name, text.encode("utf-8", "surrogateescape"))
        on_step("after the index")


async def forget_branch(git: Git, branch: str) -> None:
    """Set HEAD to a separate branch without a commit: the user's branch must not be created here."""
    await git.run("symbolic-ref", "HEAD", branch)


def copy_uncovered(checkout: Path, root: Path, snapshot: Snapshot) -> list[SkippedPath]:
    """Copy files that are too large for a snapshot's tree, or secret. Returns what can't be copied."""
    left: list[SkippedPath] = []
    for apart in snapshot.outside_tree:
        source, target = checkout / apart.path, root / apart.path
        if source.is_symlink() or not source.is_file() or not os.access(source, os.R_OK):
            left.append(apart)
            continue
        if shutil.disk_usage(root).free < source.stat().st_size:
            left.append(SkippedPath(apart.path, f"{apart.reason}, and there is no space left on the disk"))
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # just deleted
            shutil.copy2(source, target)
    return left


async def _write_index(area: Area, snapshot: Snapshot) -> None:
    path = scratch(area) / "made-index"
    git = replace(area.repository, index=path)
    # Entries that a sparse checkout skips are among the flagged ones.
    await git.run("read-tree", "--no-sparse-checkout", snapshot.index.tree)
    flagged = await flagged_entries(git, snapshot.index)
    if flagged:
        special = {entry.path for entry in flagged}
        plain = [entry for entry in entries(path.read_bytes(), area.oid_bytes) if entry.path not in special]
        path.write_bytes(compose([*plain, *flagged], area.oid_bytes))
    # Whether a file matches depends on the user's conversions, so the user's settings apply. The exit code only says
    # that some files differ from the index.
    user_git = replace(git, user_config=True)
    await user_git.run("update-index", "-q", "--unmerged", "--refresh", accept=None)
    path.replace(area.repository.git_dir / "index")
