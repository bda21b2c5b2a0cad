"""Bringing a database up to date."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.store.database import Database, open_database
from mulligan.store.migrate import Migration, load_migrations, migrate
from mulligan.store.store import open_store
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.messages import PART_KINDS, UserMeta

KNOWN = load_migrations()
NOTES = Migration(
    number=9001, name="9001_notes", sql="CREATE TABLE notes (id BIGINT);\nCREATE INDEX n ON notes (id);\n"
)


@pytest.fixture
async def database(address: Path | str) -> AsyncGenerator[Database]:
    """Empty: nothing was migrated."""
    database = await open_database(address)
    yield database
    await database.close()


async def applied(database: Database) -> list[str]:
    return [row["name"] for row in await database.fetch_all("SELECT name FROM schema_migrations ORDER BY number")]


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [migration.number for migration in KNOWN] == list(range(1, len(KNOWN) + 1))
    assert len({migration.name[5:] for migration in KNOWN}) == len(KNOWN)


PUBLISHED = {
    "0001_chats": "71c6e72598fd31c9c680468bd06f8285dccabbcd66474a908473a96577c70f33",
    "0002_messages": "b525096468cbbd2937757af4eba5e8cd0dcd274e084041eb8bbdf79f1de2a2ab",
    "0003_parts": "134f3cebfbf21dd008bca6e335581b34bfa81ac30d6bc6250e5232c88c72c3df",
    "0004_changes": "59d569306661ba4426ddbb75c2647abb60da427e221f397c05ad76282f88c413",
    "0005_checkpoints": "3c729698c57095fe18f9b141d31aef25d4185d6f658ff4ee35c91b3fcb7cc88d",
    "0006_runs": "7bf45a608086b9f3d40dde177274355ad3e17f0d62ca492a98fbf24815418e58",
    "0007_backend_sessions": "223d7db144b7cf6e937255c9db42846d3dca5a70337a8a0c3d2d25642f2413ae",
    "0008_chats_of_runs": "2c659d2f10f336247d6fc319dedcd86da0f722cb11444285846dc19507a36cbd",
    "0009_chat_care": "c33449e3a46905c75fa19018eec861ab78ec41162f715acd7afdc3a4ceebf9fb",
    "0010_fleet": "fc34f83a79580866b288c64736ccf34662c317b1df06eb1d9c7eff5860ca68e6",
    "0011_images": "4ca5b2c3a5b120a9c1f74918ba60696c4ea075bde25111d61b2acfdc95bcf1a6",
    "0012_fleet_waits": "a69ac1e06bd00eb07c4c897e84df00711776cc25bb1e2efbefe45bafc79d5f47",
    "0013_fleet_prefixes": "7f7d139f3115e596de362abbc89ee361b57d124b1cb2c0a3262524ebe7ae0a65",
}
"""What people's databases were made with: this table is only ever added to."""


def test_a_published_migration_never_changes() -> None:
    assert {migration.name: migration.sha256 for migration in KNOWN} == PUBLISHED


async def test_a_fresh_database_gets_all_migrations(database: Database) -> None:
    await migrate(database, KNOWN, now=5.0)
    rows = await database.fetch_all("SELECT * FROM schema_migrations ORDER BY number")
    assert [(row["number"], row["name"], row["sha256"], row["applied_at"]) for row in rows] == [
        (migration.number, migration.name, migration.sha256, 5.0) for migration in KNOWN
    ]


async def test_a_database_that_is_up_to_date_is_only_read(database: Database, address: Path | str) -> None:
    await migrate(database, KNOWN, now=5.0)
    other = await open_database(address)
    async with other.schema_change() as queries:
        await migrate(database, KNOWN, now=6.0)  # it would wait for the other one if it were to write
        await queries.execute("SELECT 1")
    await other.close()


async def test_an_older_database_gets_what_is_new_and_keeps_what_it_has(database: Database) -> None:
    await migrate(database, KNOWN[:1], now=5.0)
    await database.execute("INSERT INTO chats VALUES ('c', '/p', 't', 'default', 1, 0, 0)")
    await migrate(database, [*KNOWN, NOTES], now=6.0)
    assert await applied(database) == [*(migration.name for migration in KNOWN), "9001_notes"]
    assert len(await database.fetch_all("SELECT id FROM chats")) == 1


@pytest.mark.parametrize("older", range(len(KNOWN) + 1), ids=lambda count: f"from {count} migrations")
async def test_the_kinds_of_parts_are_checked_whatever_the_database_was_migrated_from(
    database: Database, address: Path | str, older: int
) -> None:
    if older:
        await migrate(database, KNOWN[:older], now=5.0)
    store = await open_store(address)
    chat = await store.chats.create(project="/p", agent="default", title="t")
    message = await store.messages.add(chat.id, role="user", metadata=UserMeta())
    await store.close()
    insert = "INSERT INTO parts VALUES (:message_id, :place, :kind, '{}')"
    for place, kind in enumerate(PART_KINDS):
        await database.execute(insert, message_id=message.id, place=place, kind=kind)
    with pytest.raises(StoreError, match="refused a statement"):
        await database.execute(insert, message_id=message.id, place=99, kind="hologram")


async def test_a_migration_that_fails_leaves_the_database_as_it_was(database: Database) -> None:
    await migrate(database, KNOWN[:-1], now=5.0)
    broken = replace(NOTES, sql="CREATE TABLE notes (id BIGINT);\nCREATE TABEL typo;\n")
    with pytest.raises(StoreError):
        await migrate(database, [*KNOWN, broken], now=5.0)
    assert await applied(database) == [migration.name for migration in KNOWN[:-1]]
    await migrate(database, [*KNOWN, NOTES], now=6.0)
    assert await database.fetch_all("SELECT id FROM notes") == []


async def test_two_that_migrate_at_once_both_succeed(address: Path | str) -> None:
    stores = await asyncio.gather(*(open_store(address) for _ in range(4)))
    assert [await store.chats.list() for store in stores] == [[]] * 4
    for store in stores:
        await store.close()


async def test_a_database_of_a_newer_program_is_refused(database: Database) -> None:
    await migrate(database, [*KNOWN, NOTES], now=5.0)
    with pytest.raises(ConfigurationError, match=r"newer Mulligan \(it has 9001_notes\): upgrade Mulligan"):
        await migrate(database, KNOWN, now=6.0)


async def test_a_migration_that_was_changed_is_refused(database: Database) -> None:
    await migrate(database, KNOWN, now=5.0)
    changed = [replace(KNOWN[0], sql=KNOWN[0].sql + "-- harmless?\n"), *KNOWN[1:]]
    with pytest.raises(ConfigurationError, match="another text of 0001_chats"):
        await migrate(database, changed, now=6.0)


async def test_a_refused_database_is_let_go(address: Path | str, database: Database) -> None:
    """A connection left open would keep the process from ending."""
    await migrate(database, [*KNOWN, NOTES], now=5.0)
    with pytest.raises(ConfigurationError, match="newer Mulligan"):
        await open_store(address)
