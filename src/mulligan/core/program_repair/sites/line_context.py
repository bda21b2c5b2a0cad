"""What stands around a line: the names of its function, what is written about it, and what nothing uses."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.syntax.functions import functions_in
from mulligan.syntax.line_tokens import KEYWORDS, comment_mark

_VARIABLE = re.compile(r"(?<![\w'\".])[A-Za-z_]\w*(?![\w'\"]|\s*\()")
_KEY = re.compile(r"(?<![\w.?])[A-Za-z_]\w*(?=: )")
_OWNED = re.compile(r"\b(?:self|this)\.")
_MEMBER = re.compile(r"\b(?:self|this)\.(\w+)")
_TEXT = re.compile(r"""[fF]?"(?:[^"\\\n]|\\.)*"|[fF]?'(?:[^'\\\n]|\\.)*'|`[^`]*`""")
_HOLE = re.compile(r"\{([^{}]+)\}")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.])")
_HEAD = re.compile(r"\((?P<given>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_GIVEN = re.compile(r"(?:^|,)\s*[*.&]{0,3}([A-Za-z_]\w*)")
_SET = re.compile(r"(?:^|[;({]\s*)(?:const |let |var )?([A-Za-z_]\w*)(?::\s*+[\w\[\], ]+)?\s+:?=(?!=)")
_SET_TOGETHER = re.compile(
    r"(?:^|\bfor |[;({]\s*)\(?(?:const |let |var )?[\[{(]?\s*([A-Za-z_]\w*(?:, [A-Za-z_]\w*)+)[\]})]?"
    r"\s+(?::?=(?!=)|in\b|of\b)"
)


@dataclass(frozen=True, slots=True)
class LineContext:
    in_function: bool
    first: int
    """Of the function, or of the whole file where the line stands in none; from 1."""
    last: int
    code: str
    """Of the function, without what is written about it."""
    given: tuple[str, ...]
    """The function's parameters."""
    names: Counter[str]
    """Variables of the function; `self.` and `this.` stand among them where they are used."""
    unused: frozenset[str]
    """Names that the function is given or sets, and then does not use."""
    documented: frozenset[str]
    """Words of its documentation that its code does not use."""
    told_numbers: tuple[str, ...]
    """Numbers of its documentation."""
    owned: frozenset[str]
    """What this file asks of the object that a method belongs to."""


def line_context(path: str, lines: Sequence[str], line: int) -> LineContext:
    around = [each for each in functions_in(path, lines) if each.first <= line <= each.last]
    outer = min(around, key=lambda each: each.first, default=None)
    first, last = (outer.first, outer.last) if outer else (1, len(lines))
    written = _documentation(path, lines, *((first, last) if outer else _paragraph(lines, line)))
    documentation = " ".join(lines[number - 1] for number in written)
    code = "\n".join(lines[number - 1] for number in range(first, last + 1) if number not in written)
    bare = _TEXT.sub(_holes, code)
    bare = bare if path.endswith(".py") else _KEY.sub("", bare)
    names = Counter(name for name in _VARIABLE.findall(bare) if name not in KEYWORDS)
    names.update(_OWNED.findall(code))
    given = _parameters(code) if outer else ()
    counted = Counter(_WORD.findall(code))
    own = {*given, *_set_in(code)} if outer else set[str]()
    return LineContext(
        outer is not None,
        first,
        last,
        code,
        given,
        names,
        frozenset(name for name in own if counted[name] == 1 and name not in KEYWORDS),
        frozenset(_WORD.findall(documentation)) - counted.keys(),
        tuple(dict.fromkeys(_NUMBER.findall(documentation))),
        frozenset(name for row in lines for name in _MEMBER.findall(row)),
    )


def _set_in(code: str) -> Iterator[str]:
    for row in code.split("\n"):
        yield from _SET.findall(row.strip())
        yield from (name.strip() for names in _SET_TOGETHER.findall(row.strip()) for name in names.split(","))


def closes_block(lines: Sequence[str], line: int) -> bool:
    """Whether nothing of the line's own block follows it."""
    below = next((each for each in lines[line:] if each.strip()), "")
    return indent_of(below) < indent_of(lines[line - 1])


def indent_of(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _holes(text: re.Match[str]) -> str:
    """Of a text only what a template computes in it."""
    return " ".join(_HOLE.findall(text[0])) if text[0][0] in "fF`" else '""'


def _parameters(code: str) -> tuple[str, ...]:
    """Without a method's own object: of Go the second pair of brackets, where the first is a receiver."""
    text = re.sub(r"^func \([^()]*\)", "func", code)
    head = _HEAD.search(text.partition("\n")[0]) or _HEAD.search(text)
    return tuple(name for name in _GIVEN.findall(head["given"]) if name not in KEYWORDS) if head else ()


def _documentation(path: str, lines: Sequence[str], first: int, last: int) -> set[int]:
    """Lines of comments above and within this stretch, and of Python's docstrings."""
    above = first
    while above > 1 and _is_comment(lines[above - 2], path):
        above -= 1
    found = {number for number in range(above, last + 1) if _is_comment(lines[number - 1], path)}
    within = False
    for number in range(first, last + 1) if path.endswith(".py") else ():
        marks = lines[number - 1].count('"""')
        if within or (marks and lines[number - 1].strip().startswith('"""')):
            found.add(number)
            within = within != (marks % 2 == 1)
    return found


def _is_comment(line: str, path: str) -> bool:
    bare = line.strip()
    return bare.startswith(comment_mark(path)) or (not path.endswith(".py") and bare.startswith(("/*", "*")))


def _paragraph(lines: Sequence[str], line: int) -> tuple[int, int]:
    """The lines around this one up to the next empty ones."""
    first = last = line
    while first > 1 and lines[first - 2].strip():
        first -= 1
    while last < len(lines) and lines[last].strip():
        last += 1
    return first, last
