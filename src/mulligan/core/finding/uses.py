"""Who uses a name: each place where it stands, as the function or class around it. A line without it tells nobody who
calls whom."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.types.codecontext import Symbol


@dataclass(frozen=True, slots=True)
class Use:
    """A name used in a file."""

    path: str
    user: str
    """The innermost function or class around it, `Class.method`; empty for the file itself."""
    text: str
    """The first line there that uses it, stripped."""
    inherits: bool = False
    """The user is a class, and the name stands in its head."""


def uses_in(name: str, path: str, lines: Sequence[str], symbols: Sequence[Symbol]) -> list[Use]:
    """One for each function or class of the file that uses the name, in the order of the file. Imports and comments
    are no uses, nor is the definition of a symbol of this name, with all that it holds."""
    found: dict[str, Use] = {}
    for number, text in _lines_with(name, lines):
        around = [each for each in symbols if each.kind in _HOLDERS and each.line <= number <= each.end_line]
        if any(each.name == name for each in around):
            continue
        inner = max(around, key=lambda each: each.line, default=None)
        user = _full_name(inner) if inner else ""
        inherits = inner is not None and inner.kind in _CLASSES and inner.line == number
        if user not in found:
            found[user] = Use(path, user, text.strip(), inherits)
    return list(found.values())


def _lines_with(name: str, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    listing = False
    for number, text in enumerate(lines, 1):
        # An import may go on over several lines, up to the bracket that ends it.
        listing = _LISTING.match(text) is not None or (listing and not _LISTED.search(text))
        if word.search(text) and not listing and not _NO_USE.match(text):
            yield number, text


def _full_name(symbol: Symbol) -> str:
    return f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name


_CLASSES = frozenset({"class", "interface", "struct", "trait", "enum"})
_HOLDERS = _CLASSES | {"function", "method"}
_NO_USE = re.compile(
    r"\s*(?:#|//|\*|/\*|(?:import|from|use|using|require|require_relative|export\s*\{|mod|package)\b(?!\s*\())"
    r"|[\s)\]}]*from\s+['\"]"
)
_LISTING = re.compile(r"\s*(?:from\s+\S+\s+import\s*\([^)]*$|import\s*(?:type\s*)?[({][^)}]*$)")
_LISTED = re.compile(r"[)}]")
