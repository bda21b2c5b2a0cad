"""Pitfalls of Python."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.line_context import indent_of
from mulligan.core.program_repair.sites.line_sites import LineSite, pitfall_table
from mulligan.syntax.line_tokens import Weighted

_LONG = r"(?=(?:[rf]{0,2}['\"][^'\"]{2,}['\"]|[A-Z_]{2,})\))"
PYTHON = pitfall_table(
    (1.2, rf"\.lstrip\({_LONG}", ".removeprefix("),
    (1.2, rf"\.rstrip\({_LONG}", ".removesuffix("),
    (2.6, rf"\.strip\({_LONG}", ".removeprefix("),
    (2.6, rf"\.strip\({_LONG}", ".removesuffix("),
    (1.2, r"\.seconds\b(?!\()", ".total_seconds()"),
    (1.1, r"\[(\[[^\[\]]*\](?: \* [\w.]+)?)\] \* ([\w.]+)", r"[\1 for _ in range(\2)]"),
    (1.3, r"([\w.\[\]'\"]+) (==|!=) ([\w.'\"]+) (or|and) ('[^']*'|\"[^\"]*\"|\d+)(?=[: ]|$)", r"\1 \2 \3 \4 \1 \2 \5"),
    (2.8, r"\bcopy\.copy\(", "copy.deepcopy("),
    (2.8, r"\bint\((?=.*[*/])", "round("),
    (3.0, r"key=(lambda \w+: )\(([^(),]+), (.+?)\), reverse=True", r"key=\1(-\2, \3)"),
    (3.0, r"key=(lambda \w+: )\(-([^(),]+), (.+?)\)", r"key=\1(\2, \3)"),
    (2.8, r"\[:([\w.]+)\]", r"[-\1:]"),
    (2.8, r"\[-([\w.]+):\]", r"[:\1]"),
    (3.2, r"\[([\w.]+):\]", r"[-\1:]"),
    (3.4, r"\[([\w.]+):\]", r"[:\1]"),
    (2.8, r"\btuple\(([\w.()'\"]+\.split\(.*?\))\)", r"tuple(int(part) for part in \1)"),
    (2.6, r"(?<== )([\w.()'\"]+\.split\([^()]*\))$", r"[int(part) for part in \1]"),
    (2.2, r"([\w.]+|\w+\([^()]*\)) // ([\w.]+) \+ 1", r"-(-\1 // \2)"),
    (3.4, r"\bif (([\w.]+)\.startswith\()", r"if not \2 or \1"),
    (1.4, r"\bis (?=['\"\d])", "== "),
    (3.6, r"(?<== )([A-Z][A-Z_]+)$", r"dict(\1)"),
    (3.8, r"(?<== )([A-Z][A-Z_]+)$", r"list(\1)"),
)  # fmt: skip
_REGEX_ONE = re.compile(r"(\\[dw]|\])(?=[\\$).(,'\" -])")
_ANCHORED = re.compile(r"\^(?P<how>[^()^$]*\|[^()^$]*)\$")
_EXCEPT = re.compile(r"except (\w+)( as \w+)?:")
_DEF = re.compile(r"def (\w+)\(([^()]*)\):")
_LOOP = re.compile(r"\s*for (\w+)(?:, (\w+))? in ")
_OVER = re.compile(r"for (.+) in ([\w.]+(?:\.(?:items|keys|values)\(\))?):")
_CLASS = re.compile(r"class (\w+)\((\w+)\):")
_ZERO = re.compile(r"(\w+) = 0")


def of_python(spot: LineSite) -> Iterator[Weighted]:
    text, vocabulary = spot.text, spot.vocabulary
    caught = _EXCEPT.fullmatch(text)
    for error in vocabulary.raised if caught else ():
        if caught and error != caught[1]:
            yield 1.5, f"except ({error}, {caught[1]}){caught[2] or ''}:"
    over = _OVER.fullmatch(text)
    if over:
        yield (1.2 if "changed" in vocabulary.symptoms else 4.6), f"for {over[1]} in list({over[2]}):"
    if re.search(r"\br['\"]|\bre\.", text):
        for found in _REGEX_ONE.finditer(text):
            yield 3.4, f"{text[: found.end()]}+{text[found.end() :]}"
        for found in _ANCHORED.finditer(text):
            yield 1.6, f"{text[: found.start()]}^(?:{found['how']})${text[found.end() :]}"
    yield from _largest(text, spot.around.code)
    yield from _bound_late(text, spot.lines, spot.line)
    yield from _without_super(spot)


def _largest(text: str, code: str) -> Iterator[Weighted]:
    """The search for a largest or smallest value that begins with zero."""
    found = _ZERO.fullmatch(text)
    if found and re.search(rf"(?:>=? ?{found[1]}\b|\b{found[1]} <|max\({found[1]}\b|max\(.*, {found[1]}\))", code):
        yield 2.6, f'{found[1]} = float("-inf")'
    if found and re.search(rf"(?:<=? ?{found[1]}\b|\b{found[1]} >|min\({found[1]}\b|min\(.*, {found[1]}\))", code):
        yield 2.6, f'{found[1]} = float("inf")'


def _bound_late(text: str, lines: Sequence[str], line: int) -> Iterator[Weighted]:
    """A function made in a loop sees the loop's last round when it is called."""
    made = _DEF.fullmatch(text)
    takes = re.search(r"\blambda ?([\w, ]*):", text)
    if not made and not takes:
        return
    inner = indent_of(lines[line - 1])
    body = [text]
    for row in lines[line:] if made else ():
        if row.strip() and indent_of(row) <= inner:
            break
        body.append(row)
    for number in range(line - 1, 0, -1):
        row = lines[number - 1]
        if not row.strip() or indent_of(row) >= inner:
            continue
        loop = _LOOP.match(row)
        for name in (loop[1], loop[2]) if loop else ():
            if name and re.search(rf"\b{name}\b", "\n".join(body[1:] if made else body)):
                if made:
                    given = f"{made[2]}, {name}={name}" if made[2] else f"{name}={name}"
                    yield 2.0, f"def {made[1]}({given}):"
                elif takes:
                    given = f"{takes[1]}, {name}={name}" if takes[1] else f"{name}={name}"
                    yield 2.4, f"{text[: takes.start()]}lambda {given}:{text[takes.end() :]}"
        return


def _without_super(spot: LineSite) -> Iterator[Weighted]:
    """A class that does not begin as the one it is made from does."""
    if not spot.text.startswith("def __init__(self") or "super()" in spot.around.code:
        return
    classes = (_CLASS.match(row) for row in reversed(spot.lines[: spot.line]) if row.startswith("class "))
    head = next(classes, None)
    rows = iter(spot.lines)
    base = next((row for row in rows if head and re.match(rf"class {head[2]}\b", row)), "")
    begins = next((row.strip() for row in rows if row.strip().startswith("def __init__(")), "") if base else ""
    taken = _DEF.fullmatch(begins)
    if taken and begins != spot.text:
        names = [each.partition("=")[0].partition(":")[0].strip() for each in taken[2].split(",")][1:]
        known = ", ".join(name for name in names if re.search(rf"\b{name}\b", spot.text))
        yield 1.6, f"{spot.text}\n    super().__init__({known})"
