"""Rows: adding, numbering, finding by a prefix of the id, and reading them."""

from collections.abc import Callable
from inspect import get_annotations
from typing import Any, TypeVar

from mulligan.store.database import Queries, Row, Value
from mulligan.store.ids import as_typed
from mulligan.store.serialization import storable
from mulligan.types.base import Record, validate
from mulligan.types.errors import ConfigurationError, StoreError

T = TypeVar("T")

SHOWN = 3
"""How many ids are named if several match."""


async def insert(queries: Queries, table: str, **values: Value) -> None:
    """Add a row. The names of the values are column names."""
    columns, parameters = ", ".join(values), ", ".join(f":{column}" for column in values)
    await queries.execute(f"INSERT INTO {table} ({columns}) VALUES ({parameters})", **values)  # noqa: S608 - our own names


async def next_seq(queries: Queries, counters: str, column: str, key: str) -> int:
    """The next number for a key. Its counter stays locked until the transaction ends, so no two rows get one number."""
    row = await queries.fetch_one(
        f"INSERT INTO {counters} ({column}, next_seq) VALUES (:key, 2) ON CONFLICT ({column})"  # noqa: S608 - our own names
        f" DO UPDATE SET next_seq = {counters}.next_seq + 1 RETURNING next_seq - 1 AS seq",
        key=key,
    )
    if row is None:
        raise StoreError(f"the database gave no number from {counters}")
    return row["seq"]


async def find_by_prefix(
    queries: Queries, table: str, prefix: str, *, what: str, where: str = "", only: str = "", **equal: Value
) -> Row:
    """The row whose id starts with the prefix, among those with the values of `equal` in these columns.

    Raises `ConfigurationError` for none or several. `what` names the kind of thing, such as `chat`; `where` says where
    it was searched and how to list all; `only` is a further condition.
    """
    typed = storable(as_typed(prefix))
    if not typed:
        raise ConfigurationError(f"no {what} was named: give the beginning of its id")
    conditions = " AND ".join(["substr(id, 1, :length) = :typed", *(f"{column} = :{column}" for column in equal)])
    conditions += f" AND {only}" if only else ""
    rows = await queries.fetch_all(
        f"SELECT * FROM {table} WHERE {conditions} ORDER BY id LIMIT {SHOWN + 1}",  # noqa: S608 - our own names
        length=len(typed),
        typed=typed,
        **equal,
    )
    if not rows:
        raise ConfigurationError(f"there is no {what} {prefix!r}{where}")
    if len(rows) > 1:
        ids = ", ".join(row["id"] for row in rows[:SHOWN]) + (", …" if len(rows) > SHOWN else "")
        raise ConfigurationError(f"{prefix!r} is the beginning of several {what}s ({ids}): type more of it")
    return rows[0]


def read_row(kind: Callable[..., T], row: Row, **given: Any) -> T:
    """A record or dataclass with its fields from the columns of the same names, or from `given`.

    SQLite returns integers where a record has a float or a bool.
    """
    fields = {field: row[field] for field in get_annotations(kind) if field not in given} | given
    return validate(kind, fields) if isinstance(kind, type) and issubclass(kind, Record) else kind(**fields)
