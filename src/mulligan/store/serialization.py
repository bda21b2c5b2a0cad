"""Parts and metadata as JSON text, and back."""

import json
from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from mulligan.types.base import Record
from mulligan.types.errors import StoreError
from mulligan.types.messages import Metadata, Part

T = TypeVar("T")


def dump(record: Record) -> str:
    """Whatever a model made up can be written: half a surrogate pair, or arguments nested hundreds deep."""
    try:
        return record.model_dump_json(exclude_none=True)
    except PydanticSerializationError:
        return storable(json.dumps(record.model_dump(exclude_none=True), ensure_ascii=False))


def load_part(body: str, *, message_id: str) -> Part:
    return _load(_parts(), body, message_id)


def load_metadata(body: str, *, message_id: str) -> Metadata:
    return _load(_metadata(), body, message_id)


def storable(text: str) -> str:
    """Text that both databases take: lone surrogates and NUL become U+FFFD."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _load(adapter: TypeAdapter[T], body: str, message_id: str) -> T:
    try:
        # Not validate_json: its parser gives up at 200 levels, and what was written must load.
        return adapter.validate_python(json.loads(body))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        problem = f"{where}: {first['msg']}" if where else first["msg"]
    except json.JSONDecodeError as error:
        problem = str(error)
    raise StoreError(
        f"message {message_id} can't be read: a newer Mulligan wrote it, or it is damaged. "
        f"Upgrading Mulligan may help ({problem})"
    )


@cache
def _parts() -> TypeAdapter[Part]:
    return TypeAdapter(Part)


@cache
def _metadata() -> TypeAdapter[Metadata]:
    return TypeAdapter(Metadata)
