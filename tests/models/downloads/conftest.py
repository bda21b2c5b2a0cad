import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from mulligan.models.embedded.catalog import ModelEntry
from mulligan.models.embedded.download import ModelFiles
from tests.models.downloads.made_up import HUB, INDEX, Answer, Hub, entry_from


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AbstractAsyncContextManager[Hub]]:
    @asynccontextmanager
    async def start(*answers: Answer) -> AsyncGenerator[Hub]:
        server = Hub(list(answers))
        listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        async with listener:
            yield server
            await server.hang_up()

    return start


@pytest.fixture
def from_hub() -> ModelEntry:
    return entry_from(HUB)


@pytest.fixture
def from_index() -> ModelEntry:
    return entry_from(INDEX)


@pytest.fixture
def from_both() -> ModelEntry:
    return entry_from(HUB, INDEX)


@pytest.fixture
def files(tmp_path: Path) -> ModelFiles:
    return ModelFiles(tmp_path / "home")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is all that pip knows of the world."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder
