"""The client's side of a project: the files as its editor has them. Imports the SDK."""

import asyncio
from pathlib import Path

from acp import RequestError
from acp.interfaces import Client
from acp.schema import ClientCapabilities
from pydantic import ValidationError

from mulligan.ports.outlets import Log

READ_SECONDS = 5.0
"""An editor that is busy for longer is not waited for: the disk counts."""
WRITE_SECONDS = 30.0
"""It may format a file when it is saved."""


class ClientFiles:
    """`EditorFiles` over the protocol. What the client did not offer is never asked of it."""

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
            # A file that it does not have open, or may not show: not worth a word to the person.
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
