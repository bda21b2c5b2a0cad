"""Ids that people type, and the one row whose id begins so."""

import secrets

from mulligan.store.database import Queries, Row, Value
from mulligan.store.serialization import storable
from mulligan.types.errors import ConfigurationError

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without i, l, o and u: nothing in it looks like something else in it."""

LENGTH = 10

_MISREAD = str.maketrans("oil", "011")


def new_id() -> str:
    """50 random bits: among a million ids the odds of a collision are one in two thousand."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def as_typed(text: str) -> str:
    """An id, or the beginning of one, as it must have been meant: in lower case, `o` for zero, `l` for one."""
    return text.strip().lower().translate(_MISREAD)


SHOWN = 3
"""Ids that are named where several begin so."""


async def one_by_prefix(queries: Queries, sql: str, prefix: str, *, what: str, where: str = "", **values: Value) -> Row:
    """`sql` selects rows by `substr(id, 1, :length) = :typed`, ordered by id, and limits them to four.

    Raises `ConfigurationError` if there is none, or more than one. `what` names the thing, as in `chat`; `where` says
    where it was looked for and how to list all.
    """
    typed = storable(as_typed(prefix))
    if not typed:
        raise ConfigurationError(f"no {what} was named: give the beginning of its id")
    rows = await queries.fetch_all(sql, length=len(typed), typed=typed, **values)
    if not rows:
        raise ConfigurationError(f"there is no {what} {prefix!r}{where}")
    if len(rows) > 1:
        ids = ", ".join(row["id"] for row in rows[:SHOWN]) + (", …" if len(rows) > SHOWN else "")
        raise ConfigurationError(f"{prefix!r} is the beginning of several {what}s ({ids}): type more of it")
    return rows[0]
