"""Records, texts and names of files as text that both databases take, and back."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from mulligan.types.base import InvalidRecord, Record, validate
from mulligan.types.errors import StoreError
from mulligan.types.messages import Metadata, Part

T = TypeVar("T")


def dump(record: Record) -> str:
    """Whatever a model made up can be written: half a surrogate pair, or arguments nested hundreds deep."""
    try:
        return record.model_dump_json(exclude_none=True)
    except UnicodeEncodeError:
        return storable(json.dumps(record.model_dump(exclude_none=True), ensure_ascii=False))


def load_part(body: str, *, message_id: str) -> Part:
    return load(_part, body, what=f"message {message_id}")


def load_metadata(body: str, *, message_id: str) -> Metadata:
    return load(_metadata, body, what=f"message {message_id}")


def load(validate: Callable[[Any], T], body: str, *, what: str) -> T:
    """What was written as JSON. Raises `StoreError`, with what it belongs to, if this program can't read it."""
    try:
        # Not validate_json: its parser gives up at 200 levels, and what was written must load.
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
    """Text that both databases take: lone surrogates and NUL become U+FFFD."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def exact_name(name: str) -> str:
    """A file's name as text that both databases take and that leads back to the very same name.

    A name may be any bytes; Python shows those that are no text as lone surrogates. They, NUL and `%` become `%` and
    four digits.
    """
    return re.sub("[%\0\ud800-\udfff]", lambda match: f"%{ord(match[0]):04x}", name)


def name_of(exact: str) -> str:
    """The name that `exact_name` was given."""
    return re.sub("%([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), exact)


def _part(value: Any) -> Part:
    return validate(Part, value)


def _metadata(value: Any) -> Metadata:
    return validate(Metadata, value)
