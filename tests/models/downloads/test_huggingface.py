import hashlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from mulligan.models.embedded import huggingface
from mulligan.models.embedded.catalog import ModelEntry
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.download_progress import DownloadError, Downloading, Progress
from tests.models.downloads.made_up import CONTENT, Answer, Hub

StartHub = Callable[..., AbstractAsyncContextManager[Hub]]


def ignore(progress: Progress) -> None:
    """Nobody watches."""


def leave_part(files: ModelFiles, entry: ModelEntry, content: bytes) -> Path:
    files.folder.mkdir(parents=True)
    part = files.folder / f"{files.path(entry).name}.part"
    part.write_bytes(content)
    return part


async def refusal(files: ModelFiles, entry: ModelEntry) -> str:
    with pytest.raises(DownloadError) as caught:
        await files.pull(entry, progress=ignore)
    assert not files.present(entry)
    assert not files.path(entry).exists()
    return str(caught.value)


async def test_the_file_is_downloaded_and_kept_under_its_hash(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    async with hub() as server:
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert path.name == f"{from_hub.sha256[:16]}-tiny.gguf"
    assert files.present(from_hub)
    assert server.paths == ["/someone/tiny/resolve/main/tiny.gguf"]


async def test_progress_counts_up_to_the_whole(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    seen: list[Progress] = []
    async with hub():
        await files.pull(from_hub, progress=seen.append)

    done = [progress.done for progress in seen if isinstance(progress, Downloading)]
    assert done == sorted(done)
    assert done[-1] == from_hub.size


async def test_a_redirect_is_followed_with_the_range(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    leave_part(files, from_hub, CONTENT[:1000])
    async with hub(Answer(status=302, location="/elsewhere"), Answer(status=307, location="{url}/cdn")) as server:
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert server.paths[1:] == ["/elsewhere", "/cdn"]
    assert server.ranges == ["bytes=1000-"] * 3


@pytest.mark.parametrize(
    "location",
    [
        pytest.param("http://example.com/tiny.gguf", id="plain http"),
        pytest.param("ftp://127.0.0.1/tiny.gguf", id="another scheme"),
        pytest.param("http://[oops", id="nonsense"),
    ],
)
async def test_a_redirect_to_an_unsafe_address_is_refused(
    location: str, hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    async with hub(Answer(status=302, location=location)):
        assert "not https" in await refusal(files, from_hub)


async def test_redirects_without_end_are_refused(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    async with hub(*[Answer(status=302, location="/again")] * 9):
        assert "redirects endlessly" in await refusal(files, from_hub)


async def test_plain_http_is_refused_off_this_machine(
    monkeypatch: pytest.MonkeyPatch, files: ModelFiles, from_hub: ModelEntry
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")

    assert "not https" in await refusal(files, from_hub)


async def test_a_cut_download_goes_on_where_it_was_cut(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    async with hub(Answer(cut=100_000), Answer(cut=50_000)) as server:
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-", "bytes=150000-"]


async def test_a_part_of_an_earlier_download_is_gone_on_with(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    leave_part(files, from_hub, CONTENT[:123_456])
    async with hub() as server:
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert server.ranges == ["bytes=123456-"]


async def test_a_part_that_is_whole_is_only_checked(hub: StartHub, files: ModelFiles, from_hub: ModelEntry) -> None:
    leave_part(files, from_hub, CONTENT)
    async with hub() as server:
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert server.paths == []


async def test_a_server_that_ignores_ranges_is_read_from_the_beginning(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    leave_part(files, from_hub, CONTENT[:1000])
    async with hub(Answer(ignores_range=True)):
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT


async def test_a_spoilt_part_is_thrown_away_and_the_mirror_asked_again(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    leave_part(files, from_hub, bytes(1000))
    async with hub() as server:
        path = await files.pull(from_hub, progress=ignore)

    assert path.read_bytes() == CONTENT
    assert server.ranges == ["bytes=1000-", None]


async def test_a_wrong_file_is_deleted_and_both_hashes_are_named(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    zeros = bytes(len(CONTENT))
    async with hub(Answer(content=zeros)):
        words = await refusal(files, from_hub)

    assert f"its sha256 is {hashlib.sha256(zeros).hexdigest()}, not {from_hub.sha256}" in words
    assert files.begun(from_hub) == 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(Answer(status=404), "Hugging Face does not have tiny.gguf (404)", id="missing"),
        pytest.param(Answer(status=403), "Hugging Face refused tiny.gguf (403)", id="denied"),
        pytest.param(Answer(status=500), "Hugging Face refused tiny.gguf (500)", id="broken server"),
        pytest.param(Answer(content=b"short"), "5 bytes, not 300000", id="another length"),
        pytest.param(Answer(cut=0), "broke off the download", id="cut before the first byte"),
    ],
)
async def test_a_mirror_without_the_file_is_named_with_what_to_do(
    answer: Answer, words: str, hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    async with hub(answer):
        said = await refusal(files, from_hub)

    assert words in said
    assert "mulligan models pull tiny" in said
    assert str(files.path(from_hub)) in said


async def test_a_range_that_was_not_asked_for_is_refused(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry
) -> None:
    leave_part(files, from_hub, CONTENT[:1000])
    async with hub(Answer(wrong_range=True)):
        assert "has another file under the name" in await refusal(files, from_hub)
    assert files.begun(from_hub) == 1000


async def test_a_silent_server_is_given_up_and_what_came_is_kept(
    hub: StartHub, files: ModelFiles, from_hub: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface, "IDLE_TIMEOUT", 0.02)
    async with hub(Answer(stall=70_000), Answer(stall=0)):
        assert "was silent for too long" in await refusal(files, from_hub)
    assert files.begun(from_hub) == 70_000


async def test_an_unreachable_server_is_named(
    monkeypatch: pytest.MonkeyPatch, files: ModelFiles, from_hub: ModelEntry
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://127.0.0.1:1")

    assert "Hugging Face can't be reached" in await refusal(files, from_hub)
