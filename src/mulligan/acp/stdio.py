"""Standard input and output as a message transport, one JSON object per line. Nothing else may write there."""

import asyncio
import json
import os
import select
import threading
from queue import SimpleQueue

from mulligan.backends.acp.messages import read_message
from mulligan.types.tool_calls import JsonObject

STDIN, STDOUT, STDERR = 0, 1, 2
MAX_LINE_BYTES = 64_000_000
"""A file may come with a prompt. A line that does not end is not a message."""
FLUSH_SECONDS = 2.0
"""Seconds for the last messages to be read, at the end."""
CANCEL = "session/cancel"
"""The only notification that clients send. A later protocol may have more, but none needs a response."""


def claim_stdio() -> tuple[int, int]:
    """The descriptors of both, which from now on are ours alone: anything printed goes to standard error, and commands
    that we start read nothing."""
    ours = os.dup(STDIN), os.dup(STDOUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    os.dup2(STDERR, STDOUT)
    return ours


class StdioTransport:
    """The streams for the SDK's connection. Reading and writing have a thread each: standard input may be anything."""

    def __init__(self, into: int, out: int) -> None:
        self._into = into
        self._out = out
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._sent: SimpleQueue[bytes | None] = SimpleQueue()
        self._closed = False
        self._unanswered: set[int | str] = set()
        self._all_answered = asyncio.Event()
        self._all_answered.set()
        threading.Thread(target=self._read, daemon=True).start()
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()

    async def receive(self) -> JsonObject | None:
        """The next message; None at the end of the input."""
        while (line := await self._lines.get()) is not None:
            if not line.strip():
                continue
            message = read_message(line)
            if message is None:
                await self.send(_refusal(line))
            elif "id" in message or message["method"] == CANCEL:
                if "id" in message and "method" in message:
                    self._unanswered.add(message["id"])
                    self._all_answered.clear()
                return message
        return None

    async def answered(self) -> None:
        """Wait until every request has its response."""
        await self._all_answered.wait()

    async def send(self, message: JsonObject) -> None:
        # The SDK's own errors may contain values that JSON can't express.
        text = json.dumps(message, separators=(",", ":"), ensure_ascii=False, default=str)
        self._sent.put(text.encode(errors="replace") + b"\n")
        if "method" not in message:
            self._unanswered.discard(message["id"])
            if not self._unanswered:
                self._all_answered.set()

    async def close(self) -> None:
        """Write everything that was sent first."""
        if not self._closed:
            self._closed = True
            self._sent.put(None)
            await asyncio.to_thread(self._writer.join, FLUSH_SECONDS)

    def end(self) -> None:
        """Behave as if the client had closed the input."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        buffer = bytearray()
        while data := self._next_bytes():
            buffer += data
            *lines, rest = buffer.split(b"\n")
            for line in lines:
                self._hand_over(bytes(line))
            buffer = bytearray() if len(rest) > MAX_LINE_BYTES else bytearray(rest)
        if buffer:
            self._hand_over(bytes(buffer))
        self._hand_over(None)

    def _next_bytes(self) -> bytes:
        try:
            # A client may have made it non-blocking.
            select.select([self._into], [], [])
            return os.read(self._into, 65_536)
        except OSError:
            return b""

    def _hand_over(self, line: bytes | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is over
            return

    def _write(self) -> None:
        while (data := self._sent.get()) is not None:
            view = memoryview(data)
            while view:
                try:
                    select.select([], [self._out], [])
                    view = view[os.write(self._out, view) :]
                except BlockingIOError:
                    continue
                except OSError:  # nobody reads any more
                    self._hand_over(None)
                    return


def _refusal(line: bytes) -> JsonObject:
    try:
        json.loads(line)
        code, words = -32600, "not a request, response or notification: send one JSON-RPC object per line"
    except ValueError as error:
        code, words = -32700, f"a line that is not JSON ({error}): send one JSON-RPC object per line"
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}
