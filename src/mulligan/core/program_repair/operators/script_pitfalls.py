"""Pitfalls of JavaScript and TypeScript."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.sites.line_sites import LineSite, pitfall_table
from mulligan.syntax.line_tokens import CodeLine, Weighted

SCRIPTS = pitfall_table(
    (1.0, r"\.map\(parseInt\)", ".map((part) => parseInt(part, 10))"),
    (1.4, r"\.(replace|match)\((/(?:[^/\\\n]|\\.)+/)([imsuy]*)(?=[,)])", r".\1(\2g\3"),
    (1.3, r"for \((const|let|var) (\w+) in ", r"for (\1 \2 of "),
    (2.2, r"\b(\w+)\.length\b", r"\1.size"),
    (1.8, r"\b([\w.]+)\.size\b", r"\1.length"),
    (1.0, r"await ([\w.]+\.map\(.*\))(?=;|$)", r"await Promise.all(\1)"),
    (1.2, r"\.(forEach|map|filter|some|every|find)\(this\.(\w+)\)", r".\1((each) => this.\2(each))"),
    (2.4, r"\{ \.\.\.([\w.]+), \.\.\.([\w.]+) \}", r"{ ...\2, ...\1 }"),
    (2.4, r"\{ ([^{}.][^{}]*), \.\.\.([\w.]+) \}", r"{ ...\2, \1 }"),
    (2.6, r"\{ \.\.\.([\w.]+), ([^{}.][^{}]*) \}", r"{ \2, ...\1 }"),
    (2.4, r"\.slice\((\w[\w.]*)\)", r".slice(-\1)"),
    (2.6, r"\.slice\(0, ([\w.]+)\)", r".slice(-\1)"),
    (2.6, r"\.slice\(-([\w.]+)\)", r".slice(0, \1)"),
    (2.8, r"(\.slice\(\w+, )(\w+)\)", r"\1-\2)"),
    (2.6, r"(?<!\w)([A-Z_]*SECONDS?)\b(?! \*)", r"\1 * 1000"),
    (2.6, r"(= )(?!await|new|\()((?:this\.)?[\w.]+\(.*\))(?=;)", r"\1await \2"),
    (2.4, r"(/(?:[^/\\\n]|\\.)+/)g([imsuy]*)(?=;)", r"\1\2"),
    (2.6, r"\bparseInt\(", "Number("),
    (2.2, r"Math\.floor\(([^()]+)\) \+ 1", r"Math.ceil(\1)"),
    (3.4, r"\bif \((([\w.]+)\.startsWith\()", r"if (!\2 || \1"),
    (1.2, r"([\w.]+) ===? NaN\b", r"Number.isNaN(\1)"),
    (1.4, r"typeof ([\w.]+) === \"array\"", r"Array.isArray(\1)"),
    (1.3, r"([\w.]+) (===?) (['\"\w]+) \|\| (['\"][^'\"]*['\"]|\d+)(?=\)| |;)", r"\1 \2 \3 || \1 \2 \4"),
)  # fmt: skip
_OVER = re.compile(r"(for \((?:const|let|var) .+ of )([\w.]+)(\).*)")
_COUNTS_UP = re.compile(r"for \(let (\w+) = 0; \1 < ([\w.]+)\.length; \1(?:\+\+| \+= 1)\)(.*)")
_CASE = re.compile(r"(?:case\b.*|default):")
_LEAVES = re.compile(r"(?:break|return|throw|continue)\b|case\b|default:|switch\b|//")
_ZERO = re.compile(r"let (\w+) = 0;")
_VALUE = re.compile(r"(?P<head>(?:\w+: |(?:const |let |var )?[\w.]+ = |return ))(?P<value>[^{\[(].*?)(?P<end>[,;])")


def of_scripts(spot: LineSite) -> Iterator[Weighted]:
    text, around, below = spot.text, spot.around, spot.below
    over = _OVER.fullmatch(text)
    if over and re.search(rf"{re.escape(over[2])}\.(?:splice|push|shift|pop|delete|add)\(", around.code):
        yield 1.4, f"{over[1]}[...{over[2]}]{over[3]}"
    up = _COUNTS_UP.fullmatch(text)
    if up and re.search(rf"\.splice\({up[1]}\b", around.code):
        yield 1.3, f"for (let {up[1]} = {up[2]}.length - 1; {up[1]} >= 0; {up[1]}--){up[3]}"
    if _CASE.match(below) and not _LEAVES.match(text) and text.endswith((";", "}")):
        yield 1.2, f"{text}\nbreak;"
    yield from _without_start(spot.code)
    found = _ZERO.fullmatch(text)
    if found and re.search(rf"> {found[1]}\b|Math\.max\({found[1]}\b", around.code):
        yield 2.6, f"let {found[1]} = -Infinity;"
    if found and re.search(rf"< {found[1]}\b|Math\.min\({found[1]}\b", around.code):
        yield 2.6, f"let {found[1]} = Infinity;"
    value = _VALUE.fullmatch(text)
    if value and "text" in spot.vocabulary.symptoms and "await " not in text:
        yield 2.0, f"{value['head']}Number({value['value']}){value['end']}"


def _without_start(code: CodeLine) -> Iterator[Weighted]:
    """A sum that begins with the first item, which is no number, or is not there."""
    for index, token in enumerate(code.tokens):
        closing = code.closing(index + 1) if token.text == "reduce" and code.at(index + 1) == "(" else None
        if closing is not None and len(code.split(index + 2, closing, ",")) == 1:
            for rank, start in enumerate(("0", "{}", "[]", '""')):
                yield 1.5 + 0.6 * rank, code.replaced(closing, closing, f", {start}").removesuffix(code.trail)
