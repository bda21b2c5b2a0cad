"""The words of a command, as the shell would hand them to a program."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

KNOWN_VARIABLES = {"HOME": "~", "PWD": "."}
KNOWN_COMMANDS = frozenset({"pwd", "git rev-parse --show-toplevel"})
"""What can be told without running anything: the home folder, and where the command runs."""

BRACE_LIST = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
VERSIONED = re.compile(
    r"(clang-format|clang-tidy|clang\+\+|clang|g\+\+|gcc|lua|node|perl|php|pip|pypy|python|ruby)-?[\d.]+"
)
PROJECT_COPIES = {"gradlew": "gradle", "mvnw": "mvn"}
"""Programs that a project brings along under another name."""
ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
QUOTED_ESCAPE = re.compile(r"\\(\n|[\\\"$`])")
ANSI_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,6}|[0-7]{1,3}|.)", re.DOTALL)
ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}

EXPANSIONS = frozenset({"command_substitution", "process_substitution", "arithmetic_expansion", "brace_expression"})


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    """Without quotes and escapes. What is computed is left out of it."""
    computed: bool = False
    """Something of it is known only when it runs: `$X`, `$(…)`, `{a,b}`."""


def program_name(text: str) -> str:
    """`/usr/bin/python3.11` is python."""
    name = text.rpartition("/")[2].removesuffix(".exe")
    versioned = VERSIONED.fullmatch(name)
    return versioned[1] if versioned else PROJECT_COPIES.get(name, name)


def read_word(node: "Node", source: bytes) -> Word:
    raw = _text(node, source)
    match node.type:
        case "raw_string":
            return Word(raw[1:-1])
        case "ansi_c_string":
            return Word(_unescape_ansi(raw[2:-1]))
        case "string" | "translated_string":
            return _read_string(node, source)
        case "simple_expansion" | "expansion":
            known = KNOWN_VARIABLES.get(raw.strip("${}"))
            return Word(known or "", computed=known is None)
        case "concatenation" | "command_name":
            return _joined(node, source, raw)
        case kind if kind in EXPANSIONS:
            here = raw.strip("$()` \t") in KNOWN_COMMANDS
            return Word("." if here else "", computed=not here)
        case _:
            text = ESCAPE.sub(lambda match: match[1].strip("\n"), raw)
            return Word(text, computed="$" in raw or "`" in raw or bool(BRACE_LIST.search(raw)))


def _joined(node: "Node", source: bytes, raw: str) -> Word:
    pieces = [read_word(child, source) for child in node.children]
    unquoted = "".join(_text(child, source) for child in node.children if "string" not in child.type)
    unfolds = node.type == "concatenation" and "{" in unquoted and bool(BRACE_LIST.search(raw))
    return Word("".join(piece.text for piece in pieces), computed=unfolds or any(piece.computed for piece in pieces))


def _read_string(node: "Node", source: bytes) -> Word:
    """What stands between the expansions is text, whether the grammar made a node of it or not."""
    pieces: list[Word] = []
    quotes = (b'$"', b'"')
    place = node.start_byte + (2 if source[node.start_byte : node.start_byte + 2] == quotes[0] else 1)
    for child in node.named_children:
        if child.type == "string_content":
            continue
        pieces += [Word(_unescape_quoted(source[place : child.start_byte])), read_word(child, source)]
        place = child.end_byte
    pieces.append(Word(_unescape_quoted(source[place : max(place, node.end_byte - 1)])))
    return Word("".join(piece.text for piece in pieces), computed=any(piece.computed for piece in pieces))


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
    return ANSI_LETTERS.get(code, code)


def _text(node: "Node", source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
