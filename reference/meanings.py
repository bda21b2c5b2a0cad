"""What the source says of a record, as whoever reads JSON is told it."""

import inspect
import re

from pydantic import BaseModel


def summary(kind: type[BaseModel]) -> str:
    """The class's own docstring; a base's is not about it."""
    return inspect.cleandoc(vars(kind).get("__doc__") or "")


def in_json(words: str) -> str:
    """Sources speak of None where whoever reads JSON sees null."""
    return re.sub(r"\b(None|True|False)\b", lambda found: _JSON[found[0]], words)


_JSON = {"None": "`null`", "True": "`true`", "False": "`false`"}
