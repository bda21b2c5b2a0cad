"""Values that lack something: to be waited for, converted, copied, or to stand for one that is not there."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.syntax.line_tokens import KEYWORDS, CodeLine, Weighted

COPIED = {"py": ("list({})", "dict({})"), "go": ()}
COPIED_ELSEWHERE = ("[...{}]", "{{ ...{} }}")
TO_NUMBER = {"py": ("int({})", "float({})", "str({})"), "go": ("float64({})",)}
TO_NUMBER_ELSEWHERE = ("Number({})", "String({})")
IN_PLACE = frozenset({"sort", "reverse", "splice"})

_COUNTS = re.compile(r"(?P<of>[\w.]+)\[(?P<key>[^\[\]]+)\] (?P<sign>[-+])= (?P<by>[^;]+?)(?P<end>;?)")
_COLLECTS = re.compile(r"(?P<of>[\w.]+)\[(?P<key>[^\[\]]+)\]\.(?P<call>append|push|add)\((?P<what>.+)\)(?P<end>;?)")
_TAKEN = re.compile(r"(?:return |(?:const |let |var )?[\w.]+ = )([A-Za-z_][\w.]*);?")
_HELD = re.compile(r"(?P<head>(?:['\"]\w+['\"]: |[\w.]+ = |return |\w+=))(?P<value>[^\[{(].*?)(?P<end>,?)")
_ONCE = re.compile(
    r"(?P<head>(?:return |[\w.]+ = ))(?:(?P<made>\(.+ for .+ in .+\))|(?P<call>(?:[\w.]+\.)?(?P<by>\w+)\(.*\)))"
)
_SHORTHAND = re.compile(r"[{,]\s*([A-Za-z_]\w*)\s*(?=[,}])")


def waiting(line: CodeLine, _path: str, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """A call whose result has to be waited for, and is not."""
    for index, token in enumerate(line.tokens):
        if token.text not in vocabulary.awaited or line.at(index + 1) != "(" or line.at(0) in {"async", "def"}:
            continue
        start = line.left_operand(index + 1)
        if start is not None and line.at(line.before(start)) not in {"await", "function", "def", "async"}:
            yield 1.6, line.replaced(start, start, "await ")


def not_there(line: CodeLine, path: str, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """A key that may not be there yet, a property of what may be nothing."""
    text = line.text(0, len(line.tokens))
    python = path.endswith(".py")
    if path.endswith(".go"):
        return
    if found := _COUNTS.fullmatch(text):
        of, key, sign, by, end = found["of"], found["key"], found["sign"], found["by"], found["end"]
        read = f"{of}.get({key}, 0)" if python else f"({of}[{key}] ?? 0)"
        yield 3.8, f"{of}[{key}] = {read} {sign} {by}{end}{line.trail}"
    elif found := _COLLECTS.fullmatch(text):
        of, key, call, what = found["of"], found["key"], found["call"], found["what"]
        made = ("set()" if call == "add" else "[]") if python else ("new Set()" if call == "add" else "[]")
        place = f"{of}.setdefault({key}, {made})" if python else f"({of}[{key}] ??= {made})"
        yield 3.8, f"{place}.{call}({what}){found['end']}{line.trail}"
    elif "missing" in vocabulary.symptoms:
        yield from _read_anyway(line, python=python)


def _read_anyway(line: CodeLine, *, python: bool) -> Iterator[Weighted]:
    for index, token in enumerate(line.tokens):
        closing = line.closing(index) if token.text == "[" and index and line.tokens[index - 1].kind == "name" else None
        if closing is not None and line.at(line.after(closing)) != "=":
            start = line.left_operand(index)
            key, read = line.text(index + 1, closing), line.text(start or index, index)
            if python:
                for default in ("0", '""', "[]") if start is not None else ():
                    yield 4.6, line.replaced(start or 0, closing + 1, f"{read}.get({key}, {default})")
                yield 4.4, line.replaced(index, closing + 1, f".get({key})")
            elif start is not None:
                yield 4.6, line.replaced(start, closing + 1, f"({read}[{key}] ?? 0)")
        if token.text == "." and not python and index and line.tokens[index - 1].kind == "name":
            yield 5.0, line.replaced(index, index + 1, "?.")


def conversions(line: CodeLine, path: str, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """Text for a number, and the other way round."""
    ways = TO_NUMBER.get(path.rpartition(".")[2], TO_NUMBER_ELSEWHERE)
    text = line.text(0, len(line.tokens))
    if path.endswith(".go"):
        return
    if not path.endswith(".py") and line.at(0) == "return":
        for found in _SHORTHAND.finditer(text):
            named = f"{found[1]}: Number({found[1]})"
            yield 4.6, f"{text[: found.start(1)]}{named}{text[found.end(1) :]}{line.trail}"
    if "text" not in vocabulary.symptoms:
        return
    value = _HELD.fullmatch(text) if path.endswith(".py") else None
    if value:
        yield from ((2.6, f"{value['head']}{way.format(value['value'])}{value['end']}{line.trail}") for way in ways)
    for index, token in enumerate(line.tokens):
        if token.kind == "name" and token.text not in KEYWORDS and line.at(index - 1) != "." and line.at(0) != "def":
            end = line.right_operand(index - 1)
            if end is not None and line.left_operand(end) == index and line.at(line.after(end - 1)) not in {"=", "=>"}:
                yield from ((4.8, line.replaced(index, end, way.format(line.text(index, end)))) for way in ways)


def copies(line: CodeLine, path: str, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """What is taken or handed out as it is, and then changed by somebody else; what can be gone through only once."""
    ways = COPIED.get(path.rpartition(".")[2], COPIED_ELSEWHERE)
    text = line.text(0, len(line.tokens))
    once = _ONCE.fullmatch(text) if path.endswith(".py") else None
    if once and (once["made"] or once["by"] in vocabulary.generators | {"map", "filter", "zip", "reversed"}):
        made = f"[{once['made'][1:-1]}]" if once["made"] else f"list({once['call']})"
        yield 2.2, f"{once['head']}{made}{line.trail}"
    taken = _TAKEN.fullmatch(text)
    if taken and taken[1] not in KEYWORDS and not taken[1].isupper():
        for rank, way in enumerate(ways):
            yield 4.4 + 0.4 * rank, f"{text[: taken.start(1)]}{way.format(taken[1])}{text[taken.end(1) :]}{line.trail}"
    for index, token in enumerate(line.tokens):
        start = line.left_operand(index - 1) if token.text in IN_PLACE and line.at(index - 1) == "." else None
        if start is None or line.at(index + 1) != "(":
            continue
        owner = line.text(start, index - 1)
        if path.endswith(".py") and start == 0 and token.text == "sort":
            closing = line.closing(index + 1)
            given = line.text(index + 2, closing or index + 2)
            yield 3.4, f"{owner} = sorted({owner}{', ' if given else ''}{given}){line.trail}"
        elif not path.endswith((".py", ".go")) and not owner.endswith((")", "]")):
            yield 3.4, line.replaced(start, index - 1, f"[...{owner}]")


VALUE_RULES = (waiting, not_there, conversions, copies)
"""Those that need to know more than the line."""
