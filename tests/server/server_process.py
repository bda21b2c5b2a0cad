"""A real `mulligan serve`, and what a browser would do with it."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect

import mulligan
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import ScriptedServer

SOURCE = Path(mulligan.__file__).parent.parent
"""The code under test, also where another one is installed."""
FIRST_LINE = re.compile(r"Mulligan is at (http://\S+:(\d+))/\n")
PATIENCE = 20
"""Seconds for what should take a moment. Only a test that fails waits for them."""


@dataclass
class Process:
    """A server process that has said where it is."""

    process: asyncio.subprocess.Process
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
    project: Path, home: Path, *arguments: str, env: Mapping[str, str] | None = None, descriptors: int | None = None
) -> AsyncGenerator[Process]:
    """`mulligan serve` on a free port, in the project's folder, for as long as the context lasts."""
    bounded = ["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(descriptors)] if descriptors else []
    process = await asyncio.create_subprocess_exec(
        *bounded, sys.executable, "-m", "mulligan", "serve", "--port", "0", *arguments,
        cwd=project, env=environment(home, env), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, limit=1 << 20,
    )  # fmt: skip
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
        async with httpx2.AsyncClient() as client:
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
        async with connect(address, additional_headers=headers, max_size=None, proxy=None) as connection:
            yield Page(connection)
