"""Frames over a WebSocket, in a server in this process: what is sent when."""

import asyncio
import fcntl
import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import socket
from typing import Any

import httpx2
import pytest
from websockets.asyncio.client import connect

from mulligan.codecontext.cache import cache_file
from mulligan.runtime.serving.listening import listen, serving
from mulligan.server.app import make_app
from mulligan.server.frames.envelopes import Notice
from mulligan.server.frames.hub import FrameHub, FrameScope, Subscription
from mulligan.server.routes import frames
from mulligan.server.state import ServerState
from tests.patience import PATIENCE
from tests.server.server_process import Page, Served

HERE = FrameScope("p", chat_id="c")


def socket_at(listening: socket) -> str:
    return f"ws://127.0.0.1:{listening.getsockname()[1]}/api/socket"


@pytest.fixture
async def address(state: ServerState) -> AsyncGenerator[str]:
    """Of the socket of an application in this process, over a real one."""
    listening = listen("127.0.0.1", 0)
    async with serving(make_app(state), listening):
        yield socket_at(listening)


@asynccontextmanager
async def page_at(address: str, asked: str = "") -> AsyncGenerator[Page]:
    async with connect(address + asked, proxy=None, open_timeout=PATIENCE) as connection:
        yield Page(connection)


def publish(hub: FrameHub, *words: str) -> None:
    for each in words:
        hub.publish(Notice(text=each), HERE)


def pages_of(hub: FrameHub) -> set[Subscription]:
    return hub._pages  # pyright: ignore[reportPrivateUsage] - nothing else tells who is forgotten


def texts(message: dict[str, Any]) -> list[str]:
    return [envelope["frame"]["text"] for envelope in message["envelopes"]]


async def test_the_first_message_is_a_hello_with_the_newest_number(address: str, state: ServerState) -> None:
    publish(state.hub, "before")
    async with page_at(address) as page:
        hello = await page.message()
    assert hello == {"type": "hello", "epoch": state.hub.epoch, "seq": 1, "resync": False}


async def test_frames_that_are_due_together_come_in_one_message(address: str, state: ServerState) -> None:
    async with page_at(address) as page:
        await page.message()
        publish(state.hub, "a", "b", "c")
        assert texts(await page.message()) == ["a", "b", "c"]


async def test_a_page_that_comes_back_gets_what_it_missed(address: str, state: ServerState) -> None:
    publish(state.hub, "a", "b", "c")
    async with page_at(address, f"?since=1&epoch={state.hub.epoch}") as page:
        assert (await page.message())["resync"] is False
        assert texts(await page.message()) == ["b", "c"]


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("?since=1&epoch=another", id="another epoch"),
        pytest.param("?since=1", id="no epoch"),
        pytest.param("?since=-7", id="a number below zero"),
    ],
)
async def test_a_page_whose_state_is_of_no_use_is_told_so_and_goes_on(
    address: str, state: ServerState, asked: str
) -> None:
    publish(state.hub, "a", "b")
    async with page_at(address, asked) as page:
        assert (await page.message())["resync"] is True
        publish(state.hub, "c")
        assert texts(await page.message()) == ["c"]


async def test_a_page_that_fell_behind_is_told_so_and_goes_on(address: str, state: ServerState) -> None:
    state.hub.kept = 3
    async with page_at(address) as page:
        await page.message()
        publish(state.hub, *"abcdefg")
        assert await page.message() == {"type": "hello", "epoch": state.hub.epoch, "seq": 7, "resync": True}
        publish(state.hub, "h")
        assert texts(await page.message()) == ["h"]


async def test_a_long_absence_is_made_up_for_in_portions(
    address: str, state: ServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "MAX_BATCH", 2)
    publish(state.hub, *"abcde")
    async with page_at(address, f"?since=0&epoch={state.hub.epoch}") as page:
        await page.message()
        assert [texts(await page.message()) for _ in range(3)] == [["a", "b"], ["c", "d"], ["e"]]


async def test_silence_is_broken_by_a_pulse(address: str, state: ServerState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "SILENCE", 0.01)
    publish(state.hub, "a")
    async with page_at(address) as page:
        await page.message()
        assert await page.message() == {"type": "pulse", "seq": 1}


async def test_what_a_page_says_is_ignored(address: str, state: ServerState) -> None:
    async with page_at(address) as page:
        await page.message()
        await page.connection.send("{}")
        await page.connection.send(b"\x00")
        publish(state.hub, "a")
        assert texts(await page.message()) == ["a"]


async def test_a_page_that_says_too_much_is_let_go(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "TOO_CHATTY", 3)
    async with page_at(address) as page:
        for _ in range(3):
            await page.connection.send("and another thing")
        await page.connection.wait_closed()
        assert page.connection.close_code == frames.POLICY_VIOLATION


async def test_a_page_that_goes_leaves_the_hub(state: ServerState) -> None:
    listening = listen("127.0.0.1", 0)
    async with serving(make_app(state), listening), page_at(socket_at(listening)) as page:
        await page.message()
        assert len(pages_of(state.hub)) == 1
    assert pages_of(state.hub) == set()


async def test_two_pages_get_the_same(address: str, state: ServerState) -> None:
    async with page_at(address) as one, page_at(address) as other:
        for page in (one, other):
            await page.message()
        publish(state.hub, "a")
        assert await one.message() == await other.message()


async def test_frames_can_be_had_over_http(near: httpx2.AsyncClient, state: ServerState) -> None:
    publish(state.hub, "a", "b")
    hello, batch = (await near.get("/api/frames", params={"since": 1, "epoch": state.hub.epoch})).json()
    assert (hello["type"], hello["resync"], texts(batch)) == ("hello", False, ["b"])


async def test_a_client_that_has_everything_gets_a_hello_alone(near: httpx2.AsyncClient, state: ServerState) -> None:
    publish(state.hub, "a")
    answer = await near.get("/api/frames", params={"since": 1, "epoch": state.hub.epoch})
    assert [each["type"] for each in answer.json()] == ["hello"]
    assert pages_of(state.hub) == set()


async def test_over_http_too_a_client_from_before_is_told(near: httpx2.AsyncClient, state: ServerState) -> None:
    publish(state.hub, "a")
    assert json.loads((await near.get("/api/frames?since=1&epoch=another")).text)[0]["resync"] is True


async def test_a_page_hears_how_far_the_reading_of_the_code_is(served: Served) -> None:
    lock = cache_file(served.home / "index", served.project.resolve()).with_suffix(".db-lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    async with served.socket() as page:
        await page.message()
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as another process does that reads it
            (served.project / "to_read.py").write_text("def to_read(): ...\n")
            asking = asyncio.create_task(served.client.get(f"/api/projects/{served.project_id}/overview"))
            told = (await page.until("index"))["frame"]
            assert told["of"] > told["read"]
        assert (await asking).status_code == 200
        while (await page.until("index"))["frame"] != {"type": "index", "read": 0, "of": 0}:
            pass


async def test_files_that_change_are_read_before_anybody_asks(served: Served) -> None:
    address = f"/api/projects/{served.project_id}/overview"
    await served.client.get(address)
    cache = cache_file(served.home / "index", served.project.resolve())
    async with served.socket() as page:
        await page.message()
        noticed = asyncio.create_task(page.until("files_changed"))
        while not noticed.done():
            (served.project / "kept_current.py").write_text("def kept_current(): ...\n")
            await asyncio.wait([noticed], timeout=0.2)
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(_is_kept, cache, "kept_current.py"):
            pass


def _is_kept(cache: Path, path: str) -> bool:
    connection = sqlite3.connect(cache)
    try:
        return connection.execute("SELECT count(*) FROM files WHERE path = ?", (path,)).fetchone() == (1,)
    finally:
        connection.close()


async def test_a_page_hears_of_files_that_change_on_the_disk(served: Served) -> None:
    async with served.socket() as page:
        await page.message()
        # The watcher may need a moment to begin, so the file is touched until it is noticed.
        noticed = asyncio.create_task(page.until("files_changed"))
        while not noticed.done():
            (served.project / "a.py").write_text("a = 1\n")
            (served.project / ".git" / "noise").write_text("")
            await asyncio.wait([noticed], timeout=0.2)
        assert noticed.result()["frame"]["paths"] == ["a.py"]
