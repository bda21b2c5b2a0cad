"""Operands that are wrong or missing: another value of the function, a factor that was left out, one more or less."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.core.program_repair.sites.line_context import LineContext
from mulligan.core.program_repair.sites.vocabulary import ProjectWords, fitting_shapes
from mulligan.syntax.line_tokens import KEYWORDS, CodeLine, Weighted

HEADS = frozenset({"def", "func", "function", "import", "from", "class", "package", "export", "async", "type"})
MOST_VALUES = 12
MOST_LEFT_OVER = 4

_VALUE = re.compile(r"(?<![\w.'\"])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?![\w(])")
_RESULT = re.compile(r"\breturn ([\w.]+);?$", re.MULTILINE)
_MANY = re.compile(
    r"\b(?:in|of|range) ([\w.]+)|\blen\(([\w.]+)\)|([\w.]+)\.length\b|([\w.]+)\.(?:append|push|map|filter)\("
)
_INDEX = re.compile(r"(?<=[\w\])])\[([\w.+\- ]+)\]")
_NUMBER = re.compile(r"(?<![\w.])\d{2,5}(?![\w.])")
_LOOP_NAMES = re.compile(r"\bfor\s+\(?(?:const |let |var )?\[?(\w+)(?:, (\w+))?\]?\s*(?:in|of|:=|=)")
_COMPARES = re.compile(r"[<>]=?|[=!]==?|\bin\b")
_SUM = frozenset({"+", "-", "*", "/", "//", "%"})
_ENDS_A_VALUE = frozenset({
    "", ")", ",", ";", "]", "}", ":", "+", "-", "*", "/", "//", "%", "<", ">", "<=", ">=", "==", "!=", "===", "!==",
    "&&", "||", "and", "or", "for", "if", "else", "?", "{",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Operand:
    """A value of a line: from its first token up to the one behind its last."""

    line: CodeLine
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.line.text(self.start, self.end)

    @property
    def before(self) -> str:
        return self.line.at(self.line.before(self.start))

    @property
    def behind(self) -> str:
        return self.line.at(self.line.after(self.end - 1))

    def replaced(self, text: str) -> str:
        return self.line.replaced(self.start, self.end, text)


def operands(line: CodeLine, around: LineContext, vocabulary: ProjectWords, path: str) -> Iterator[Weighted]:
    if line.at(0) in HEADS or not around.in_function:
        return
    left_over = _left_over(around, vocabulary)
    values = _values(around)
    for each in _used(line):
        yield from _other_value(each, values, around)
        if vocabulary.tells_of_numbers and line.at(0) not in {"raise", "throw"}:
            yield from _forgotten_factor(each, left_over, vocabulary)
            yield from _one_more_or_less(each)
            yield from _rest(each, around)
    yield from _other_index(line, around)
    yield from _every_time(line, around)
    yield from _loop_arguments(line, around)
    yield from _both_ways(line, around, path)


def _used(line: CodeLine) -> Iterator[_Operand]:
    """Every value of the line that is used and not set."""
    for index, token in enumerate(line.tokens):
        if token.kind != "name" or token.text in KEYWORDS - {"self", "this"} or line.at(index - 1) == ".":
            continue
        end = line.right_operand(index - 1)
        behind = line.at(line.after(end - 1)) if end else "="
        if end and behind in _ENDS_A_VALUE and not _is_key(line, index, behind):
            yield _Operand(line, index, end)


def _is_key(line: CodeLine, index: int, behind: str) -> bool:
    return behind == ":" and line.at(line.before(index)) in {"{", ",", ""}


def _values(around: LineContext) -> list[str]:
    """What has a dot in it, and what is returned: names alone are another rule's."""
    found = [*_RESULT.findall(around.code), *_VALUE.findall(around.code)]
    return list(dict.fromkeys(each for each in found if each not in KEYWORDS))[:MOST_VALUES]


def _other_value(old: _Operand, values: list[str], around: LineContext) -> Iterator[Weighted]:
    many = {name for found in _MANY.findall(around.code) for name in found if name}
    counted = old.line.at(old.start - 2) == "len" or old.before in {"in", "of", "range"}
    if old.text.endswith(")") and not counted:
        return
    returned = old.line.at(0) == "return" and old.start == 2
    for value in values:
        if value == old.text or value.startswith(f"{old.text}.") or "." not in f"{old.text}{value}":
            continue
        if counted:
            yield (3.0 if value in many else 4.8), old.replaced(value)
        elif value not in many or old.text in many:
            yield (4.2 if returned else 5.0), old.replaced(value)


def _left_over(around: LineContext, vocabulary: ProjectWords) -> list[str]:
    """Names that were meant to be used, and are not."""
    own = [name for name in around.names if name in around.unused]
    return [*own, *sorted(vocabulary.unused)][:MOST_LEFT_OVER]


def _forgotten_factor(old: _Operand, left_over: list[str], vocabulary: ProjectWords) -> Iterator[Weighted]:
    """A factor, a summand or a divisor: what nothing uses, what no source asks for, what other products have."""
    for name in left_over if old.before not in {"not", "!", "["} else ():
        if name not in old.text:
            for rank, sign in enumerate(("*", "+", "/", "-")):
                yield 2.6 + 0.3 * rank, old.replaced(f"{old.text} {sign} {name}")
            yield 2.9, old.replaced(f"{name} * {old.text}")
    for name in _unasked(old.text, vocabulary):
        yield 3.0, old.replaced(f"{old.text} * {name}")
        yield 3.4, old.replaced(f"{old.text} + {name}")
    if old.behind == "*":
        product = old.line.text(old.start, old.line.right_operand(old.line.after(old.end - 1)) or old.end)
        for name in dict.fromkeys(_factors(old.line)):
            if name not in product:
                yield 3.2, old.replaced(f"{old.text} * {name}")


def _one_more_or_less(old: _Operand) -> Iterator[Weighted]:
    loops = old.line.at(0) in {"for", "while"} or old.before in {"in", "of", "range"}
    done = old.start == 0 and old.text.endswith(")")  # a call whose result nobody takes
    if loops or done or old.text.startswith("Err"):
        return
    weight = 4.9 if {old.before, old.behind} & _SUM else 4.5
    yield weight, old.replaced(f"{old.text} + 1")
    yield weight + 0.2, old.replaced(f"{old.text} - 1")


def _rest(old: _Operand, around: LineContext) -> Iterator[Weighted]:
    """What is left of it after a division by a number that the function knows."""
    divided = old.behind in {"/", "//"}
    alone = old.behind in {"", "}", ")", ";"} and old.before not in _SUM
    if not divided and not alone:
        return
    constants = (name for name in around.names if name.isupper() and len(name) > 1)
    for number in dict.fromkeys([*_NUMBER.findall(around.code), *constants]):
        rest = f"{old.text} % {number}"
        yield 4.8, old.replaced(f"({rest})" if divided else rest)


def _unasked(value: str, vocabulary: ProjectWords) -> Iterator[str]:
    """Fields of the same thing that tests give it, and that no source reads."""
    owner, _, name = value.rpartition(".")
    if not owner.isidentifier():
        return
    asked = frozenset(vocabulary.members.get(owner, ()))
    for shape in fitting_shapes(vocabulary.shapes, asked):
        for field in shape:
            if field != name and not vocabulary.is_read(field):
                yield f"{owner}.{field}"


def _factors(line: CodeLine) -> Iterator[str]:
    """What other products of the line are multiplied by."""
    for index, token in enumerate(line.tokens):
        if token.text == "*":
            end = line.right_operand(index)
            if end is not None:
                yield line.text(line.after(index), end)


def _other_index(line: CodeLine, around: LineContext) -> Iterator[Weighted]:
    seen = list(dict.fromkeys(each.strip() for each in _INDEX.findall(around.code)))
    known = [
        *seen,
        *(f"{each} - 1" for each in seen if each.isidentifier()),
        *(name for name in _rounds(around) if name not in seen),
    ]
    text = line.text(0, len(line.tokens))
    for found in _INDEX.finditer(text):
        for other in known[:6]:
            if other != found[1].strip():
                yield 4.0, f"{text[: found.start(1)]}{other}{text[found.end(1) :]}{line.trail}"


def _every_time(line: CodeLine, around: LineContext) -> Iterator[Weighted]:
    """A name that stands several times in the line, and was meant to be another each time."""
    text = line.text(0, len(line.tokens))
    names = [token.text for token in line.tokens if token.kind == "name" and token.text in around.names]
    for name in dict.fromkeys(each for each in names if names.count(each) > 1):
        for other in around.names:
            if other != name and other.isidentifier() and other not in names:
                weight = 2.6 if other in around.unused else 5.0
                yield weight, re.sub(rf"(?<![\w.]){name}\b", other, text) + line.trail


def _loop_arguments(line: CodeLine, around: LineContext) -> Iterator[Weighted]:
    """The variables of the loops around a call, for the arguments that the function itself was given."""
    rounds = _rounds(around)
    for index, token in enumerate(line.tokens):
        closing = line.closing(index) if token.text == "(" and index and line.tokens[index - 1].kind == "name" else None
        given = [line.text(*part).strip() for part in line.split(index + 1, closing, ",")] if closing else []
        if closing and 1 < len(given) == len(rounds) and given != rounds and all(each.isidentifier() for each in given):
            yield 3.2, line.replaced(index + 1, closing, ", ".join(rounds))


def _rounds(around: LineContext) -> list[str]:
    return [name for found in _LOOP_NAMES.findall(around.code) for name in found if name and name != "_"]


def _both_ways(line: CodeLine, around: LineContext, path: str) -> Iterator[Weighted]:
    """A question about two things alike that is asked of the one, and not of the other."""
    end = len(line.tokens) - (line.at(len(line.tokens) - 1) in {";", ":"})
    asked = line.text(line.after(0), end)
    if line.at(0) != "return" or len(around.given) != 2 or not _COMPARES.search(asked):
        return
    one, other = around.given
    if {one, other} <= set(re.findall(r"\w+", asked)):
        pair = {one: other, other: one}
        turned = re.sub(rf"\b(?:{one}|{other})\b", lambda name: pair[name[0]], asked)
        both = "and" if path.endswith(".py") else "&&"
        yield 4.0, line.replaced(line.after(0), end, f"{asked} {both} {turned}")
