"""What a suspicious line may have been meant to be: mechanical variants of it, the likeliest first.

A very small model finds the wrong line more often than what should stand there. Most slips are small, so code can make
all small changes of a line and leave it to the tests which is right.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mulligan.core.repair.brief import Brief
from mulligan.core.repair.line_tokens import BLOCK_STARTS, KEYWORDS, CodeLine, Weighted, comment_mark, read_line
from mulligan.core.repair.symptoms import Symptom, likelier, symptoms
from mulligan.core.repair.variant_rules import EXPRESSION_RULES, RULES

MOST = 40
"""Variants of one line."""
NEAR, MISSPELT = 0.6, 0.75
"""How alike two names are that may be taken for each other, and those of which one is a slip of the pen."""

_NAME = re.compile(r"(?<![\w'\"])[A-Za-z_]\w+")
_VARIABLE = re.compile(r"(?<![\w'\".])[A-Za-z_]\w+(?!\s*\()")
_STRING = re.compile(r"""(['"])([\w .:/-]{1,40})\1""")
_KEY = re.compile(r"""(?:\[|\bget\(|\bhas\(|[{,]\s*)(['"])([\w-]{1,30})\1(?=\s*[\]:,)])""")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.])")
_MEMBER = re.compile(r"(?<![\w.'\"])([A-Za-z_]\w*)\.([A-Za-z_]\w*)")
_HOLE = re.compile(r"\{([^{}]+)\}")
_DEFINES = re.compile(r"\s*(?:async |export |public |private |static )*(?:def|class|func|function|fn)\b")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words of the project that a line may have been meant to hold."""

    names: Counter[str]
    keys: Counter[str]
    """What stands in quotes where keys stand, in sources and tests: other strings of a test would only please it."""
    numbers: tuple[str, ...]
    """What failures and failing tests speak of."""
    symptoms: frozenset[Symptom] = frozenset()
    members: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What is asked of a name behind its dot, somewhere in the sources."""

    @classmethod
    def of(cls, brief: Brief) -> "Vocabulary":
        shown = "\n".join(each.text for each in (*brief.sources, *brief.tests))
        told = "\n".join([*(each.text for each in brief.tests), *brief.failures])
        names = Counter(name for name in _NAME.findall(shown) if name not in KEYWORDS)
        keys = Counter(key for _, key in _KEY.findall(shown))
        members: dict[str, dict[str, None]] = {}
        for owner, member in _MEMBER.findall("\n".join(each.text for each in brief.sources)):
            members.setdefault(owner, {})[member] = None
        asked = {owner: tuple(found) for owner, found in members.items()}
        numbers = tuple(dict.fromkeys(_NUMBER.findall(told)))
        return cls(names, keys, numbers, symptoms(brief.failures), asked)


@dataclass(frozen=True, slots=True)
class Variant:
    text: str
    """What takes the line's place, without its indentation: no line, one, or several."""
    shift: int = 0
    """Steps of indentation that it moves to the right."""
    weight: float = 0.0
    """The less, the likelier."""


def line_variants(path: str, lines: Sequence[str], line: int, vocabulary: Vocabulary) -> list[Variant]:
    """Every variant of one line of a file, counted from 1, the likeliest first and each but once."""
    old = lines[line - 1].strip()
    code = read_line(old, comment_mark(path))
    if not code.tokens:
        return []
    made = [(weight, text, 0) for rule in RULES for weight, text in rule(code, path)]
    made += [(weight, text, 0) for weight, text in _other_words(code, _scope(lines, line), vocabulary, path)]
    made += [(weight, old, shift) for weight, shift in _shifts(code, path, deep=_is_deep(lines, line))]
    best: dict[tuple[str, int], float] = {}
    for weight, text, shift in made:
        if text.strip() != old or shift:
            suited = weight - likelier(old, text, vocabulary.symptoms)
            best[text, shift] = min(suited, best.get((text, shift), suited))
    ranked = sorted(best.items(), key=lambda each: each[1])
    return [Variant(text, shift, weight) for (text, shift), weight in ranked[:MOST]]


def _other_words(line: CodeLine, scope: Counter[str], vocabulary: Vocabulary, path: str) -> Iterator[Weighted]:
    for index, token in enumerate(line.tokens):
        if token.kind == "name" and token.text not in KEYWORDS:
            yield from _other_names(line, index, scope, vocabulary, path)
        elif token.kind == "string":
            yield from _other_keys(line, index, vocabulary)
            yield from _in_template(line, index, scope, vocabulary, path)
        elif token.kind == "number" and line.at(0) != "return":
            for number in vocabulary.numbers[:8]:
                if number != token.text:
                    yield 5.5, line.replaced(index, index + 1, number)


def _other_names(
    line: CodeLine, index: int, scope: Counter[str], vocabulary: Vocabulary, path: str
) -> Iterator[Weighted]:
    name = line.at(index)
    follows_dot = line.at(index - 1) == "."
    called = line.at(index + 1) == "("
    rare = vocabulary.names[name] <= 1
    for other in vocabulary.names:
        likeness = _likeness(name, other) if other != name else 0.0
        if likeness >= MISSPELT and rare:
            yield 1.0 + (1 - likeness), line.replaced(index, index + 1, other)
        elif likeness >= NEAR:
            yield 5.2, line.replaced(index, index + 1, other)
        elif other != name and other in scope and not follows_dot and not called and line.at(0) not in {"def", "func"}:
            yield 5.0, line.replaced(index, index + 1, other)
    for other in vocabulary.members.get(line.at(index - 2), ()) if follows_dot else ():
        if other != name:
            yield (4.5 if called else 3.2), line.replaced(index, index + 1, other)
    owner = "self" if path.endswith(".py") else "this"
    if not follows_dot and line.at(0) not in {"def", "import", "from", "class"} and f"{owner}." in "".join(scope):
        yield 6.0, line.replaced(index, index + 1, f"{owner}.{name}")


def _other_keys(line: CodeLine, index: int, vocabulary: Vocabulary) -> Iterator[Weighted]:
    text = line.at(index)
    found = _STRING.fullmatch(text.lstrip("rbfu"))
    if not found:
        return
    quote, key = found[1], found[2]
    for other in vocabulary.keys:
        likeness = _likeness(key, other) if other != key else 0.0
        is_key = line.at(line.before(index)) in {"[", "{", ",", "("}
        weight = 1.0 + (1 - likeness) if likeness >= MISSPELT else 4.0 if likeness >= 0.4 else 6.0
        if other != key and (is_key or likeness >= 0.4):
            yield weight, line.replaced(index, index + 1, f"{quote}{other}{quote}")


def _in_template(
    line: CodeLine, index: int, scope: Counter[str], vocabulary: Vocabulary, path: str
) -> Iterator[Weighted]:
    """What a template computes in its holes is code like any other."""
    text = line.at(index)
    if not text.startswith(("f", "`")):
        return
    for hole in _HOLE.finditer(text):
        inner = re.split(r"(?<!:):(?!:)|![rsa](?=:|$)", hole[1])[0] if text.startswith("f") else hole[1]
        code = read_line(inner, comment_mark(path))
        made = [each for rule in EXPRESSION_RULES for each in rule(code, path)]
        for weight, new in (*made, *_other_words(code, scope, vocabulary, path)):
            end = hole.start(1) + len(inner)
            yield weight, line.replaced(index, index + 1, f"{text[: hole.start(1)]}{new}{text[end:]}")


def _shifts(line: CodeLine, path: str, *, deep: bool) -> Iterator[tuple[float, int]]:
    """Where indentation is meaning, a line may stand a step too deep, most often a return within a loop."""
    if path.endswith(".py") and line.at(0) not in BLOCK_STARTS and line.at(len(line.tokens) - 1) != ":":
        if deep:
            yield (2.5 if line.at(0) == "return" else 5.0), -1
        yield 6.0, 1


def _is_deep(lines: Sequence[str], line: int) -> bool:
    """Whether a line stands within a block of a function, not only within the function."""
    indents = [len(each) - len(each.lstrip()) for each in lines if each.strip()]
    return indents[sum(bool(each.strip()) for each in lines[: line - 1])] > min(filter(None, indents), default=0)


def _scope(lines: Sequence[str], line: int) -> Counter[str]:
    """Names of the function around a line; `self.` and `this.` stand among them where they are used."""
    first = next((at for at in range(line - 1, -1, -1) if _DEFINES.match(lines[at])), 0)
    last = next((at for at in range(line, len(lines)) if _DEFINES.match(lines[at])), len(lines))
    text = "\n".join(lines[first:last])
    found = Counter(name for name in _VARIABLE.findall(text) if name not in KEYWORDS)
    found.update(re.findall(r"\b(?:self|this)\.", text))
    return found


def _likeness(one: str, other: str) -> float:
    from rapidfuzz.distance import OSA

    return OSA.normalized_similarity(one.lower(), other.lower())
