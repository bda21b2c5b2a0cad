"""Changes every text in a record, at any depth."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

R = TypeVar("R")


def map_texts(record: R, change: Callable[[str], str]) -> R:
    """The record, or the body of a response, with all its texts changed."""
    kind: Any = type(record)
    return cast("R", kind.model_validate(_changed(cast("Any", record).model_dump(), change)))


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _changed(each, change) for name, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_changed(each, change) for each in cast("list[Any]", value)]
    return value
