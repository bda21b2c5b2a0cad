"""The client's side of a project: the files as its editor has them, and its terminals. Imports the SDK."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from acp import RequestError
from acp.interfaces import Client
from acp.schema import ClientCapabilities
from pydantic import ValidationError

from mulligan.ports.callbacks import Log
from mulligan.ports.editor import TerminalEnd
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.types.errors import CallRejected

READ_SECONDS = 5.0
"""Seconds to wait for a busy editor: after that, the file on disk counts."""
WRITE_SECONDS = 30.0
"""Seconds to wait: the editor may format a file when it is saved."""


class ClientFiles:
    """`EditorFiles` over the protocol. Never requests what the client did not offer."""

    def __init__(self, client: Client, session_id: str, project: Path, offered: ClientCapabilities, log: Log) -> None:
        self._client = client
        self._session_id = session_id
        self._project = project
        self._log = log
        self.reads = bool(offered.fs and offered.fs.read_text_file)
        self.writes = bool(offered.fs and offered.fs.write_text_file)

    async def read(self, path: str) -> str | None:
        try:
            async with asyncio.timeout(READ_SECONDS):
                answer = await self._client.read_text_file(self._session_id, str(self._project / path))
        except (RequestError, ValidationError, ConnectionError, TimeoutError) as error:
            # A file that it does not have open, or may not show: not worth telling the user.
            self._log("editor_read_failed", path=path, error=repr(error))
            return None
        return answer.content

    async def write(self, path: str, text: str) -> str | None:
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await self._client.write_text_file(self._session_id, str(self._project / path), text)
        except (RequestError, ValidationError, ConnectionError, TimeoutError) as error:
            self._log("editor_write_failed", path=path, error=repr(error))
            return f"{path} was not written: the editor says {error or 'nothing'}."
        return None


class ClientTerminal:
    """`EditorTerminal` over the protocol."""

    def __init__(self, client: Client, session_id: str, show: Callable[[str, str], None]) -> None:
        """`show` gets the command line and the id of the terminal where it runs."""
        self._client = client
        self._session_id = session_id
        self._show = show

    async def run(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], time_limit: float, keep: int
    ) -> TerminalEnd:
        # The client's own environment may contain the user's keys: nothing of it is passed on.
        words = ["-i", *(f"{name}={value}" for name, value in env.items()), *argv]
        try:
            made = await self._client.create_terminal(
                self._session_id, "env", args=words, cwd=str(cwd), output_byte_limit=keep
            )
        except (RequestError, ValidationError, ConnectionError) as error:
            raise CallRejected("exec_error", f"The editor could not open a terminal: {error}.") from error
        self._show(argv[-1], made.terminal_id)
        try:
            return await self._ended(made.terminal_id, time_limit)
        finally:
            await finish_despite_cancel(self._let_go(made.terminal_id))

    async def _ended(self, terminal: str, time_limit: float) -> TerminalEnd:
        code, timed_out = None, False
        try:
            async with asyncio.timeout(time_limit):
                code = (await self._client.wait_for_terminal_exit(self._session_id, terminal)).exit_code
        except TimeoutError:
            timed_out = True
            await self._client.kill_terminal(self._session_id, terminal)
        except (RequestError, ValidationError) as error:
            raise CallRejected("exec_error", f"The editor lost its terminal: {error}.") from error
        output = await self._client.terminal_output(self._session_id, terminal)
        return TerminalEnd(code, timed_out, output.output.encode(errors="replace"))

    async def _let_go(self, terminal: str) -> None:
        """Ends whatever still runs in it."""
        with suppress(RequestError, ValidationError, ConnectionError, TimeoutError):
            async with asyncio.timeout(READ_SECONDS):
                await self._client.release_terminal(self._session_id, terminal)
