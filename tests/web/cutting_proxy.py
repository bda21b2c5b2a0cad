"""A network between browser and server that can be cut."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class CuttingProxy:
    """Forwards bytes both ways until it is cut. Created by `cutting_proxy`."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._writers: set[asyncio.StreamWriter] = set()
        self._open = True
        self.url = ""

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._open:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, back}
        try:
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            self._writers -= {writer, back}

    def cut(self) -> None:
        """Drop all connections, and refuse others until it is fixed."""
        self._open = False
        for writer in self._writers:
            writer.transport.abort()

    def fix(self) -> None:
        self._open = True


@asynccontextmanager
async def cutting_proxy(target: int) -> AsyncGenerator[CuttingProxy]:
    """In front of this port, for as long as the context lasts."""
    proxy = CuttingProxy(target)
    server = await asyncio.start_server(proxy.carry, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        proxy.cut()
        server.close()
        await server.wait_closed()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while block := await reader.read(1 << 16):
            writer.write(block)
            await writer.drain()
    writer.close()
