"""What a project's documents say about its files: a paragraph that matches a question names files that answer it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mulligan.core.citations import cited_paths
from mulligan.core.retrieval.terms import Term, stems

BEST_PASSAGES = 6
BESIDE = 0.5
"""Weight of the passages before and after: the steps of a list belong together."""
MANY_FILES = 10
"""A passage that names this many files counts half for each."""

_ITEM = re.compile(r"\s*(?:[-*]\s|\d+\.\s|\||#)")


def cited_files(terms: Sequence[Term], documents: Iterable[Sequence[str]], paths: Sequence[str]) -> Mapping[str, float]:
    """For each file named in one of the best passages, how well its best passage matches the terms."""
    passages = [list(_passages(lines)) for lines in documents]
    words = [[Counter(stems(passage)) for passage in each] for each in passages]
    fits = _fits(terms, words)
    ranked = sorted(
        (
            (fit, passage)
            for each, texts in zip(fits, passages, strict=True)
            for fit, passage in zip(each, texts, strict=True)
        ),
        key=lambda pair: -pair[0],
    )
    scores: dict[str, float] = {}
    left = BEST_PASSAGES
    for fit, passage in ranked:
        files = (
            [each.files[0] for each in cited_paths(passage, paths) if len(each.files) == 1] if "." in passage else []
        )
        if not files or not fit:
            continue
        for path in files:
            scores.setdefault(path, 0.0)
            scores[path] = max(scores[path], fit / (1 + len(files) / MANY_FILES))
        left -= 1
        if not left:
            break
    return scores


def _fits(terms: Sequence[Term], words: Sequence[Sequence[Counter[str]]]) -> list[list[float]]:
    every = [each for document in words for each in document]
    holding = {term: sum(term.text in each for each in every) for term in terms}
    rarity = {term: term.weight * math.log(1 + len(every) / count) for term, count in holding.items() if count}
    found: list[list[float]] = []
    for document in words:
        own = [sum(rarity[term] * each[term.text] / (each[term.text] + 1) for term in rarity) for each in document]
        padded = [*own, 0.0]  # the last is also the one before the first
        found.append([fit + BESIDE * (padded[index - 1] + padded[index + 1]) for index, fit in enumerate(own)])
    return found


def _passages(lines: Sequence[str]) -> Iterator[str]:
    """Paragraphs, items of lists and rows of tables."""
    passage: list[str] = []
    for line in lines:
        if passage and (not line.strip() or _ITEM.match(line)):
            yield "\n".join(passage)
            passage = []
        if line.strip():
            passage.append(line)
    if passage:
        yield "\n".join(passage)
