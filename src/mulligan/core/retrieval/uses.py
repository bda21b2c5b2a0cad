"""Who uses a name: each place with the function or class around it. The line alone does not show who calls whom."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.types.codecontext import Symbol


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name used in a file."""

    path: str
    user: str
    """The innermost function or class around it, `Class.method`; empty for the file itself."""
    text: str
    """The first line there that uses it, stripped."""


def uses_in(name: str, path: str, lines: Sequence[str], symbols: Sequence[Symbol]) -> list[NameUse]:
    """One for each function or class of the file that uses the name, in the order of the file. The definition of a
    symbol with this name, including everything in it, does not count."""
    found: dict[str, NameUse] = {}
    for number, text in _lines_with(name, lines):
        around = [each for each in symbols if each.line <= number <= each.end_line]
        if any(each.name == name for each in around):
            continue
        inner = max((each for each in around if each.kind in _HOLDERS), key=lambda each: each.line, default=None)
        user = f"{inner.parent}.{inner.name}".lstrip(".") if inner else ""
        found.setdefault(user, NameUse(path, user, text.strip()))
    return list(found.values())


def subclasses_in(name: str, path: str, lines: Sequence[str]) -> list[NameUse]:
    """The classes of the file that inherit from one with this name, by their heads: that needs no symbols."""
    heads = ((_HEAD.match(text), text) for _, text in _lines_with(name, lines))
    heirs = ((head[1] or head[2], text) for head, text in heads if head)
    return [NameUse(path, heir, text.strip()) for heir, text in heirs if heir != name]


def _lines_with(name: str, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines of code with the name, numbered from 1: no imports, comments or documentation."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    listing = quoted = False
    for number, text in enumerate(lines, 1):
        # An import may span several lines, up to its closing bracket.
        listing = _LISTING.match(text) is not None or (listing and not _LISTED.search(text))
        if word.search(text) and not listing and not quoted and not _NO_USE.match(text):
            yield number, text
        quoted ^= len(_QUOTES.findall(text)) % 2 == 1


_HOLDERS = frozenset({"class", "interface", "struct", "trait", "enum", "function", "method"})
_HEAD = re.compile(
    r"\s*(?:[a-z]+\s+)*(?:class|interface|struct|trait|record)\s+(\w+).*|\s*impl(?:<[^>]*>)?\s+\S+\s+for\s+(\w+)"
)
_NO_USE = re.compile(
    r"\s*(?:#|//|\*|/\*|\"\"\"|(?:import|from|use|using|require|require_relative|mod|package)\b(?!\s*\()|export\s*\{)"
    r"|[\s)\]}]*from\s+['\"]"
)
_QUOTES = re.compile(r"\"\"\"|'''")
_LISTING = re.compile(r"\s*(?:from\s+\S+\s+import\s*\([^)]*$|import\s*(?:type\s*)?[({][^)}]*$)")
_LISTED = re.compile(r"[)}]")
