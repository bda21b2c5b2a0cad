"""Converts plain values between types (text to number, number to boolean) if only one result is right."""

import json
import operator
import re
from typing import Any, cast

from mulligan.core.tool_calls.almost_json import read_integer, read_number

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMBER_LIMITS = (
    ("minimum", operator.lt, "must be at least {}"),
    ("maximum", operator.gt, "must be at most {}"),
    ("exclusiveMinimum", operator.le, "must be above {}"),
    ("exclusiveMaximum", operator.ge, "must be below {}"),
)
_LENGTH_LIMITS = (
    ("minLength", operator.lt, "must have at least {} characters"),
    ("maxLength", operator.gt, "must have at most {} characters"),
)
_COUNT_LIMITS = (
    ("minItems", operator.lt, "must have at least {} items"),
    ("maxItems", operator.gt, "must have at most {} items"),
)
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def as_integer(value: Any) -> int | None:
    """`3`, `3.0` and `"3"` are 3; `true`, `""` and `"1,000"` are None."""
    number = as_number(value)
    if isinstance(number, float):
        # Beyond 2**53 a float has lost digits, so it is not a certain integer.
        return int(number) if number.is_integer() and abs(number) <= 2**53 else None
    return number


def as_number(value: Any) -> int | float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or len(value) > 40 or not _NUMBER.fullmatch(value.strip()):
        return None
    try:
        return read_integer(value.strip()) if value.strip().lstrip("-").isdigit() else read_number(value)
    except ValueError:
        return None


def as_boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        value = f"{value:g}"
    return _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else None


def as_string(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) else None


def breach(value: Any, schema: dict[str, Any]) -> str | None:
    """The limit of the schema that the value breaks, in words. The model has to fix values out of range."""
    if isinstance(value, str):
        size, limits = len(value), _LENGTH_LIMITS
    elif isinstance(value, list):
        size, limits = len(cast("list[Any]", value)), _COUNT_LIMITS
    elif isinstance(value, int | float) and not isinstance(value, bool):
        size, limits = value, _NUMBER_LIMITS
    else:
        return None
    broken = (words.format(schema[key]) for key, breaks, words in limits if key in schema and breaks(size, schema[key]))
    return next(broken, None)
