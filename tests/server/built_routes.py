"""Builds the server's routes where this is loaded: else every server that is forked does it at its first request."""

import asyncio

import httpx2

from mulligan.server.app import make_app


async def _ask_for_nothing() -> None:
    transport = httpx2.ASGITransport(app=make_app())
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        assert (await client.get("/api/nothing")).status_code == 404


asyncio.run(_ask_for_nothing())
