"""Converts records, texts and file names to text that both databases accept, and back."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from mulligan.types.base import InvalidRecord, Record, validate
from mulligan.types.errors import StoreError
from mulligan.types.messages import Metadata, Part

T = TypeVar("T")


def dump(record: Record) -> str:
    """Anything that a model wrote can be stored: half a surrogate pair, or arguments nested hundreds of levels deep."""
    try:
        return record.model_dump_json(exclude_none=True)
    except UnicodeEncodeError:
        return storable(json.dumps(record.model_dump(exclude_none=True), ensure_ascii=False))


def load_part(body: str, *, message_id: str) -> Part:
    return load(_part, body, what=f"message {message_id}")


def load_metadata(body: str, *, message_id: str) -> Metadata:
    return load(_metadata, body, what=f"message {message_id}")


def load(validate: Callable[[Any], T], body: str, *, what: str) -> T:
    """Reads stored JSON. Raises `StoreError`, which names what it belongs to, if this program can't read it."""
    try:
        # Not validate_json: its parser gives up at 200 levels, and everything stored must load.
        return validate(json.loads(body))
    except InvalidRecord as error:
        first = error.problems[0]
        where = ".".join(str(step) for step in first["loc"])
        problem = f"{where}: {first['msg']}" if where else first["msg"]
    except json.JSONDecodeError as error:
        problem = str(error)
    raise StoreError(
        f"{what} can't be read: a newer Mulligan wrote it, or it is damaged. Upgrading Mulligan may help ({problem})"
    )


def storable(text: str) -> str:
    """Text that both databases accept: lone surrogates and NUL become U+FFFD."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def exact_name(name: str) -> str:
    """A file's name as text that both databases accept, without loss.

    A name may be any bytes; Python represents those that are not text as lone surrogates. These, NUL and `%` become `%`
    and four digits.
    """
    return re.sub("[%\0\ud800-\udfff]", lambda match: f"%{ord(match[0]):04x}", name)


def name_of(exact: str) -> str:
    """The inverse of `exact_name`."""
    return re.sub("%([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), exact)


def _part(value: Any) -> Part:
    return validate(Part, value)


def _metadata(value: Any) -> Metadata:
    return validate(Metadata, value)
