"""How well a place in the file explains the old text, in bits.

For each word that differs, two explanations are compared. A typo: some letters of the word are wrong, each any letter
at any place. Another name: a word that the file or any program contains, or one made of these letters. The place as a
whole is weighed against chance: what it shares with the old text, minus what has to be explained.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2

from mulligan.core.edits.differences import WORD, Difference, differences, is_comment
from mulligan.core.edits.lines import LinedText, canonical, key
from mulligan.core.edits.vocabulary import COMMON_WORDS


@dataclass(frozen=True, slots=True)
class Weights:
    """In bits, fitted by `python -m bench edits --fit`."""

    typo: float = 4.0
    """That a letter is wrong at all."""
    letter: float = 4.5
    """A letter of an unknown name."""
    known: float = 8.0
    """A known name."""
    elsewhere: float = 4.0
    """For a typo: the old text has the right word as well."""
    neighbour: float = 0.3
    """For a typo: each other word of the old text that matches the file."""
    neighbours_at_most: float = 4.0
    mark: float = 9.0
    """A bracket, comma or quote too many or too few."""
    sloppy: float = 3.0
    """For a typo: there are others that can be nothing else."""
    shared: float = 1.0
    """Each character that matches the file."""
    comment_gap: float = 2.0
    """A line with a comment that one of the two lacks."""
    gap: float = 12.0
    """Any other line that one of the two lacks."""
    place: float = -4.0
    """The least score that a place needs."""
    margin: float = 4.0
    """By how much it has to beat any other place."""


weights = Weights()


@dataclass(frozen=True, slots=True)
class MatchScore:
    """The evidence for and against a place."""

    shared: float
    doubt: float
    typos: tuple[Difference, ...]
    all_typos: bool
    """No difference is better explained by another name."""

    @property
    def score(self) -> float:
        return self.shared - self.doubt

    @property
    def holds(self) -> bool:
        return self.all_typos and self.score >= weights.place

    def comes_near(self, best: "MatchScore") -> bool:
        return self.score > best.score - weights.margin


class Evidence:
    """Weighs places in one file for one old text."""

    def __init__(self, text: LinedText, needle: LinedText) -> None:
        self._text = text
        self._needle = needle
        self._known: dict[str, bool] = {}

    def score_of(self, pairs: Sequence[tuple[str, str]], alone: Sequence[str]) -> MatchScore:
        """For pairs of lines of the needle and the file, and lines that only one of the two has."""
        found: list[Difference] = []
        shared = 0
        for mine, theirs in pairs:
            differing = differences(mine, theirs)
            found += differing
            shared += max(0, len(key(mine)) - sum(map(_errors, differing)))
        doubt = sum(weights.comment_gap if is_comment(line) else weights.gap for line in alone)
        all_typos = True
        times = Counter(each.parts for each in found)
        kinds = {each.parts: each for each in found}
        certain = {parts for parts, each in kinds.items() if not self._is_known(each)}
        for parts, each in kinds.items():
            typo, name = _typo_bits(each) * times[parts], self._name_bits(each)
            doubt += min(typo, name)
            for_typo = self._for_typo(each, once=times[parts] == 1, others=len(certain - {parts}))
            all_typos &= (each.is_in_letters or each.is_in_marks) and typo <= name + for_typo
        return MatchScore(shared * weights.shared, doubt, tuple(dict.fromkeys(found)), all_typos)

    def _name_bits(self, difference: Difference) -> float:
        if difference.is_in_marks:
            return weights.known
        by_letters = weights.letter * max(map(len, difference.parts))
        return min(weights.known, by_letters) if self._is_known(difference) else by_letters

    def _for_typo(self, difference: Difference, *, once: bool, others: int) -> float:
        """Evidence from the rest of the old text: similar code has other names, several of them, and everywhere."""
        bits = weights.sloppy if others else 0.0
        if self._words[difference.theirs]:
            bits += weights.elsewhere
        if once and (difference.is_in_marks or not self._is_known(difference)):
            bits += min(weights.neighbours_at_most, weights.neighbour * (len(self._words) - others - 1))
        return bits

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(WORD.findall(canonical(self._needle.text)))

    def _is_known(self, difference: Difference) -> bool:
        """Whether the file or any program has the word, alone or within a name. Other capitals make no other name."""
        mine, theirs = difference.parts
        if difference.is_in_case or len(mine) <= 1:
            return False
        if mine.lower() in COMMON_WORDS or f"{theirs}s" == mine or f"{mine}s" == theirs:
            return True
        found = self._known.get(mine)
        if found is None:
            found = self._known[mine] = _occurs(self._text.text, mine)
        return found


def exact_score(needle: LinedText) -> float:
    """The score of a place that equals the needle."""
    return sum(map(len, needle.solid_keys)) * weights.shared


def _errors(difference: Difference) -> int:
    from rapidfuzz.distance import OSA

    return 1 if difference.is_in_case else OSA.distance(*difference.parts)


def _typo_bits(difference: Difference) -> float:
    if difference.is_in_marks:
        return weights.mark
    return _errors(difference) * (weights.typo + log2(26) + log2(max(1, *map(len, difference.parts))))


def _occurs(text: str, word: str) -> bool:
    """A plain search: a regex is slow on a long file."""
    start = text.find(word)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(word) : start + len(word) + 1]
        begins = not before.isalpha() or (word[0].isupper() and before.islower())
        if begins and not (after.isalpha() and (after.islower() or word[-1].isupper())):
            return True
        start = text.find(word, start + 1)
    return False
