"""The files of a project that a question is about, judged from a search for its terms."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.retrieval.kinds import kind_bonus, kind_weight
from mulligan.core.retrieval.terms import SearchQuestion, Term, stems
from mulligan.syntax.blocks import defined_names

MAX_CANDIDATES = 14
"""Files to read in full to choose excerpts from."""


@dataclass(frozen=True, slots=True)
class TermHits:
    """Where one term occurs in the project."""

    files: int
    """How many files contain it; more than are listed if it is common."""
    lines: Mapping[str, Sequence[str]]
    """The matching lines by path."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How informative each term is: very in few files, not at all if it occurs nowhere."""

    weights: Mapping[Term, float]
    highest: float
    """The value of a word in a single file."""

    def of(self, term: Term) -> float:
        return self.weights.get(term, 0.0)


def term_rarity(hits: Mapping[Term, TermHits], files: int) -> Rarity:
    weights = {term: term.weight * math.log(1 + files / each.files) for term, each in hits.items() if each.files}
    return Rarity(weights, math.log(1 + files))


def candidate_files(
    question: SearchQuestion, paths: Sequence[str], hits: Mapping[Term, TermHits], rarity: Rarity
) -> list[str]:
    """The most promising files, best first, without those that have no evidence."""
    scores: defaultdict[str, float] = defaultdict(float)
    for term, found in hits.items():
        for path, lines in found.lines.items():
            scores[path] += rarity.of(term) * (1 + math.log(len(lines)) / 4)
            scores[path] += rarity.of(term) * any(_holds(name, term) for name in defined_names(lines))
    # By name first: checking the words of every path would be slow in a large project.
    named = re.compile("|".join(re.escape(term.text) for term in question.terms) or "(?!)", re.IGNORECASE)
    promising = [path for path in paths if path in scores or named.search(path) or kind_bonus(path, question)]
    judged = {
        path: (scores[path] + path_score(path, question, rarity)) * kind_weight(path, question) for path in promising
    }
    best_first = sorted(judged, key=lambda path: (-judged[path], path))
    return [path for path in best_first if judged[path] > 0][:MAX_CANDIDATES]


def path_score(path: str, question: SearchQuestion, rarity: Rarity) -> float:
    """What a file's name says about whether it is meant."""
    words = set(stems(path))
    score = 1.5 * rarity.highest * kind_bonus(path, question)
    for term in question.terms:
        if term.literal:
            # A file that was named explicitly need not contain its own name.
            score += 4 * rarity.highest * path.lower().endswith(term.text)
        elif term.text in words:
            score += rarity.of(term) or 1.0
    return score + 2 * rarity.highest * _matches_whole_question(path, question)


def _matches_whole_question(path: str, question: SearchQuestion) -> bool:
    """Whether the path contains every word of a question of several words, and the file's name has no others:
    `loop/turn.py` is the turn loop."""
    asked = {term.text for term in question.terms if not term.literal}
    name = path.rpartition("/")[2].partition(".")[0]
    return len(asked) > 1 and asked <= set(stems(path)) and asked >= set(stems(name))


def _holds(name: str, term: Term) -> bool:
    return term.text in name.lower() if term.literal else term.text in set(stems(name))
