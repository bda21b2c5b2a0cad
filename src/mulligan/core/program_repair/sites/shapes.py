"""Shapes of things: the fields that a class, a record, a struct or an object literal gives to what is made of it."""

import re
from collections.abc import Iterator

MOST_FIELDS = 16
LEAST_FIELDS = 2
DEEPEST = 3
"""Literals within literals, and brackets within brackets."""

_LITERAL = re.compile(r"\{([^{}]*)\}")
_OWN_FIELD = re.compile(r"(?:^|,)\s*['\"]?([A-Za-z_]\w*)['\"]?\s*(?=:(?!=)|,|$)", re.MULTILINE)
_CLASS = re.compile(r"^class \w+.*:\n((?:(?:[ \t]+.*)?\n)+)", re.MULTILINE)
_CLASS_FIELD = re.compile(r"^    ([A-Za-z_]\w*)\s*:", re.MULTILINE)
_SET_FIELD = re.compile(r"\b(?:self|this)\.([A-Za-z_]\w*)\s*=(?!=)")
_PROPERTY = re.compile(r"@(?:cached_)?property\s+def (\w+)|^\s+get (\w+)\(", re.MULTILINE)
_STRUCT = re.compile(r"\bstruct\s*\{([^{}]*)\}")
_STRUCT_FIELD = re.compile(r"^\s*([A-Za-z_]\w*(?:,\s*[A-Za-z_]\w*)*)\s+[\w\[\]*.]+", re.MULTILINE)
_SCRIPT_CLASS = re.compile(r"^(?:export )?(?:default )?class \w+[^{]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


def shapes_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Each shape once, in the order in which they stand."""
    found = dict.fromkeys(tuple(dict.fromkeys(fields)) for fields in _found(text))
    return tuple(fields for fields in found if LEAST_FIELDS <= len(fields) <= MOST_FIELDS)


def fitting_shapes(shapes: tuple[tuple[str, ...], ...], asked: frozenset[str]) -> list[tuple[str, ...]]:
    """Shapes of what is asked for these properties: those that have the most of them, and none where none has any."""
    overlaps = [(len(asked.intersection(each)), each) for each in shapes]
    best = max((count for count, _ in overlaps), default=0)
    return [each for count, each in overlaps if count == best > 0]


def _found(text: str) -> Iterator[list[str]]:
    for each in _CLASS.finditer(text):
        yield [*_CLASS_FIELD.findall(each[1]), *_SET_FIELD.findall(each[1]), *_properties(each[1])]
    for each in _SCRIPT_CLASS.finditer(text):
        yield [*_SET_FIELD.findall(each[1]), *_properties(each[1])]
    for each in _STRUCT.finditer(text):
        yield [name.strip() for row in _STRUCT_FIELD.findall(each[1]) for name in row.split(",")]
    plain = _without_inner(text)
    for _ in range(DEEPEST):
        yield from (_OWN_FIELD.findall(each) for each in _LITERAL.findall(plain))
        plain = _LITERAL.sub("0", plain)


def _properties(text: str) -> list[str]:
    return [one or other for one, other in _PROPERTY.findall(text)]


def _without_inner(text: str) -> str:
    """Without calls and lists, so that commas are those of the fields."""
    for _ in range(DEEPEST):
        text = re.sub(r"\([^(){}]*\)|\[[^\[\]{}]*\]", "0", text)
    return text
