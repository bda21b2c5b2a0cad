"""The parts of the candidate files to answer a question from, within a budget of tokens."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.retrieval.files import Rarity, path_score
from mulligan.core.retrieval.kinds import kind_weight
from mulligan.core.retrieval.terms import SearchQuestion, stems
from mulligan.syntax.blocks import CodeBlock, defined_names, split_blocks

WORTH = 0.45
"""A block is shown if it has this share of the best score: the rest would mislead a small model."""
SMALL_FILE = 30
"""Lines; a file up to this length is shown whole."""
SMALL_BLOCK = 6
"""Lines."""
MAX_BLOCKS = 7
BEGINNING = 20
"""Lines at the top of a file that say what it is for and what it works with."""
HEADER = 16
"""Characters around an excerpt besides its path."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, counted from 1, both ends included."""

    path: str
    first: int
    last: int
    text: str


def choose_excerpts(
    question: SearchQuestion, files: Mapping[str, Sequence[str]], rarity: Rarity, *, budget: int, chars_per_token: float
) -> list[Excerpt]:
    """The best blocks that fit, best file first; blocks of one file in the file's order."""
    scored = sorted(_score_blocks(question, files, rarity), key=lambda each: (-each.score, each.path, each.block.first))
    if not scored:
        return []
    chars_left = budget * chars_per_token
    chosen: dict[str, list[CodeBlock]] = {}
    for each in scored[:MAX_BLOCKS]:
        if each.score < WORTH * scored[0].score:
            break
        lines = files[each.path]
        size = _size(lines, each.block)
        if size > chars_left and chosen:
            continue
        block = each.block if size <= chars_left else _shortened(lines, each.block, chars_left)
        for added in (block, *_constants(each.path, lines, block)):
            needed = _size(lines, added) + len(each.path) + HEADER
            if added is block or needed <= chars_left:
                chars_left -= needed
                chosen.setdefault(each.path, []).append(added)
    return [excerpt for path, blocks in chosen.items() for excerpt in _join(path, files[path], blocks)]


def matching_lines(
    question: SearchQuestion, path: str, lines: Sequence[str], rarity: Rarity, *, most: int
) -> tuple[int, ...]:
    """The numbers of at most this many lines, in order: the file's beginning, then the best blocks, each below the head
    of what contains it. If none matches, the first lines."""
    if len(lines) <= most:
        return tuple(range(1, len(lines) + 1))
    blocks = _blocks(path, lines)
    # Blank lines after a block belong to it: otherwise something would seem left out between any two blocks.
    ends = [each.first - 1 for each in blocks[1:]] + [len(lines)]
    spans = [CodeBlock(each.first, end, each.head) for each, end in zip(blocks, ends, strict=True)]
    scores = {each: _block_score(question, lines[each.first - 1 : each.last], rarity) for each in spans}
    fitting = sorted((each for each in spans if scores[each] > 0), key=lambda each: (-scores[each], each.first))
    chosen = set(range(1, BEGINNING + 1))
    for each in (*fitting, *spans):
        wanted = {*range(each.first, each.last + 1), each.head or each.first} | chosen
        if len(wanted) <= most:
            chosen = wanted
    return tuple(sorted(chosen))


def keep_shown(
    shown: Sequence[Excerpt], found: Sequence[Excerpt], *, budget: int, chars_per_token: float
) -> list[Excerpt]:
    """For a follow-up: the excerpts shown before first, so that the server need not read them again, then new ones that
    fit. If the best excerpt found is new, the follow-up is about something else."""
    chars_left = budget * chars_per_token - sum(map(_shown_size, shown))
    if chars_left < 0 or not found or not _is_in(found[0], shown):
        return list(found)
    kept = list(shown)
    for each in found:
        if _shown_size(each) <= chars_left and not _is_in(each, shown):
            kept.append(each)
            chars_left -= _shown_size(each)
    return kept


def named_first(
    named: Sequence[Excerpt], found: Sequence[Excerpt], *, budget: int, chars_per_token: float
) -> list[Excerpt]:
    """What the question names, then what was found and still fits. For a named file that is too long, its best parts
    are among those found."""
    chars_left = budget * chars_per_token
    kept: list[Excerpt] = []
    for each in (*named, *found):
        if _shown_size(each) <= chars_left and not _is_in(each, kept):
            kept.append(each)
            chars_left -= _shown_size(each)
    return kept or list(found)


def _shown_size(excerpt: Excerpt) -> int:
    return len(excerpt.text) + len(excerpt.path) + HEADER


def _is_in(excerpt: Excerpt, shown: Sequence[Excerpt]) -> bool:
    return any(each.path == excerpt.path and excerpt.text in each.text for each in shown)


@dataclass(frozen=True, slots=True)
class _Scored:
    path: str
    block: CodeBlock
    score: float


def _score_blocks(question: SearchQuestion, files: Mapping[str, Sequence[str]], rarity: Rarity) -> Iterator[_Scored]:
    for path, lines in files.items():
        named = path_score(path, question, rarity)
        weight = kind_weight(path, question)
        for block in _blocks(path, lines):
            score = _block_score(question, lines[block.first - 1 : block.last], rarity)
            if score > 0 or named > 0:
                yield _Scored(path, block, weight * (score + named / 2))


def _blocks(path: str, lines: Sequence[str]) -> list[CodeBlock]:
    if len(lines) <= SMALL_FILE and any(line.strip() for line in lines):
        return [CodeBlock(1, len(lines))]
    return split_blocks(path, lines)


def _block_score(question: SearchQuestion, lines: Sequence[str], rarity: Rarity) -> float:
    """How well the block covers the terms, repetitions counting less and less; names defined in it count by how much of
    the name the question contains."""
    text = "\n".join(line for line in lines if not _IMPORT.match(line))
    lowered = text.lower()
    words = Counter(stems(text))
    length = 0.6 + 0.4 * min(len(lines), 60) / 15
    score = 0.0
    for term in question.terms:
        count = lowered.count(term.text) if term.literal else words[term.text]
        score += rarity.of(term) * 2 * count / (count + length)
    rarities = {term.text: rarity.of(term) for term in question.terms}
    defined = (_name_score(name, rarities) for name in defined_names(lines))
    return score + 1.5 * max(defined, default=0.0)


def _name_score(name: str, rarities: Mapping[str, float]) -> float:
    if name.lower() in rarities:
        return rarities[name.lower()]
    parts = set(stems(name))
    asked = parts & rarities.keys()
    return sum(rarities[part] for part in asked) * len(asked) / len(parts) if parts else 0.0


def _constants(path: str, lines: Sequence[str], block: CodeBlock) -> list[CodeBlock]:
    """The small blocks that define constants used in this one: questions ask for their values."""
    used = set(_CONSTANT.findall("\n".join(lines[block.first - 1 : block.last])))
    if not used:
        return []
    small = (each for each in _blocks(path, lines) if each != block and each.last - each.first < SMALL_BLOCK)
    return [each for each in small if not used.isdisjoint(defined_names(lines[each.first - 1 : each.last]))]


def _size(lines: Sequence[str], block: CodeBlock) -> int:
    return sum(len(line) + 1 for line in lines[block.first - 1 : block.last])


def _shortened(lines: Sequence[str], block: CodeBlock, char_limit: float) -> CodeBlock:
    last = block.first
    while last < block.last and _size(lines, CodeBlock(block.first, last + 1)) <= char_limit:
        last += 1
    return CodeBlock(block.first, last, block.head)


def _join(path: str, lines: Sequence[str], blocks: Sequence[CodeBlock]) -> Iterator[Excerpt]:
    """Adjacent blocks become one excerpt; part of a class is headed by the class's first line."""
    spans: list[CodeBlock] = []
    for block in sorted(set(blocks), key=lambda each: each.first):
        if spans and not any(line.strip() for line in lines[spans[-1].last : block.first - 1]):
            spans[-1] = CodeBlock(spans[-1].first, max(spans[-1].last, block.last), spans[-1].head)
        else:
            spans.append(block)
    for span in spans:
        shown = list(lines[span.first - 1 : span.last])
        if span.head and span.head < span.first:
            shown = [lines[span.head - 1], *shown]
        yield Excerpt(path, span.first, span.last, "\n".join(shown))


_CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]{3,}\b")
_IMPORT = re.compile(r"\s*(import|from|use|using|require|#include|package)\b(?!.*\breturn\b)")
"""Imported names say little about what a block does."""
