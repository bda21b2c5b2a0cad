"""What a suspicious line may have been meant to be: mechanical variants of it, the likeliest first.

A very small model finds the wrong line more often than what should stand there. Most slips are small, so code can make
all small changes of a line and leave it to the tests which is right.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.failures.symptoms import likelier
from mulligan.core.program_repair.operators.insertions import inserted, kept_within, made_anew
from mulligan.core.program_repair.operators.line_rules import RULES
from mulligan.core.program_repair.operators.operands import operands
from mulligan.core.program_repair.operators.pitfalls import pitfalls
from mulligan.core.program_repair.operators.value_rules import VALUE_RULES
from mulligan.core.program_repair.operators.word_swaps import other_words
from mulligan.core.program_repair.operators.wrapping import other_forms
from mulligan.core.program_repair.sites.line_context import closes_block, indent_of, line_context
from mulligan.core.program_repair.sites.line_sites import LineSite
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.syntax.line_tokens import BLOCK_STARTS, CodeLine, comment_mark, read_line

MOST = 80
"""Variants of one line."""
LONGEST = 400
"""Characters of a line that a person wrote. What is longer was made by a program, and takes long to look through."""


@dataclass(frozen=True, slots=True)
class Variant:
    text: str
    """What takes the line's place, without its indentation: no line, one, or several."""
    shift: int = 0
    """Steps of indentation that it moves to the right."""
    span: int = 1
    """Lines that it takes the place of."""
    weight: float = 0.0
    """The less, the likelier."""


def line_variants(path: str, lines: Sequence[str], line: int, vocabulary: ProjectWords) -> list[Variant]:
    """Every variant of one line of a file, counted from 1, the likeliest first and each but once."""
    old = lines[line - 1].strip()
    code = read_line(old[: LONGEST + 1], comment_mark(path))
    if not code.tokens or len(old) > LONGEST:
        return []
    around = line_context(path, lines, line)
    made = [(weight, text) for rule in RULES for weight, text in rule(code, path)]
    made += [each for rule in VALUE_RULES for each in rule(code, path, vocabulary)]
    made += other_words(code, around, vocabulary, path)
    made += operands(code, around, vocabulary, path)
    made += other_forms(code, path, vocabulary)
    made += inserted(path, lines, line, around, vocabulary)
    made += pitfalls(LineSite(path, code, lines, line, around, vocabulary))
    made += (*made_anew(path, lines, line, around), *kept_within(path, lines, line))
    variants = [Variant(text, weight=weight) for weight, text in made if text.strip() != old]
    variants += _shifts(old, code, path, deep=_is_deep(lines, line))
    variants += _turned_over(lines, line)
    best: dict[tuple[str, int, int], float] = {}
    for each in variants:
        suited = each.weight - likelier(old, each.text, vocabulary.symptoms)
        key = (each.text, each.shift, each.span)
        best[key] = min(suited, best.get(key, suited))
    ranked = sorted(best.items(), key=lambda each: each[1])
    return [Variant(text, shift, span, weight) for (text, shift, span), weight in ranked[:MOST]]


def _shifts(old: str, line: CodeLine, path: str, *, deep: bool) -> Iterator[Variant]:
    """Where indentation is meaning, a line may stand a step too deep, most often a return within a loop."""
    if path.endswith(".py") and line.at(0) not in BLOCK_STARTS and line.at(len(line.tokens) - 1) != ":":
        if deep:
            yield Variant(old, shift=-1, weight=2.5 if line.at(0) == "return" else 4.4)
        yield Variant(old, shift=1, weight=6.0)


def _is_deep(lines: Sequence[str], line: int) -> bool:
    """Whether a line stands within a block of a function, not only within the function."""
    indents = [len(each) - len(each.lstrip()) for each in lines if each.strip()]
    return indents[sum(bool(each.strip()) for each in lines[: line - 1])] > min(filter(None, indents), default=0)


def _turned_over(lines: Sequence[str], line: int) -> Iterator[Variant]:
    """Two statements in the wrong order."""
    if line >= len(lines) or closes_block(lines, line) or indent_of(lines[line]) != indent_of(lines[line - 1]):
        return
    pair = lines[line - 1].strip(), lines[line].strip()
    if pair[0].startswith("? ") and pair[1].startswith(": "):
        end = ";" if pair[1].endswith(";") else ""
        yield Variant(
            f"? {pair[1].removeprefix(': ').removesuffix(';')}\n: {pair[0].removeprefix('? ')}{end}", span=2, weight=3.2
        )
    elif all(each and each.split(maxsplit=1)[0] not in _STAYS and each[-1] not in "{}:,([" for each in pair):
        yield Variant(f"{pair[1]}\n{pair[0]}", span=2, weight=2.8 if _is_early(pair, lines[: line - 1]) else 4.6)


def _is_early(pair: tuple[str, str], above: Sequence[str]) -> bool:
    """Whether the first of two lines sets anew what the second reads: it may have been meant to read the old."""
    name = pair[0].partition(" ")[0]
    read = re.search(rf"\b{re.escape(name)}\b", pair[1].partition(" = ")[2] or pair[1])
    set_before = any(re.match(rf"\s*(?:let |var )?{re.escape(name)} :?= ", row) for row in above)
    return pair[0].startswith(f"{name} = ") and bool(read) and set_before


_STAYS = BLOCK_STARTS | {"return", "import", "from", "package", "#", "//", "*", "/**", "export", "throw", "raise"}
