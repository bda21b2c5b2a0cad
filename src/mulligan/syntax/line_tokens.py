"""The tokens of one line of code in any language, for single lines that no grammar can parse."""

import re

from mulligan.syntax.registry import language_of

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


def line_tokens(text: str, comment: str) -> list[str]:
    """Without spaces, and without a comment at the end."""
    stripped = text.strip()
    tokens: list[str] = []
    for found in _TOKEN.finditer(stripped):
        if stripped.startswith(comment, found.start()) and found.lastgroup != "string":
            break
        if found.lastgroup != "space":
            tokens.append(found[0])
    return tokens


def comment_mark(path: str) -> str:
    language = language_of(path)
    return language.comment_marks[0] if language else "//"
