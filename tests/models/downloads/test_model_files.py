import asyncio
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from mulligan.models.embedded import download
from mulligan.models.embedded.catalog import ModelEntry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.download_progress import DownloadError, Progress, Waiting
from tests.models.downloads.made_up import CONTENT, HUB, Answer, Hub, entry_from

StartHub = Callable[..., AbstractAsyncContextManager[Hub]]

PULL = """
import asyncio, sys
from pathlib import Path
from mulligan.models.embedded.catalog import ModelEntry
from mulligan.models.embedded.download import ModelFiles
from mulligan.types.errors import MulliganError
entry = ModelEntry.model_validate_json(sys.argv[2])
show = lambda progress: print(progress, flush=True)
try:
    asyncio.run(ModelFiles(Path(sys.argv[1])).pull(entry, progress=show))
except MulliganError as error:
    print(type(error).__name__, error)
"""


def ignore(progress: Progress) -> None:
    """Nobody watches."""


async def start_pull(
    files: ModelFiles, entry: ModelEntry, *, largest_file: int | None = None
) -> asyncio.subprocess.Process:
    """The same download in a process of its own."""

    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PULL, str(files.folder.parent), entry.model_dump_json()),
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=limit,
    )


async def put_by_hand(files: ModelFiles, entry: ModelEntry, content: bytes = CONTENT) -> Path:
    files.folder.mkdir(parents=True)
    path = files.path(entry)
    path.write_bytes(content)
    return path


async def test_a_killed_download_is_not_whole_and_is_gone_on_with(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    async with hub(Answer(stall=150_000)) as server:
        child = await start_pull(files, from_hub)
        assert child.stdout
        while b"done=150000" not in await child.stdout.readline():
            pass
        # What is in the process's own buffer is lost with it.
        child.kill()
        await child.communicate()
        begun = files.begun(from_hub)
        assert not files.present(from_hub)
        assert 0 < begun <= 150_000

        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={begun}-"]


async def test_two_processes_download_once(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "POLL_SECONDS", 0.001)
    waits = asyncio.Event()
    seen: list[Progress] = []

    def notice(progress: Progress) -> None:
        seen.append(progress)
        waits.set()

    async with hub(Answer(stall=150_000)) as server:
        child = await start_pull(files, from_hub)
        assert child.stdout
        while b"Downloading" not in await child.stdout.readline():
            pass
        second = asyncio.create_task(files.pull(from_hub, progress=notice))
        await waits.wait()
        await server.hang_up()
        path = await second
        await child.communicate()

    assert path.read_bytes() == CONTENT
    assert set(seen) == {Waiting("tiny.gguf")}
    assert len(server.paths) == 2


async def test_a_file_that_is_there_is_not_asked_for(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    async with hub() as server:
        await files.pull(from_hub, progress=ignore)
        await files.pull(from_hub, progress=ignore)

    assert len(server.paths) == 1


async def test_a_file_put_there_by_hand_is_checked_and_used(files: ModelFiles, from_hub: ModelEntry) -> None:
    path = await put_by_hand(files, from_hub)
    assert not files.present(from_hub)

    assert await files.pull(from_hub, progress=ignore) == path
    assert files.present(from_hub)


async def test_a_wrong_file_put_there_by_hand_is_replaced(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    await put_by_hand(files, from_hub, bytes(len(CONTENT)))
    async with hub():
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT


SPOILT: dict[str, Callable[[Path], object]] = {
    "shorter": lambda path: path.write_bytes(CONTENT[:-1]),
    "written to since": lambda path: os.utime(path, ns=(1, 1)),
    "gone": lambda path: path.unlink(),
    "a stamp of something else": lambda path: Path(f"{path}.checked").write_text("{}"),
    "half a stamp": lambda path: Path(f"{path}.checked").write_text("{"),
    "no stamp": lambda path: Path(f"{path}.checked").unlink(),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
async def test_what_is_not_as_it_was_checked_does_not_count(
    spoil: Callable[[Path], object], files: ModelFiles, from_hub: ModelEntry
) -> None:
    path = await put_by_hand(files, from_hub)
    await files.pull(from_hub, progress=ignore)

    spoil(path)

    assert not files.present(from_hub)


async def test_a_full_check_finds_what_the_stamp_does_not_show(files: ModelFiles, from_hub: ModelEntry) -> None:
    path = await put_by_hand(files, from_hub)
    assert await files.intact(from_hub, progress=ignore)
    state = path.stat()
    path.write_bytes(bytes(len(CONTENT)))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert files.present(from_hub)

    assert not await files.intact(from_hub, progress=ignore)
    assert not files.present(from_hub)


async def test_removing_deletes_the_file_and_its_stamp(files: ModelFiles, from_hub: ModelEntry) -> None:
    path = await put_by_hand(files, from_hub)
    await files.pull(from_hub, progress=ignore)

    assert files.remove(from_hub)
    assert not path.exists()
    assert not files.present(from_hub)
    assert not files.remove(from_hub)


async def test_a_download_under_way_is_not_removed(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    async with hub(Answer(stall=150_000)) as server:
        child = await start_pull(files, from_hub)
        assert child.stdout
        while b"Downloading" not in await child.stdout.readline():
            pass

        with pytest.raises(DownloadError, match="being downloaded by another process"):
            files.remove(from_hub)
        await server.hang_up()
        await child.communicate()

    assert files.present(from_hub)


async def test_what_can_not_fit_on_the_disk_is_not_begun(files: ModelFiles) -> None:
    huge = entry_from(HUB).model_copy(update={"size": 10**16})

    with pytest.raises(DownloadError, match=r"does not fit on the disk: .* MB are needed"):
        await files.pull(huge, progress=ignore)

    assert files.begun(huge) == 0


async def test_a_limit_met_while_writing_is_told_and_the_part_kept(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    async with hub():
        child = await start_pull(files, from_hub, largest_file=100_000)
        out, _ = await child.communicate()

    assert b"DownloadError no space left for" in out
    assert files.begun(from_hub) == 100_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of one megabyte, where the system lets us have one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no right to mount a file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


async def test_a_disk_that_fills_up_is_told_and_the_next_try_goes_on(
    hub: StartHub, small_disk: Path, from_hub: ModelEntry
) -> None:
    files = ModelFiles(small_disk)
    ballast = small_disk / "ballast"

    def fill() -> None:
        ballast.write_bytes(bytes(os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize))

    async with hub(Answer(midway=fill)):
        with pytest.raises(DownloadError, match=r"no space left for .*No space left on device"):
            await files.pull(from_hub, progress=ignore)
        ballast.unlink()
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT


async def test_a_home_that_can_not_be_made_is_told(tmp_path: Path, from_hub: ModelEntry) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")

    with pytest.raises(DownloadError, match="can't be written or read: Not a directory"):
        await ModelFiles(tmp_path / "home").pull(from_hub, progress=ignore)


async def test_the_stamp_names_the_hash(files: ModelFiles, from_hub: ModelEntry) -> None:
    path = await put_by_hand(files, from_hub)
    await files.pull(from_hub, progress=ignore)

    assert json.loads(Path(f"{path}.checked").read_text())["sha256"] == from_hub.sha256
