"""Converts records to dicts and to JSON values."""

from collections.abc import Collection, Mapping
from math import isfinite
from pathlib import PurePath
from typing import Any, Literal, cast

from mulligan.types.secret import Secret

Left = Collection[str] | Mapping[str, Any] | None
"""Fields to leave out: names, or by name what to leave out of that field. `__all__` is every item of a list."""


def plain(
    value: Any,
    *,
    mode: Literal["python", "json"] = "python",
    include: Collection[str] | None = None,
    exclude: Left = None,
    exclude_none: bool = False,
) -> Any:
    """The value with every record in it as a dict. With `json` also tuples as lists, paths as text and so on."""
    kind = cast("Any", type(value))
    if isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, float):
        return value if mode == "python" or isfinite(value) else None
    names: Collection[str] | None = getattr(kind, "__frozen_fields__", None)
    if names is not None:
        found: dict[str, Any] = {}
        for name in names:
            inner = _inside(exclude, name)
            if inner is True or (include is not None and name not in include):
                continue
            each = getattr(value, name)
            if not (exclude_none and each is None):
                found[name] = plain(each, mode=mode, exclude=inner, exclude_none=exclude_none)
        return found
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value).items()
        return {key: plain(each, mode=mode, exclude_none=exclude_none) for key, each in pairs}
    if isinstance(value, list | tuple | frozenset | set):
        items = [
            plain(each, mode=mode, exclude=_inside(exclude, "__all__"), exclude_none=exclude_none)
            for each in cast("Collection[Any]", value)
        ]
        return items if mode == "json" else kind(items)
    if mode == "json":
        return str(value) if isinstance(value, PurePath | Secret) else value
    return value


_AS_THEY_ARE = (str, int, bool, type(None))


def _inside(exclude: Left, name: str) -> Any:
    """What to leave out of a field; True for all of it."""
    if isinstance(exclude, Mapping):
        return cast("Mapping[str, Any]", exclude).get(name)
    return (exclude is not None and name in exclude) or None
