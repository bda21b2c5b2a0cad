"""The functions of a file: where they begin and end, and which names they use."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mulligan.syntax.blanking import blank_literals, closing_bracket
from mulligan.syntax.line_tokens import KEYWORDS
from mulligan.syntax.tree_query import HOLDERS, Match, Source, body_of, read_code

FUNCTIONS = frozenset({"function", "method", "local"})


@dataclass(frozen=True, slots=True)
class CodeFunction:
    """Lines `first` to `last`, counted from 1, both included, with decorators."""

    name: str
    first: int
    last: int
    owner: str = ""
    """Its class, or the type of its receiver."""
    owner_line: int | None = None
    """The line on which that class begins."""

    @property
    def qualified(self) -> str:
        """With its class: `Cart.total`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


def functions_in(path: str, lines: Sequence[str]) -> list[CodeFunction]:
    """In the order of the file, including functions inside of others, but not those without a body."""
    return list(_functions(path, "\n".join(lines)))


def innermost(functions: Sequence[CodeFunction], line: int) -> CodeFunction | None:
    around = [each for each in functions if each.first <= line <= each.last]
    return max(around, key=lambda each: each.first, default=None)


def names_in(path: str, text: str) -> set[str]:
    """The identifiers in a piece of code, without words in strings and comments."""
    return set(_IDENTIFIER.findall(blank_literals(path, text))) - _WORDS


@lru_cache(maxsize=64)
def parse_python(text: str) -> ast.Module | None:
    """Python's syntax tree; None if the text does not parse."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # broken, or nested too deeply
        return None


_WORDS = KEYWORDS - {
    "catch", "default", "do", "extends", "fn", "global", "interface", "map", "match", "mut", "nonlocal", "of",
    "package", "private", "public", "static", "struct", "super", "type", "typeof", "use", "void",
}  # fmt: skip
"""Keywords, without those that are names in some language."""
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_HEAD = re.compile(
    r"^[ \t]*+(?:(?:[\w()]+\s+){0,4}(?:fn|fun|func)\s+|(?:[\w<>\[\],*&.:?]+\s+){1,5})(?P<name>\w+)\s*"
    r"(?=\([^;{}]{0,400}\)[^;{}()]{0,200}\{)",
    re.MULTILINE,
)
_CONTROL = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "match", "function", "with", "do"})
_DEF = re.compile(r"(?P<indent>[ \t]*)(?:async\s+)?def\s+(?P<name>\w+)")


@lru_cache(maxsize=64)
def _functions(path: str, text: str) -> tuple[CodeFunction, ...]:
    source = read_code(path, text)
    if source is None:
        return tuple(_in_braces(blank_literals(path, text)))
    if source.is_broken and source.language.indented:
        return tuple(_indented_functions(text.split("\n")))
    return tuple(_in_tree(source))


def _in_tree(source: Source) -> Iterator[CodeFunction]:
    around: list[Match] = []
    for match in source.definitions():
        while around and around[-1].node.end_byte <= match.node.start_byte:
            around.pop()
        holder = around[-1] if around and around[-1].what in HOLDERS else None
        if match.what in HOLDERS:
            around.append(match)
        elif match.what in FUNCTIONS and body_of(match.node):
            around.append(match)
            name, owner = source.name_of(match)
            above = match.node.parent
            first = above if above and above.type == "decorated_definition" else match.node
            yield CodeFunction(
                name.lstrip("#"),
                source.row(first.start_byte) + 1,
                source.last_row(match.node) + 1,
                source.name_of(holder)[0] if holder else owner,
                source.row(holder.node.start_byte) + 1 if holder else None,
            )


def _indented_functions(lines: Sequence[str]) -> Iterator[CodeFunction]:
    """For code that does not parse."""
    for number, line in enumerate(lines, 1):
        if found := _DEF.match(line):
            last = number
            for later in range(number, len(lines)):
                stripped = lines[later].strip()
                outside = len(lines[later]) - len(lines[later].lstrip()) <= len(found["indent"])
                if stripped and outside and not stripped.startswith(")"):
                    break
                last = later + 1 if stripped else last
            yield CodeFunction(found["name"], number, last)


def _in_braces(code: str) -> Iterator[CodeFunction]:
    """For a language without a grammar."""
    for found in _HEAD.finditer(code):
        if found["name"] not in _CONTROL:
            end = closing_bracket(code, code.index("{", found.end()))
            yield CodeFunction(found["name"], code.count("\n", 0, found.start()) + 1, code.count("\n", 0, end) + 1)
