"""What is easily left out of a line: a return, a call's brackets, the mark of a template, a change of case."""

import re
from collections.abc import Iterator

from mulligan.syntax.line_tokens import BLOCK_STARTS, KEYWORDS, CodeLine, Weighted

WITHOUT_CALL = frozenset({
    "strip", "lower", "upper", "items", "keys", "values", "copy", "sort", "reverse", "split", "title", "trim",
    "toLowerCase", "toUpperCase", "isdigit",
})  # fmt: skip
"""Methods that are of no use unless they are called."""
TEXT_METHODS = frozenset({
    "replace", "replaceAll", "split", "strip", "trim", "join", "startswith", "startsWith", "lower", "upper", "title",
    "toLowerCase", "toUpperCase",
})  # fmt: skip


_MADE_IN_VAIN = re.compile(
    r"(?:await )?[\w$.\[\]]+(?:\([^()]*\))?\.(?:map|filter|flatMap|reduce|find|some|every|slice|concat|join|sort)"
    r"\(.*(?:=>\s*\(?\{|[(\[])$"
)
"""The first line of a call that is of no use but for its result."""
_FAULT = re.compile(r"(?:new )?\w*(?:Error|Exception)\(.*\);?$")


def forgotten(line: CodeLine, path: str) -> Iterator[Weighted]:
    """What is easily left out: a return, an assignment, the mark of a template, a call's brackets."""
    text = line.text(0, len(line.tokens))
    if _MADE_IN_VAIN.match(text) and not path.endswith(".go"):
        yield 1.6, f"return {text}{line.trail}"
    if _is_expression(line):
        called = text.rstrip(";").endswith(")")
        yield (4.0 if called else 1.5), f"return {text}{line.trail}"
        if _FAULT.match(text):
            yield 1.2, f"{'raise' if path.endswith('.py') else 'throw'} {text}{line.trail}"
        compared = re.match(r"([\w.\[\]'\"]+) ===? (.+)", text)
        if compared:
            yield 1.5, f"{compared[1]} = {compared[2]}{line.trail}"
    yield from _missing_marks(line, path)
    if path.endswith(".py"):
        yield from _default_for_none(line)
        yield from _mutable_default(line)


def texts(line: CodeLine, path: str) -> Iterator[Weighted]:
    """Text that is meant without its case, or without the space around it."""
    added = {"py": (".lower()", ".upper()", ".strip()"), "go": ()}
    calls = added.get(path.rpartition(".")[2], (".toLowerCase()", ".toUpperCase()", ".trim()"))
    for index, token in enumerate(line.tokens):
        if token.text not in TEXT_METHODS or line.at(index - 1) != "." or line.at(index + 1) != "(":
            continue
        end = line.closing(index + 1)
        for place in (index - 1, *(() if end is None else (end + 1,))):
            yield from ((4.2, line.replaced(place, place, call)) for call in calls)


def more(line: CodeLine, path: str) -> Iterator[Weighted]:
    """Rare slips: a result that wants another form, a line that should not be there."""
    if path.endswith(".py") and line.at(0) == "return" and len(line.tokens) > 2:
        value = line.text(2, len(line.tokens))
        for wrapped in ("sorted({})", "round({})", "-{}", "list({})", "int({})", "not {}"):
            yield 6.0, f"return {wrapped.format(value)}{line.trail}"
    if line.at(0) not in BLOCK_STARTS and line.at(len(line.tokens) - 1) not in {"{", "}", ":", "(", "[", ","}:
        yield 5.6, ""


def _missing_marks(line: CodeLine, path: str) -> Iterator[Weighted]:
    python = path.endswith(".py")
    for index, token in enumerate(line.tokens):
        if token.kind == "string" and python and re.match(r"""['"].*\{\w[^{}]*\}""", token.text):
            yield 1.5, line.replaced(index, index + 1, f"f{token.text}")
        if token.kind == "string" and not python and re.match(r"""['"].*\$\{""", token.text):
            yield 1.5, line.replaced(index, index + 1, f"`{token.text[1:-1]}`")
        if token.text in WITHOUT_CALL and line.at(index - 1) == "." and line.at(index + 1) != "(":
            yield 1.5, line.replaced(index, index + 1, f"{token.text}()")
        if token.text == "=" and not python and line.at(0) in {"if", "while", "}"}:
            yield 1.5, line.replaced(index, index + 1, "==" if path.endswith(".go") else "===")


def _default_for_none(line: CodeLine) -> Iterator[Weighted]:
    """`x or 10` also replaces a zero."""
    for index, token in enumerate(line.tokens):
        left, right = line.left_operand(index), line.right_operand(index)
        if token.text == "or" and left is not None and right is not None:
            value, default = line.text(left, line.before(index) + 1), line.text(line.after(index), right)
            yield 3.0, line.replaced(left, right, f"{default} if {value} is None else {value}")


def _mutable_default(line: CodeLine) -> Iterator[Weighted]:
    text = line.text(0, len(line.tokens))
    found = re.match(r"(?:async )?def .*?\b(\w+)(?:: ?[^=,]+?)?( ?= ?)(\[\]|\{\}|set\(\)|dict\(\)|list\(\))", text)
    if found and text.endswith(":"):
        shown = f"{text[: found.start(3)]}None{text[found.end(3) :]}"
        yield 1.0, f"{shown}{line.trail}\n    {found[1]} = {found[3]} if {found[1]} is None else {found[1]}"


def _is_expression(line: CodeLine) -> bool:
    texts = [token.text for token in line.tokens]
    if (
        not texts
        or texts[0] in KEYWORDS - {"self", "this", "not", "await", "new"}
        or texts[0] in {"@", "}", ")", "]", "#"}
    ):
        return False
    if texts[-1] in {":", "{", "(", "[", ",", "}"} or line.tokens[0].kind == "string":
        return False
    depth = 0
    for text in texts:
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 and text in {"=", "+=", "-=", "*=", "/=", ":=", "++", "--", "<-", ":"}:
            return False
    return depth == 0
