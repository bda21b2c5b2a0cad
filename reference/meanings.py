"""Descriptions of records from the source, for readers of JSON."""

import inspect
import re

from mulligan.types.base import Record


def summary(kind: type[Record]) -> str:
    """The class's own docstring, not its base's."""
    return inspect.cleandoc(vars(kind).get("__doc__") or "")


def in_json(words: str) -> str:
    """Sources say None where JSON has null."""
    return re.sub(r"\b(None|True|False)\b", lambda found: _JSON[found[0]], words)


_JSON = {"None": "`null`", "True": "`true`", "False": "`false`"}
