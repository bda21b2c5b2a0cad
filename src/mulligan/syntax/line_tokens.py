"""A line of code as tokens: enough to change it in one place, in any language that looks like Python or C."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from mulligan.syntax.registry import language_of

Kind = Literal["string", "number", "name", "operator", "space"]

Weighted = tuple[float, str]
"""What a line may have been meant to be: the less the number, the likelier."""

_TOKEN = re.compile(
    r"""
    (?P<string>(?:\b[rbfuRBFU]{1,2})?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`))
    |(?P<number>\b\d[\d_]*(?:\.\d+)?)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<space>\s+)
    |(?P<operator>===|!==|\*\*|//|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|=>|->|:=|<-|\?\?|\?\.|.)
    """,
    re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}

KEYWORDS = frozenset({
    "and", "as", "assert", "async", "await", "break", "case", "catch", "class", "const", "continue", "def",
    "default", "defer", "del", "do", "elif", "else", "except", "export", "extends", "False", "false", "finally",
    "fn", "for", "from", "func", "function", "global", "if", "import", "in", "interface", "is", "lambda", "let",
    "map", "match", "mut", "new", "nil", "None", "nonlocal", "not", "null", "of", "or", "package", "pass",
    "private", "public", "raise", "range", "return", "self", "static", "struct", "super", "switch", "this",
    "throw", "True", "true", "try", "type", "typeof", "undefined", "use", "var", "void", "while", "with",
    "yield",
})  # fmt: skip
"""Of all languages together: words that are no names to put another name for."""

BLOCK_STARTS = frozenset({
    "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "case", "match",
    "switch", "func",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodeToken:
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class CodeLine:
    """The code of a line, without indentation and without a comment behind it."""

    tokens: tuple[CodeToken, ...]
    trail: str
    """The comment, and the space before it."""

    def replaced(self, first: int, last: int, text: str) -> str:
        """The line with other text for the tokens from first up to, but without, last."""
        return self.text(0, first) + text + self.text(last, len(self.tokens)) + self.trail

    def text(self, first: int, last: int) -> str:
        return "".join(token.text for token in self.tokens[first:last])

    def at(self, index: int) -> str:
        """The text of a token; nothing beyond the ends."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def before(self, index: int) -> int:
        """The token before this one that is no space; -1 if there is none."""
        index -= 1
        while index >= 0 and self.tokens[index].kind == "space":
            index -= 1
        return index

    def after(self, index: int) -> int:
        index += 1
        while index < len(self.tokens) and self.tokens[index].kind == "space":
            index += 1
        return index

    def closing(self, opening: int) -> int | None:
        """Where the bracket that opens here is closed."""
        return self._partner(range(opening, len(self.tokens)))

    def split(self, first: int, last: int, separator: str) -> list[tuple[int, int]]:
        """The stretches between separators that stand in no inner bracket."""
        parts: list[tuple[int, int]] = []
        depth, start = 0, first
        for index in range(first, last):
            text = self.at(index)
            depth += (text in _CLOSING) - (text in _CLOSING.values())
            if text == separator and depth == 0:
                parts.append((start, index))
                start = index + 1
        return [*parts, (start, last)]

    def left_operand(self, operator: int) -> int | None:
        """Where the operand before an operator begins: a value with its calls, indices and attributes."""
        index = self.before(operator)
        start: int | None = None
        while index >= 0:
            if self.at(index) in _CLOSING.values():
                opening = self._partner(range(index, -1, -1))
                if opening is None:
                    return start
                start, index = opening, opening - 1
                if not (index >= 0 and self._is_value(index)):
                    return start
                continue
            if not self._is_value(index):
                return start
            start = index
            if self.at(index - 1) != ".":
                return start
            index -= 2
        return start

    def right_operand(self, operator: int) -> int | None:
        """Where the operand behind an operator ends; the token after its last."""
        index = self.after(operator)
        if self.at(index) == "-":
            index = self.after(index)
        end: int | None = None
        if index < len(self.tokens) and self._is_value(index):
            end = index + 1
        elif self.at(index) in _CLOSING:
            closing = self.closing(index)
            end = None if closing is None else closing + 1
        while end is not None and end < len(self.tokens):
            if self.at(end) == "." and end + 1 < len(self.tokens) and self.tokens[end + 1].kind == "name":
                end += 2
            elif self.at(end) in {"(", "["}:
                closing = self.closing(end)
                if closing is None:
                    return end
                end = closing + 1
            else:
                break
        return end

    def _is_value(self, index: int) -> bool:
        token = self.tokens[index]
        named = token.kind == "name" and token.text not in KEYWORDS - {"self", "this", "True", "False", "None"}
        return named or token.kind in {"number", "string"}

    def _partner(self, places: range) -> int | None:
        """Where the brackets that are met in these places are even again."""
        depth = 0
        for index in places:
            text = self.at(index)
            change = (text in _CLOSING) - (text in _CLOSING.values())
            depth += change
            if change and depth == 0:
                return index
        return None


def read_line(text: str, comment: str) -> CodeLine:
    """Tokens of a line; what a comment mark outside of strings begins is its trail."""
    stripped = text.strip()
    tokens: list[CodeToken] = []
    for found in _TOKEN.finditer(stripped):
        if stripped.startswith(comment, found.start()) and found.lastgroup != "string":
            code = stripped[: found.start()]
            kept = _without_space(tokens)
            return CodeLine(tuple(kept), code[len(code.rstrip()) :] + stripped[found.start() :])
        tokens.append(CodeToken(cast("Kind", found.lastgroup), found[0]))
    return CodeLine(tuple(tokens), "")


def comment_mark(path: str) -> str:
    language = language_of(path)
    return language.comment_marks[0] if language else "//"


def _without_space(tokens: Sequence[CodeToken]) -> Sequence[CodeToken]:
    return tokens[:-1] if tokens and tokens[-1].kind == "space" else tokens
