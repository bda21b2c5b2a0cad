"""Values that want another form: without space, in one case, rounded, sorted, copied."""

import re
from collections.abc import Iterator

from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.syntax.line_tokens import KEYWORDS, CodeLine, Weighted

AS_TEXT = {
    "py": ("{}.strip()", "{}.lower()", "{}.upper()"),
    "go": ("strings.TrimSpace({})", "strings.ToLower({})", "strings.ToUpper({})"),
}
AS_TEXT_ELSEWHERE = ("{}.trim()", "{}.toLowerCase()", "{}.toUpperCase()")
ROUNDED = {
    "py": ("round({}, 2)", "round({})", "math.ceil({})", "math.floor({})", "int({})"),
    "go": ("math.Round({})", "math.Floor({})"),
}
ROUNDED_ELSEWHERE = ("Math.floor({})", "Math.round({})", "Math.ceil({})")
SORTED = {"py": ("sorted({})",), "go": ()}
SORTED_ELSEWHERE = ("{}.sort()", "{}.reverse()")
SKIPPED = frozenset(
    {"def", "func", "function", "import", "from", "class", "package", "export", "async", "for", "while"}
)

_TAKEN = re.compile(r"[\w\s,\]})]*=>")
"""What follows the parameter of a function within the line."""
_NAMED = re.compile(
    r"[\w.]*(?:name|text|line|title|word|key|mail|value|part|row|code|tag|query|label|input|s)$", re.IGNORECASE
)


def other_forms(line: CodeLine, path: str, vocabulary: ProjectWords) -> Iterator[Weighted]:
    if line.at(0) in SKIPPED:
        return
    if vocabulary.tells_of_text:
        yield from _as_text(line, path, vocabulary)
    if vocabulary.tells_of_numbers:
        yield from _rounded(line, path)
    if line.at(0) == "return" and len(line.tokens) > 2:
        end = len(line.tokens) - (line.at(len(line.tokens) - 1) == ";")
        for way in _ways(path, SORTED, SORTED_ELSEWHERE):
            yield 5.0, line.replaced(2, end, way.format(line.text(2, end)))


def _as_text(line: CodeLine, path: str, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """Without case or the space around it: what failures tell of, or what is done to such a thing elsewhere."""
    told = bool(vocabulary.symptoms & {"space", "case"})
    for start, end in _values(line):
        old = line.text(start, end)
        if line.at(end - 1) in {")", "]"} or _TAKEN.match(line.text(end, len(line.tokens))):
            continue
        for way in _ways(path, AS_TEXT, AS_TEXT_ELSEWHERE):
            call = way.format("").strip("().")
            usual = call in vocabulary.names and bool(_NAMED.match(old))
            if told or usual or _NAMED.match(old):
                yield (5.0 if usual else 5.4), line.replaced(start, end, way.format(old))


def _values(line: CodeLine) -> Iterator[tuple[int, int]]:
    for index, token in enumerate(line.tokens):
        if token.kind != "name" or token.text in KEYWORDS or line.at(index - 1) == ".":
            continue
        end = line.right_operand(index - 1)
        behind = line.at(line.after(end - 1)) if end else "="
        if end and behind not in {"=", ":=", "=>", "+=", "-=", ":", "(", ".", "++", "--", "*", "/", "//", "%", "-"}:
            yield index, end


def _rounded(line: CodeLine, path: str) -> Iterator[Weighted]:
    """A division whose rest is not wanted, or one that is wanted up to the next whole number."""
    for index, token in enumerate(line.tokens):
        whole = token.text == "//" and path.endswith(".py")
        if token.text != "/" and not whole:
            continue
        left, right = line.left_operand(index), line.right_operand(index)
        if left is None or right is None:
            continue
        one, other = line.text(left, line.before(index) + 1), line.text(line.after(index), right)
        divided = f"{one} / {other}"
        if path.endswith(".go"):
            yield 4.4, line.replaced(left, right, f"({one} + {other} - 1) / {other}")
            continue
        for rank, way in enumerate(_ways(path, ROUNDED, ROUNDED_ELSEWHERE)):
            yield 4.4 + 0.1 * rank, line.replaced(left, right, way.format(divided))
        if whole:
            yield 3.8, line.replaced(left, right, f"({one} + {other} - 1) // {other}")
            yield 4.2, line.replaced(left, right, f"-(-{one} // {other})")
    end = len(line.tokens) - (line.at(len(line.tokens) - 1) == ";")
    if line.at(0) == "return" and any(token.text in {"/", "*"} for token in line.tokens):
        for way in _ways(path, ROUNDED, ROUNDED_ELSEWHERE):
            yield 4.8, line.replaced(2, end, way.format(line.text(2, end)))


def _ways(path: str, ways: dict[str, tuple[str, ...]], elsewhere: tuple[str, ...]) -> tuple[str, ...]:
    return ways.get(path.rpartition(".")[2], elsewhere)
