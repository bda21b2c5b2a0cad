"""The tokens of a few lines of code in any language, for what no grammar can parse alone."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from mulligan.syntax.language import Language
from mulligan.syntax.registry import language_of

_TOKEN = re.compile(
    r"""
    (?P<string>(?:\b[rbfuRBFU]{1,2})?(?P<quote>\"{3}|'{3}|["'`])(?:\\.|(?!(?P=quote))[^\\])*(?P=quote))
    |(?P<number>\b\d[\d_]*(?:\.\d+)?)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<space>\s+)
    |(?P<operator>===|!==|\*\*|//|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|=>|->|:=|<-|\?\?|\?\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_SINGLE_QUOTES = re.compile(r"(\w*)'([^'\"\\]*)'")

KEYWORDS = frozenset({
    "and", "as", "assert", "async", "await", "break", "case", "catch", "class", "const", "continue", "def",
    "default", "defer", "del", "do", "elif", "else", "except", "export", "extends", "False", "false", "finally",
    "fn", "for", "from", "func", "function", "global", "if", "import", "in", "interface", "is", "lambda", "let",
    "map", "match", "mut", "new", "nil", "None", "nonlocal", "not", "null", "of", "or", "package", "pass",
    "private", "public", "raise", "range", "return", "self", "static", "struct", "super", "switch", "this",
    "throw", "True", "true", "try", "type", "typeof", "undefined", "use", "var", "void", "while", "with",
    "yield",
})  # fmt: skip
"""Keywords of all languages together, which are never replaced by another name."""


@lru_cache(maxsize=1024)
def line_tokens(path: str, text: str) -> tuple[str, ...]:
    """Equal for texts that differ only in comments, spaces between tokens, and quotes that mean the same."""
    language = language_of(path)
    comment = language.comment_marks[0] if language else "//"
    tokens: list[str] = []
    at = 0
    while found := _TOKEN.match(text, at):
        at = found.end()
        if found.lastgroup == "string":
            tokens.append(usual_quotes(language, found[0]))
        elif text.startswith(comment, found.start()) and not text[found.start() - 1 : found.start()].strip():
            line_end = text.find("\n", at)
            at = line_end if line_end >= 0 else len(text)
        elif found.lastgroup != "space":
            tokens.append(found[0])
        elif (begins := found.start() == 0) or "\n" in found[0]:
            # Where a line begins says to which block it belongs.
            tokens.append(found[0] if begins else found[0][found[0].rindex("\n") :])
    return tuple(tokens)


def usual_quotes(language: Language | None, string: str) -> str:
    """The same for strings that differ only in their quotes, if that changes nothing in this language."""
    found = _IN_SINGLE_QUOTES.fullmatch(string) if language and language.quotes_alike else None
    return f'{found[1]}"{found[2]}"' if found else string


def equal_ends(one: Sequence[bytes], other: Sequence[bytes]) -> tuple[int, int]:
    """How many rows at the start and then at the end of two texts are equal."""
    first = sum(1 for _ in takewhile(lambda rows: rows[0] == rows[1], zip(one, other, strict=False)))
    ends = zip(reversed(one[first:]), reversed(other[first:]), strict=False)
    return first, sum(1 for _ in takewhile(lambda rows: rows[0] == rows[1], ends))
