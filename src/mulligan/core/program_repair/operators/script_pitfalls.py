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


_LONG = r"(?=[\w.]+, (?:\"[^\"]{2,}\"|\w{2,})\))"
GO = pitfall_table(
    (1.1, r"float(64|32)\(([\w.()]+) ?/ ?([\w.()]+)\)", r"float\1(\2) / float\1(\3)"),
    (1.2, rf"strings\.TrimLeft\({_LONG}", "strings.TrimPrefix("),
    (1.2, rf"strings\.TrimRight\({_LONG}", "strings.TrimSuffix("),
    (2.4, rf"strings\.Trim\({_LONG}", "strings.TrimPrefix("),
    (1.4, r"(Errorf\(\".*)%[vs](.*\b(?:err|Err\w*)\))", r"\1%w\2"),
    (2.2, r"\[\]byte\(", "[]rune("),
    (1.8, r"strings\.Split\(([\w.()]+), \" \"\)", r"strings.Fields(\1)"),
    (1.8, r"\btime\.Duration\(([\w.]+)\)(?! \*)", r"time.Duration(\1) * time.Second"),
    (2.0, r"\btime\.Duration\(([\w.]+)\)(?! \*)", r"time.Duration(\1) * time.Millisecond"),
    (2.2, r"\btime\.Duration\(([\w.]+)\)(?! \*)", r"time.Duration(\1) * time.Minute"),
    (2.0, r"\b(u?int(?:64)?)\(([\w.]+ ?\* ?[\w.]+|[\w.]+ ?/ ?[\w.]+)\)", r"\1(math.Round(\2))"),
    (3.0, r"\b([\w.]+)\[:(\w[\w.]*)\]", r"\1[len(\1)-\2:]"),
    (3.0, r"\b([\w.]+)\[len\(\1\)-(\w[\w.]*):\]", r"\1[:\2]"),
    (2.2, r"([\w.]+|\w+\([^()]*\)) ?/ ?([\w.]+) ?\+ ?1\b", r"(\1 + \2 - 1) / \2"),
    (3.4, r"\bif (strings\.HasPrefix\(([\w.]+),)", r'if \2 == "" || \1'),
    (2.6, r"strings\.Contains\(", "strings.HasPrefix("),
    (2.6, r"strings\.HasPrefix\(", "strings.Contains("),
)  # fmt: skip
_MADE = re.compile(r"(\w+) := make\((\[\][\w.*]+), (len\([\w.]+\)|\w+)\)")
_NEW = re.compile(r"(.*)&?\b([A-Z]\w*)\{([^{}]*)\}(.*)")
_RETURN = re.compile(r"return (.*, )?nil")
_CASTS = re.compile(r"\bstring\((?:rune\()?([\w.]+)\)+")
_IN_STRUCT = re.compile(r"type (\w+) struct \{(.*?)\n\}", re.DOTALL)
_MAP_FIELD = re.compile(r"^\s+(\w+) +(map\[.*)$", re.MULTILINE)
_LOOKED_UP = re.compile(r"(\w+) := ([\w.]+\[[\w.\"]+\])")
_INDEXED = re.compile(r"\b([\w.]+)\[(\d)\]")
_IF = re.compile(r"if ([^;{]+) \{")


def of_go(spot: LineSite) -> Iterator[Weighted]:
    text, around, whole = spot.text, spot.around, "\n".join(spot.lines)
    made = _MADE.fullmatch(text)
    if made and f"append({made[1]}," in around.code:
        yield 1.1, f"{made[1]} := make({made[2]}, 0, {made[3]})"
    found = _RETURN.fullmatch(text)
    if found and "err != nil" in spot.above:
        yield 1.2, f"return {found[1] or ''}err"
    for cast in _CASTS.finditer(text) if '"strconv"' in whole else ():
        yield 1.6, f"{text[: cast.start()]}strconv.Itoa({cast[1]}){text[cast.end() :]}"
    looked = _LOOKED_UP.fullmatch(text)
    if looked and spot.below.startswith("if !ok"):
        yield 1.2, f"{looked[1]}, ok := {looked[2]}"
    if text == "break":
        returns = [row.strip() for row in around.code.split("\n") if row.strip().startswith("return")]
        yield from ((1.8, each) for each in dict.fromkeys(returns))
    asked = _IF.fullmatch(text)
    for each in _INDEXED.finditer(text) if asked and "empty" in spot.vocabulary.symptoms else ():
        yield 1.8, f"if len({each[1]}) > {each[2]} && {asked[1] if asked else ''} {{"
    yield from _without_map(text, whole)


def _without_map(text: str, whole: str) -> Iterator[Weighted]:
    """A map that is not made can be read, but not written to."""
    new = _NEW.fullmatch(text)
    if new is None:
        return
    for name, fields in _IN_STRUCT.findall(whole):
        if name == new[2]:
            missing = [
                f"{field}: make({kind.strip()})"
                for field, kind in _MAP_FIELD.findall(fields)
                if f"{field}:" not in new[3]
            ]
            given = ", ".join([*([new[3].strip()] if new[3].strip() else []), *missing])
            head = text[: new.start(2)]
            if missing:
                yield 1.5, f"{head}{name}{{{given}}}{new[4]}"
