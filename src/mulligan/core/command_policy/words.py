"""The words of a command, as the shell would pass them to a program."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from mulligan.core.command_policy.braces import expand_braces
from mulligan.types.frozen import frozen

if TYPE_CHECKING:
    from tree_sitter import Node

KNOWN_VARIABLES = {"HOME": "~", "PWD": "."}
KNOWN_COMMANDS = frozenset({"pwd", "git rev-parse --show-toplevel"})
"""Results that are known without running: the home folder, and where the command runs."""
NUMBERS = frozenset({"$?", "$#", "$$"})
MAX_VALUES = 64

VERSIONED = re.compile(
    r"(clang-format|clang-tidy|clang\+\+|clang|g\+\+|gcc|lua|node|perl|php|pip|pypy|python|ruby)-?[\d.]+"
)
PROJECT_COPIES = {"gradlew": "gradle", "mvnw": "mvn"}
"""Programs that a project includes under another name."""
ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
QUOTED_ESCAPE = re.compile(r"\\(\n|[\\\"$`])")
ANSI_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,6}|[0-7]{1,3}|.)", re.DOTALL)
ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}

EXPANSIONS = frozenset({"command_substitution", "brace_expression"})
QUOTED = frozenset({"raw_string", "ansi_c_string", "string", "translated_string"})

Variables = Mapping[str, tuple[str, ...]]
"""All possible values of a variable, if the line itself shows them."""


@frozen
class Word:
    text: str
    """Without quotes, escapes and computed parts."""
    computed: bool = False
    """Part of it is known only at run time: `$X`, `$(…)`, `{a,b}`."""
    opens: bool = False
    """Its beginning is known only at run time, as with `*.py`: it may be an option."""
    splits: bool = False
    """It may become several words, since it is not quoted."""
    values: tuple[str, ...] = ()
    """All its possible values, if they are known although it is computed."""
    found: bool = False
    """The name of a file that a search of the project found."""
    number: bool = False
    """A number that is known only at run time."""

    @property
    def may_be_option(self) -> bool:
        """Whether it may turn out to be an option."""
        if self.values:
            return any(value.startswith(("-", "*", "?", "[")) or not value.strip() for value in self.values)
        return (self.opens or self.splits) and not self.found

    @property
    def unknown(self) -> bool:
        return self.computed and not self.values and not self.found


A_NUMBER = Word("0", number=True)


def program_name(text: str) -> str:
    """`/usr/bin/python3.11` is python."""
    name = text.rpartition("/")[2].removesuffix(".exe")
    versioned = VERSIONED.fullmatch(name)
    return versioned[1] if versioned else PROJECT_COPIES.get(name, name)


def read_word(node: "Node", source: bytes, variables: Variables | None = None) -> Word:
    raw = text_of(node, source)
    match node.type:
        case "raw_string":
            return Word(raw[1:-1])
        case "ansi_c_string":
            return Word(_unescape_ansi(raw[2:-1]))
        case "string" | "translated_string":
            return _read_string(node, source, variables or {})
        case "simple_expansion" | "expansion":
            return _read_expansion(raw, variables or {})
        case "array":
            return Word(raw.strip("()"), computed=True, opens=True, splits=True)
        case "arithmetic_expansion":
            return A_NUMBER
        case "brace_expression" if not raw.strip("{}.0123456789"):
            return A_NUMBER
        case "concatenation" | "command_name":
            return _joined(node, source, raw, variables or {})
        case "process_substitution":
            # It becomes a file name, and the command that fills the file is judged separately.
            return Word("", computed=True, found=True)
        case kind if kind in EXPANSIONS:
            here = raw.strip("$()` \t") in KNOWN_COMMANDS
            return Word("." if here else "", computed=not here, opens=not here, splits=not here)
        case _:
            return _read_plain(raw)


def _read_plain(raw: str) -> Word:
    text = ESCAPE.sub(lambda match: match[1].strip("\n"), raw)
    unfolded = expand_braces(raw)
    if unfolded is not None:
        return Word(text, computed=True, opens=raw[0] == "{", splits=not unfolded, values=unfolded)
    computed = "$" in raw or "`" in raw
    return Word(text, computed=computed, opens=raw[:1] in ("*", "?", "[") or computed, splits=computed)


def _read_expansion(raw: str, variables: Variables) -> Word:
    name = raw.strip("${}")
    if name in KNOWN_VARIABLES and name not in variables:
        return Word(KNOWN_VARIABLES[name])
    if raw in NUMBERS or raw.startswith("${#"):
        return A_NUMBER
    values = variables.get(name, ()) if raw in (f"${name}", f"${{{name}}}") else ()
    return Word("", computed=True, opens=True, splits=True, values=values)


def _joined(node: "Node", source: bytes, raw: str, variables: Variables) -> Word:
    pieces = [read_word(child, source, variables) for child in node.children]
    whole = _together(pieces)
    quoted = any(child.type in QUOTED for child in node.children)
    if node.type == "concatenation" and not quoted and not whole.splits:
        unfolded = expand_braces(raw)
        if unfolded is not None:
            return Word(whole.text, computed=True, opens=raw[0] == "{", splits=not unfolded, values=unfolded)
    elif node.type == "concatenation" and "{" in raw and "}" in raw:
        return Word(whole.text, computed=True, opens=whole.opens or raw[0] == "{", splits=True)
    return whole


def _read_string(node: "Node", source: bytes, variables: Variables) -> Word:
    """Text between the expansions counts, even if the grammar has no node for it."""
    pieces: list[Word] = []
    quotes = (b'$"', b'"')
    start = node.start_byte + (2 if source[node.start_byte : node.start_byte + 2] == quotes[0] else 1)
    several = False
    for child in node.named_children:
        if child.type == "string_content":
            continue
        pieces += [Word(_unescape_quoted(source[start : child.start_byte])), read_word(child, source, variables)]
        start = child.end_byte
        several |= b"@" in source[child.start_byte : child.end_byte] and child.type in ("simple_expansion", "expansion")
    pieces.append(Word(_unescape_quoted(source[start : max(start, node.end_byte - 1)])))
    whole = _together(pieces)
    return replace(whole, splits=several)


def _together(pieces: list[Word]) -> Word:
    pieces = [piece for piece in pieces if piece.text or piece.computed] or [Word("")]
    if len(pieces) == 1:
        return pieces[0]
    # `id_$((1))` is an unknown name.
    computed = any(piece.computed or piece.number for piece in pieces)
    first = pieces[0]
    values: tuple[str, ...] = ()
    if computed and all(piece.values or not (piece.computed or piece.number) for piece in pieces):
        choices = [piece.values or (piece.text,) for piece in pieces]
        count = 1
        for choice in choices:
            count = min(count * len(choice), MAX_VALUES + 1)
        values = tuple("".join(each) for each in product(*choices)) if count <= MAX_VALUES else ()
    return Word(
        "".join(piece.text for piece in pieces),
        computed,
        opens=first.opens,
        splits=any(piece.splits for piece in pieces),
        values=values,
    )


def _unescape_quoted(data: bytes) -> str:
    return QUOTED_ESCAPE.sub(lambda match: match[1].strip("\n"), data.decode("utf-8", "replace"))


def _unescape_ansi(text: str) -> str:
    return ANSI_ESCAPE.sub(_ansi_character, text)


def _ansi_character(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else ""
    if code[0] in "01234567":
        return chr(int(code, 8))
    return ANSI_LETTERS.get(code, code if code in "\\'\"?" else f"\\{code}")


def text_of(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
