"""A real `mulligan serve`, and what a browser would do with it."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import ScriptedServer
from tests.forked_command import SOURCE, Forked, start_forked
from tests.patience import PATIENCE

FIRST_LINE = re.compile(r"Mulligan is at (http://\S+:(\d+))/\n")
MAX_LINE_BYTES = 1 << 20
LOADED = ("mulligan.server.process", "acp", "tests.server.built_routes")
"""What the process that servers are forked from has loaded."""


@dataclass
class ForkedServer:
    """What `asyncio.subprocess.Process` has, for a server that another process has forked."""

    forked: Forked
    pid: int
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    @property
    def returncode(self) -> int | None:
        return self.forked.code.result() if self.forked.code.done() else None

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        return await asyncio.shield(asyncio.wrap_future(self.forked.code))

    async def communicate(self) -> tuple[bytes, bytes]:
        out, err, _ = await asyncio.gather(self.stdout.read(), self.stderr.read(), self.wait())
        return out, err


@dataclass
class Process:
    """A server process that has said where it is."""

    process: asyncio.subprocess.Process | ForkedServer
    url: str
    """Without a slash at the end."""
    port: int

    async def line(self) -> str:
        """The next line of its output."""
        assert self.process.stdout is not None
        return (await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)).decode()

    async def end(self) -> tuple[int, str, str]:
        """Ask it to end; its exit code, and the rest of what it said."""
        if self.process.returncode is None:
            self.process.terminate()
        out, err = await asyncio.wait_for(self.process.communicate(), PATIENCE)
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN_")}
    alone = {"MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no", "PYTHONPATH": str(SOURCE)}
    return {**clean, **alone, "MULLIGAN_HOME": str(home), **(more or {})}


@asynccontextmanager
async def serving(
    project: Path, home: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> AsyncGenerator[Process]:
    """`mulligan serve` on a free port, in the project's folder, for as long as the context lasts.

    It is forked from a process that has the server loaded: loading it takes most of the time of a start.
    """
    words = ("serve", "--port", "0", *arguments)
    async with AsyncExitStack() as stack:
        files = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (files / "stdin").touch()
        out, err = [await stack.enter_async_context(_read_from(files / name)) for name in ("stdout", "stderr")]
        forked = start_forked(words, cwd=project, env=environment(home, env), files=files, loaded=LOADED)
        pid = await asyncio.wait_for(asyncio.wrap_future(forked.pid), PATIENCE)
        async with _until_left(ForkedServer(forked, pid, out, err)) as process:
            yield process


@asynccontextmanager
async def serving_from_the_start(
    project: Path, home: Path, *arguments: str, env: Mapping[str, str] | None = None, descriptors: int | None = None
) -> AsyncGenerator[Process]:
    """The same as a program that is started, as a user does it."""
    bounded = ["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(descriptors)] if descriptors else []
    process = await asyncio.create_subprocess_exec(
        *bounded, sys.executable, "-m", "mulligan", "serve", "--port", "0", *arguments,
        cwd=project, env=environment(home, env), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, limit=MAX_LINE_BYTES,
    )  # fmt: skip
    async with _until_left(process) as served:
        yield served


@asynccontextmanager
async def _until_left(process: asyncio.subprocess.Process | ForkedServer) -> AsyncGenerator[Process]:
    assert process.stdout is not None
    try:
        first = (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()
        found = FIRST_LINE.fullmatch(first)
        if not found:
            raise AssertionError(f"it did not start: {first!r} {await process.communicate()}")
        yield Process(process, found[1], int(found[2]))
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.communicate(), PATIENCE)
            except TimeoutError:
                process.kill()
                await process.communicate()


@asynccontextmanager
async def _read_from(pipe: Path) -> AsyncGenerator[asyncio.StreamReader]:
    """A new named pipe. It has no end before somebody has opened it to write."""
    os.mkfifo(pipe)
    reader = asyncio.StreamReader(MAX_LINE_BYTES)
    opened = os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), opened
    )
    try:
        yield reader
    finally:
        transport.close()


@dataclass
class Page:
    """The socket of one page, its messages decoded."""

    connection: ClientConnection
    seen: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """All envelopes so far."""
    _waiting: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def message(self) -> dict[str, Any]:
        """The next one, whatever it is."""
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self.connection.recv(), PATIENCE))
        if message["type"] == "frames":
            self.seen += message["envelopes"]
            self._waiting += message["envelopes"]
        return message

    async def envelope(self) -> dict[str, Any]:
        """The next one; other messages are passed over."""
        while not self._waiting:
            await self.message()
        return self._waiting.pop(0)

    async def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next envelope whose frame is of this type and has these fields; `chat_id` and `run_id` are its own."""
        while True:
            envelope = await self.envelope()
            frame = envelope["frame"]
            both = {**envelope, **frame, "chat_id": envelope["chat_id"], "run_id": envelope["run_id"]}
            if frame["type"] == kind and all(both.get(name) == value for name, value in fields.items()):
                return envelope

    def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        return self

    async def __anext__(self) -> dict[str, Any]:
        return await self.message()


@dataclass
class Served:
    """A server with one project, its model scripted."""

    process: Process
    project: Path
    home: Path
    model: ScriptedServer
    """In this process: `await model.asked(1)` waits for its first request."""
    client: httpx2.AsyncClient
    database: Mapping[str, str]
    """The setting that names it, for another server on the same data."""
    project_id: str

    @property
    def url(self) -> str:
        return self.process.url

    async def play(self, *replies: Mapping[str, Any], **script: Any) -> None:
        """What the model says from now on; its requests are counted anew."""
        wanted = Script.model_validate({"replies": replies, **script})
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            address = self.model.base_url.removesuffix("/v1")
            answer = await client.post(f"{address}/_script", content=wanted.model_dump_json())
        assert answer.status_code == 200, answer.text

    @asynccontextmanager
    async def socket(
        self, *, since: int | None = None, epoch: str = "", headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Page]:
        """A page's socket. The first message is its hello."""
        asked = "" if since is None else f"?since={since}&epoch={epoch}"
        address = self.url.replace("http", "ws", 1) + "/api/socket" + asked
        async with connect(
            address, additional_headers=headers, max_size=None, proxy=None, open_timeout=PATIENCE
        ) as connection:
            yield Page(connection)
