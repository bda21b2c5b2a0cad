"""Updates a cache from the disk: reads changed files again, and links only what that affects."""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mulligan.codecontext.cache import Cache, StaleIndex
from mulligan.codecontext.examined_file import Examined, Job
from mulligan.codecontext.parsing import IndexInterrupted, Stopped, examine_all
from mulligan.codecontext.rows import (
    UNSETTLED,
    KnownFile,
    Stamp,
    drop_files,
    known_files,
    link_sides,
    put_file,
    restamp,
)
from mulligan.core.secrets import is_secret
from mulligan.syntax.file_types import file_type
from mulligan.syntax.parsed_file import ParsedFile
from mulligan.syntax.skipping import skip_by_path
from mulligan.types.codecontext import IndexProgress

WRITTEN_EVERY = 1.0
"""Seconds between writes, so that partial answers soon include what was read."""
WRITTEN_AT_ONCE = 200
"""Most files per write. What was parsed is kept even if the rest is interrupted."""
COARSE = 50_000_000
"""Nanoseconds within which a file may be written twice with the same modification time."""
VERY_COARSE = 2_000_000_000
"""The same for file systems that count whole seconds."""
MAX_TRIES = 5
POLL_SECONDS = 0.1
"""Seconds between two checks whether another process is still reading."""


class Updated(NamedTuple):
    """One state of a project."""

    files: Mapping[str, KnownFile]
    digest: str
    """Equal for equal states."""
    others_wrote: int
    """The cache's counter of others' writes. If it changes, files may have other ids in the cache."""
    parsed: int


class Updater:
    """Keeps one cache up to date. What it read from the cache stays in memory until another process writes."""

    def __init__(self, cache: Cache, root: Path, note: Callable[[IndexProgress], None]) -> None:
        self.cache = cache
        self._root = root
        self._known: dict[str, KnownFile] | None = None
        self._written = -1
        """The cache's counter of others' writes when `_known` was read."""
        self._note = note

    def update(self, listed: Sequence[str], stopped: Stopped) -> Updated:
        """Raises `IndexInterrupted` when stopped, and `StaleIndex`. What was parsed until then is kept."""
        tries = 0
        while tries < MAX_TRIES:
            try:
                if done := self._update_once(listed, stopped):
                    return done
            except StaleIndex:
                tries += 1
        raise StaleIndex

    def is_overtaken(self) -> bool:
        """Another process has written since the last update."""
        return self.cache.others_wrote() != self._written

    def _update_once(self, listed: Sequence[str], stopped: Stopped) -> Updated | None:
        """None if another process was reading the project: its work need not be repeated."""
        cache = self.cache
        known = self.prepare()
        stamps = _stamps(self._root, listed, known)
        before = digest_of({path: each.hash for path, each in known.items()})
        settled = len(stamps) == len(known) and all(_is_known(known.get(path), stamps[path]) for path in stamps)
        if settled and _is_linked(cache, before):
            return Updated(known, before, self._written, 0)
        with cache.only_reader() as alone:
            if alone:
                # What another process has read since we looked need not be read again.
                return None if self.is_overtaken() else self._catch_up(known, stamps, before, stopped)
        self._wait_for_other(len(stamps), stopped)
        return None

    def _wait_for_other(self, files: int, stopped: Stopped) -> None:
        """Wait until no other process reads the project. Raises `IndexInterrupted`."""
        while not stopped():
            with self.cache.only_reader() as alone:
                if alone:
                    break
            (read,) = self.cache.connection.execute("SELECT count(*) FROM files").fetchone()
            self._note(IndexProgress(min(read, files), files))
            time.sleep(POLL_SECONDS)
        if stopped():
            raise IndexInterrupted

    def _catch_up(
        self, known: dict[str, KnownFile], stamps: Mapping[str, Stamp], before: str, stopped: Stopped
    ) -> Updated:
        """Read the files that changed since the digest was `before`, and link what they affect."""
        from mulligan.codecontext.relink import ChangedFiles, relink  # not needed if nothing changed

        cache, self._known = self.cache, None
        new = {path: stamp for path, stamp in stamps.items() if not _is_known(known.get(path), stamp)}
        gone = [path for path in known if path not in stamps]
        before_sides = link_sides(cache, [path for path in new if path in known])
        fresh = _read(cache, self._root, new, known, stopped, note=self._note)
        hashes = {path: known[path].hash for path in stamps if path in known} | fresh
        digest = digest_of(hashes)
        with cache.writing():
            cache.index_names()
            drop_files(cache, gone)
            # `known` does not include what another process wrote meanwhile.
            same_paths = not gone and all(path in known for path in fresh) and not self.is_overtaken()
            if same_paths:
                now = known | known_files(cache, list(new))
            else:
                now = known_files(cache)
                if digest_of({path: each.hash for path, each in now.items()}) != digest:
                    raise StaleIndex
            if not _is_linked(cache, digest):
                changed = (
                    ChangedFiles(sorted(fresh), before_sides) if same_paths and _is_linked(cache, before) else None
                )
                relink(cache, self._root, now, changed, stopped)
                cache.keep("linked", digest, "")
            self._known, self._written = now, cache.others_wrote()
        return Updated(now, digest, self._written, len(fresh))

    def prepare(self) -> dict[str, KnownFile]:
        """The files in the cache."""
        written = self.cache.others_wrote()
        if self._known is None or written != self._written:
            self._known, self._written = known_files(self.cache), written
        return self._known


def digest_of(hashes: Mapping[str, str]) -> str:
    lines = "\n".join(f"{path}\t{hashes[path]}" for path in sorted(hashes))
    return hashlib.sha256(lines.encode()).hexdigest()


def _is_known(known: KnownFile | None, stamp: Stamp) -> bool:
    return known is not None and known.stamp == stamp and stamp.mtime != UNSETTLED


def _is_linked(cache: Cache, digest: str) -> bool:
    return cache.computed("linked", digest) is not None


def _stamps(root: Path, listed: Iterable[str], known: Mapping[str, KnownFile]) -> dict[str, Stamp]:
    base = os.fspath(root)
    stamps: dict[str, Stamp] = {}
    now = time.time_ns()
    for path in listed:
        # Detecting secrets by name costs more than all the rest, and known files were checked before.
        if path not in known and (not _is_nameable(path) or is_secret(path)):
            continue
        try:
            found = os.lstat(f"{base}/{path}")
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            stamps[path] = Stamp(found.st_size, _settled(found.st_mtime_ns, now), found.st_ctime_ns)
    return stamps


def _settled(mtime: int, now: int) -> int:
    """`UNSETTLED` for a file that was just written: it may be written again with the same modification time."""
    coarse = COARSE if mtime % 1_000_000_000 else VERY_COARSE
    return mtime if mtime < now - coarse else UNSETTLED


def _is_nameable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read(
    cache: Cache,
    root: Path,
    new: Mapping[str, Stamp],
    known: Mapping[str, KnownFile],
    stopped: Stopped,
    *,
    note: Callable[[IndexProgress], None],
) -> dict[str, str]:
    """Read files that may have changed, and store those that did. Returns the hashes of the latter."""
    fresh: dict[str, str] = {}
    unread = [each for path, stamp in new.items() if (each := _unread(path, stamp))]
    skipped = {each.path for each in unread}
    before = {path: known[path].hash if path in known else "" for path in new if path not in skipped}
    jobs = sorted((Job(path, content, new[path].size) for path, content in before.items()), key=nearest_and_largest)
    waiting: list[Examined] = [each for each in unread if each.path not in known or known[each.path].hash != each.hash]
    same: dict[str, Stamp] = {}
    due = time.monotonic() + WRITTEN_EVERY
    if jobs:
        note(IndexProgress(0, len(jobs)))
    for read, found in enumerate(examine_all(root, jobs, stopped), 1):
        note(IndexProgress(read, len(jobs)))
        if found.parsed is None:
            same[found.path] = new[found.path]
        else:
            waiting.append(found)
        if len(waiting) >= WRITTEN_AT_ONCE or time.monotonic() >= due:
            fresh |= _write(cache, new, waiting)
            waiting, due = [], time.monotonic() + WRITTEN_EVERY
    fresh |= _write(cache, new, waiting)
    if same:
        with cache.writing():
            restamp(cache, same)
    if stopped():
        raise IndexInterrupted
    return fresh


def nearest_and_largest(job: Job) -> tuple[int, bool, int]:
    """Sort key: files near the top of the project first, then code before other files, then large before small."""
    kind = file_type(job.path)
    return job.path.count("/"), kind is None or kind.grammar is None, -job.size


def _unread(path: str, stamp: Stamp) -> Examined | None:
    reason = skip_by_path(path, stamp.size)
    if reason is None:
        return None
    kind = file_type(path)
    parsed = ParsedFile(language=kind.name if kind else None, skipped=reason)
    return Examined(path, f"{reason} {stamp.size} {stamp.mtime}", parsed)


def _write(cache: Cache, stamps: Mapping[str, Stamp], found: Sequence[Examined]) -> dict[str, str]:
    if not found:
        return {}
    with cache.writing():
        for each in found:
            if each.parsed is not None:
                put_file(cache, each.path, stamps[each.path], each.hash, each.parsed)
    return {each.path: each.hash for each in found}
