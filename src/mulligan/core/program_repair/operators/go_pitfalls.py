"""Pitfalls of Go."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.sites.line_sites import LineSite, pitfall_table
from mulligan.syntax.line_tokens import Weighted

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
