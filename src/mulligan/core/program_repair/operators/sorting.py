"""Order: the wrong way round, by text for numbers, or sorted where nobody sees it."""

import re
from collections.abc import Iterator

from mulligan.syntax.line_tokens import CodeLine, Weighted

_COMPARES = re.compile(r"\(\(?(?P<one>\w+), (?P<other>\w+)\)? => (?P<how>[^{}]+)\)(?P<end>[;.)]|$)")

_LESS = re.compile(r"func\((?P<one>\w+), (?P<other>\w+) int\) bool \{ return (?P<how>[^{}]+) \}")


def sorting(line: CodeLine, path: str) -> Iterator[Weighted]:
    for index in range(len(line.tokens)):
        if line.at(index + 1) == "(":
            yield from _of_python(line, index) if path.endswith(".py") else _of_scripts(line, index, path)
    text = line.text(0, len(line.tokens))
    for found in _LESS.finditer(text) if path.endswith(".go") else ():
        start, end = found.span("how")
        yield 2.8, f"{text[:start]}{_exchanged(found['how'], found['one'], found['other'])}{text[end:]}{line.trail}"
    for found in _COMPARES.finditer(text) if not path.endswith((".py", ".go")) else ():
        one, other = found["one"], found["other"]
        turned = _exchanged(found["how"], one, other)
        if turned != found["how"]:
            start, end = found.span("how")
            yield (2.8 if "sort" in text else 4.6), f"{text[:start]}{turned}{text[end:]}{line.trail}"


def _exchanged(code: str, one: str, other: str) -> str:
    pair = {one: other, other: one}
    return re.sub(rf"\b(?:{one}|{other})\b", lambda name: pair[name[0]], code)


def _of_python(line: CodeLine, name: int) -> Iterator[Weighted]:
    closing = line.closing(name + 1)
    method = line.at(name - 1) == "."
    if line.at(name) not in {"sorted", "sort"} or closing is None:
        return
    inner = line.text(name + 2, closing)
    if "reverse" not in inner and (line.at(name) == "sorted" or method):
        yield 3.2, line.replaced(closing, closing, f"{', ' if inner else ''}reverse=True")
    elif ", reverse=True" in inner:
        yield 2.8, line.replaced(name + 2, closing, inner.replace(", reverse=True", ""))
    start = line.left_operand(name - 1) if method else None
    if line.at(name) == "sort" and start and closing == name + 2:
        yield 1.5, line.replaced(start, closing + 1, f"sorted({line.text(start, name - 1)})")


def _of_scripts(line: CodeLine, name: int, path: str) -> Iterator[Weighted]:
    if path.endswith(".go") or line.at(name - 1) != ".":
        return
    if line.at(name) == "sort" and line.at(name + 2) == ")":
        yield 2.4, line.replaced(name + 1, name + 3, "((a, b) => a - b)")
        yield 3.0, line.replaced(name + 1, name + 3, "((a, b) => b - a)")
        yield 4.0, line.replaced(name + 1, name + 3, "().reverse()")
    if line.at(name) == "reverse" and line.at(name + 2) == ")":
        yield 3.2, line.replaced(name - 1, name + 3, "")
