"""Well-known pitfalls of a language: what stands there works, and does something else than it looks like.

Each is told by the text of the line, or by a look at what stands around it. What is hardly ever meant as it stands
weighs least, and is tried before anything else.
"""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.operators.python_pitfalls import PYTHON, of_python
from mulligan.core.program_repair.operators.script_pitfalls import GO, SCRIPTS, of_go, of_scripts
from mulligan.core.program_repair.sites.line_context import indent_of
from mulligan.core.program_repair.sites.line_sites import LineSite, apply_pitfall
from mulligan.syntax.line_tokens import Weighted

_EMPTY = r"\[\]|\{\}|set\(\)|list\(\)|dict\(\)|new Set\(\)|new Map\(\)|\"\"|''|``|0"
_BEGUN = re.compile(rf"(?:let |var )?([A-Za-z_][\w.]*) :?= ({_EMPTY});?$")
_HANDS_OVER = re.compile(r"(?:\.(?:append|push|add|send|extend)\(|= append\(|\byield ).*")
_SET_AGAIN = re.compile(r"([A-Za-z_]\w*) = (.+)")
_MIXED = re.compile(r"(?P<head>.*?(?:\breturn |\bif \(?|= ))(?P<how>.*?)(?P<end>\)? ?[:{]|;)?$")
_TWO_LISTS = re.compile(r"\bin (?P<one>[\w.]+) (?P<between>if \w+ (?:not )?in) (?P<other>[\w.]+)")
_FILTERED = re.compile(
    r"\b(?P<one>[\w.]+)(?P<between>\.filter\(\(?\w+\)? => !?)(?P<other>[\w.]+)(?=\.(?:includes|has)\()"
)


def pitfalls(spot: LineSite) -> Iterator[Weighted]:
    fixed = (
        *apply_pitfall(spot.text, _TABLES.get(spot.path.rpartition(".")[2], SCRIPTS)),
        *_OTHERS.get(spot.path.rpartition(".")[2], of_scripts)(spot),
        *_not_emptied(spot),
        *_not_added(spot),
        *_either_and(spot),
        *_exchanged(spot.text),
    )
    yield from ((weight, f"{text}{spot.code.trail}") for weight, text in fixed)


_TABLES = {"py": PYTHON, "go": GO}
_OTHERS = {"py": of_python, "go": of_go}


def _exchanged(text: str) -> Iterator[Weighted]:
    """Two lists the wrong way round, and the two ends of a bound."""
    for pattern in (_TWO_LISTS, _FILTERED):
        for found in pattern.finditer(text):
            one, other = found.span("one"), found.span("other")
            turned = f"{found['other']}{text[one[1] : other[0]]}{found['one']}"
            yield 2.4, f"{text[: one[0]]}{turned}{text[other[1] :]}"
    if re.search(r"\bmin\(", text) and re.search(r"\bmax\(", text):
        yield 1.9, re.sub(r"\b(?:min|max)(?=\()", lambda name: {"min": "max", "max": "min"}[name[0]], text)


def _not_emptied(spot: LineSite) -> Iterator[Weighted]:
    """What was gathered is handed over, and the next round goes on gathering into the same."""
    path, text, around = spot.path, spot.text, spot.around
    handed = _HANDS_OVER.search(text)
    end = "" if path.endswith((".py", ".go")) else ";"
    for row in around.code.split("\n") if handed else ():
        found = _BEGUN.match(row.strip())
        if handed and found and found[2] != "0" and re.search(rf"[ (,]{re.escape(found[1])}\b", handed[0]):
            yield 2.0, f"{text}\n{found[1]} = {found[2]}{end}"
    owner = "self" if path.endswith(".py") else "this"
    for field in dict.fromkeys(re.findall(rf"[ (,.]({owner}\.\w+)", handed[0]) if handed else ()):
        filled = re.compile(rf"{re.escape(field)}\.(?:append|push|add)\(")
        if not text.startswith(field) and any(filled.search(row) for row in spot.lines):
            yield 2.2, f"{text}\n{field} = []{end}"


def _not_added(spot: LineSite) -> Iterator[Weighted]:
    """A sum that is set anew in every round."""
    lines, line = spot.lines, spot.line
    found = _SET_AGAIN.fullmatch(spot.text)
    if found is None or re.search(rf"\b{found[1]}\b", found[2]):
        return
    begun = re.compile(rf"(?:let |var )?{found[1]} :?= (?:0|0\.0|\"\"|'');?")
    above = [lines[number - 1] for number in range(spot.around.first, line)]
    outside = [row for row in above if begun.fullmatch(row.strip()) and indent_of(row) < indent_of(lines[line - 1])]
    if outside and any(row.strip().startswith(("for ", "for(", "while")) for row in above):
        yield 2.2, f"{found[1]} += {found[2]}"


def _either_and(spot: LineSite) -> Iterator[Weighted]:
    """`a or b and c`: `and` comes first, and may not have been meant to."""
    either, both = ("or", "and") if spot.path.endswith(".py") else ("||", "&&")
    found = _MIXED.fullmatch(spot.text)
    parts = found["how"].split(f" {both} ") if found else []
    if found is None or "(" in found["how"].replace("()", "") or len(parts) < 2 or f" {either} " not in found["how"]:
        return
    for place, part in enumerate(parts):
        if f" {either} " in part:
            grouped = f" {both} ".join([*parts[:place], f"({part})", *parts[place + 1 :]])
            yield 2.4, f"{found['head']}{grouped}{found['end'] or ''}"
