"""Every test that asks for `address` or `store` runs on both databases."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.store.database import Database, open_database
from mulligan.store.store import SqlStore, open_store
from mulligan.types.messages import Chat, Message, TurnMeta, UserMeta
from tests.store.postgres_server import migrated_url, postgres_server, postgres_url

__all__ = ["migrated_url", "postgres_server", "postgres_url"]

TURN = TurnMeta(agent="default", model="qwen")


@dataclass
class ManualClock:
    """Time moves only when a test says so."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a database is, or will be: nothing is in it, but tables where a store is opened before the test begins."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("migrated_url" if "store" in request.fixturenames else "postgres_url")
        return url
    return tmp_path / "home" / "mulligan.db"


@pytest.fixture
async def store(address: Path | str, clock: ManualClock) -> AsyncGenerator[SqlStore]:
    store = await open_store(address, clock=clock)
    yield store
    await store.close()


@pytest.fixture
async def raw(store: SqlStore, address: Path | str) -> AsyncGenerator[Database]:  # noqa: ARG001 - it migrates first
    """The store's database, for statements that no method of the store would make."""
    database = await open_database(address)
    yield database
    await database.close()


async def open_turn(store: SqlStore, chat: Chat) -> Message:
    """The reply of a new turn."""
    return await store.messages.open_turn(chat.id, "why?", UserMeta(), TURN)


@pytest.fixture
async def chat(store: SqlStore) -> Chat:
    return await store.chats.create(project="/projects/engine", agent="default", title="Bernoulli numbers")
