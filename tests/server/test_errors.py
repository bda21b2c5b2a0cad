"""Every error becomes a status and a sentence."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from mulligan.models.embedded.download_progress import DownloadError
from mulligan.server.errors import status_of, tell_errors
from mulligan.server.state import NotFound
from mulligan.types.errors import (
    BackendError,
    CallRejected,
    ChatBusy,
    ConfigurationError,
    ModelUnreachable,
    MulliganError,
    StoreError,
)
from mulligan.workspace.git import NoRepository

LOGGED: list[tuple[str, dict[str, Any]]] = []


def log(event: str, **fields: Any) -> None:
    LOGGED.append((event, fields))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound("no"), 404),
        (ChatBusy("no"), 409),
        (ConfigurationError("no"), 400),
        (NoRepository("no"), 400),
        (CallRejected("exec_error", "no"), 400),
        (StoreError("no"), 503),
        (ModelUnreachable("no"), 502),
        (BackendError("no"), 502),
        (DownloadError("no"), 502),
        (MulliganError("no"), 502),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_error_has_a_status(error: MulliganError, status: int) -> None:
    assert status_of(error) == status


@pytest.fixture
async def client() -> AsyncGenerator[httpx2.AsyncClient]:
    LOGGED.clear()
    app = FastAPI()

    @app.get("/ours")
    async def ours() -> None:  # pyright: ignore[reportUnusedFunction] - the decorator uses it
        raise ChatBusy("another process answers")

    @app.get("/fault")
    async def fault() -> None:  # pyright: ignore[reportUnusedFunction] - the decorator uses it
        raise KeyError("the database password")

    tell_errors(app, log)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://here") as client:
        yield client


async def test_an_error_of_ours_is_told_in_its_own_words(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/ours")
    assert (answer.status_code, answer.json()) == (409, {"error": "another process answers"})
    assert LOGGED == []


async def test_a_fault_of_ours_goes_to_the_log_and_not_to_the_client(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/fault")
    assert (answer.status_code, answer.json()) == (500, {"error": "Mulligan itself failed; its log says how."})
    ((event, fields),) = LOGGED
    assert (event, fields["path"], type(fields["error"])) == ("request_failed", "/fault", KeyError)
