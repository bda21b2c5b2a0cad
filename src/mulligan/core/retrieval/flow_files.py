"""The files that show how something works, for a question that several of them answer: judged by the code index, by the
documents that name a file, and by the files that it works with."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mulligan.core.retrieval.files import Rarity
from mulligan.core.retrieval.kinds import asks_for_tests, kind_weight
from mulligan.core.retrieval.terms import SearchQuestion, Term, stem, stems
from mulligan.syntax.registry import language_of
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.codecontext import CodeFile, Symbol

NAME, FOLDER, SYMBOL, TEXT, CITED = 1.0, 0.2, 1.5, 0.7, 1.0
"""The weight of each kind of evidence, scaled so that the file with most of it has 1. Fitted on part of the questions
of `bench synthesis`; around these values little changes."""
AROUND = 0.6
"""The share of their evidence that a file gets from the files it uses, and as much again from those that use it."""
CLOSEST = 3
"""How many of the files it uses count: a file that links several parts uses several that match."""
LITERAL = 0.5
"""Factor on its usual weight: a name in few files counts a lot already."""
SIMILAR = 0.5
"""The weight of a synonym of a word in the question."""
DOCUMENTED = 0.6
"""The weight of a word in a symbol's documentation instead of its name."""
SHORT_FILE = 25
"""Lines; a shorter one rarely shows how something works."""
WORTH = 0.3
"""A file is returned if it has this share of the best file's evidence."""

Scores = Mapping[str, float]
"""By path."""


@dataclass(frozen=True, slots=True)
class FlowFiles:
    paths: tuple[str, ...]
    """Most relevant first."""
    rarity: Rarity
    """How informative each term of the question is."""


def flow_question(question: SearchQuestion) -> SearchQuestion:
    """With the terms that say what the question is about, and their synonyms."""
    own: dict[str, Term] = {}
    for term in question.terms:
        if term.literal:
            own[term.text] = replace(term, weight=term.weight * LITERAL)
        elif term.text not in _OF_THE_QUESTION:
            own[term.text] = term
    similar = {
        other: Term(other, SIMILAR * term.weight)
        for term in own.values()
        if not term.literal
        for other in _SIMILAR.get(term.text, ())
    }
    return replace(question, terms=tuple((similar | own).values()))


def find_flow_files(question: SearchQuestion, files: Sequence[CodeFile], cited: Scores) -> FlowFiles:
    """`files` are all code files, with their matches of the terms of a `flow_question`; `cited` says how well the
    documents that name a file match it."""
    tests = asks_for_tests(question)
    code = [each for each in files if tests or not is_test_file(each.path)]
    terms = question.terms
    evidence = _evidence(terms, code, cited)
    own = {each.path: evidence[each.path] * _weight(each, question) for each in code}
    scores = {each.path: own[each.path] + around for each, around in zip(code, _around(code, own), strict=True)}
    least = WORTH * max(scores.values(), default=0.0)
    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    found = tuple(path for path in ranked if scores[path] >= least > 0)
    weights = {term: term.weight * rarity for term, rarity, _ in _counted(terms, code, _times_in_text)}
    return FlowFiles(found, Rarity(weights, math.log(1 + len(code))))


def _weight(file: CodeFile, question: SearchQuestion) -> float:
    return kind_weight(file.path, question) * (0.5 if file.lines < SHORT_FILE else 1.0)


def _around(code: Sequence[CodeFile], own: Scores) -> Iterator[float]:
    """What each file gets from those that it works with."""
    users: defaultdict[str, list[float]] = defaultdict(list)
    for each in code:
        for path, sure in each.uses.items():
            users[path].append(own[each.path] * sure)
    for each in code:
        used = sorted((own.get(path, 0.0) * sure for path, sure in each.uses.items()), reverse=True)[:CLOSEST]
        # About the mean: a file that everybody uses belongs to no question, one with a single user is part of that.
        using = sum(users[each.path]) / (len(users[each.path]) + 1)
        yield AROUND * (sum(used) / CLOSEST + using)


def _evidence(terms: Sequence[Term], code: Sequence[CodeFile], cited: Scores) -> Scores:
    total: defaultdict[str, float] = defaultdict(float)
    kinds = (
        (NAME, _by_name(terms, code)),
        (FOLDER, _by_folder(terms, code)),
        (SYMBOL, _by_symbol(terms, code)),
        (TEXT, _by_text(terms, code)),
        (CITED, cited),
    )
    for weight, scores in kinds:
        most = max(scores.values(), default=0.0)
        for path, score in scores.items():
            total[path] += weight * score / most if most else 0.0
    return total


def _by_name(terms: Sequence[Term], code: Sequence[CodeFile]) -> Scores:
    """A name counts by how much of it the question contains."""
    scores: defaultdict[str, float] = defaultdict(float)
    matched: defaultdict[str, int] = defaultdict(int)
    for term, rarity, counts in _counted(terms, code, lambda file, term: _is_in_path(term, file.path)):
        for path in counts:
            scores[path] += term.weight * rarity
            matched[path] += 1
    return {
        path: score * (matched[path] / max(len(_words(_name(path))), matched[path])) ** 0.5
        for path, score in scores.items()
    }


def _by_folder(terms: Sequence[Term], code: Sequence[CodeFile]) -> Scores:
    words = [term for term in terms if not term.literal]
    scores: defaultdict[str, float] = defaultdict(float)
    for term, rarity, counts in _counted(
        words, code, lambda file, term: term.text in _words(file.path.rpartition("/")[0])
    ):
        for path in counts:
            scores[path] += term.weight * rarity
    return scores


def _by_text(terms: Sequence[Term], code: Sequence[CodeFile]) -> Scores:
    lines = {each.path: each.lines for each in code}
    scores: defaultdict[str, float] = defaultdict(float)
    for term, rarity, counts in _counted(terms, code, _times_in_text):
        for path, count in counts.items():
            scores[path] += term.weight * rarity * count / (count + 0.5 + lines[path] / 100)
    return scores


def _by_symbol(terms: Sequence[Term], code: Sequence[CodeFile]) -> Scores:
    """The one symbol that covers most of the question; the file itself counts as one too."""
    weights = {
        term: term.weight * rarity
        for term, rarity, _ in _counted(terms, code, lambda file, term: _names_it(term, file))
    }
    scores: dict[str, float] = {}
    for each in code:
        weighed = [_match_weight(weights, _name(each.path), each.doc)]
        weighed += [_match_weight(weights, symbol.name, symbol.doc) * _kind_weight(symbol) for symbol in each.symbols]
        scores[each.path] = max(weighed)
    return scores


def _counted(
    terms: Sequence[Term], code: Sequence[CodeFile], count: Callable[[CodeFile, Term], float]
) -> Iterator[tuple[Term, float, Mapping[str, float]]]:
    """Each term that occurs, how rare it is, and how often it occurs in which file."""
    for term in terms:
        counts = {each.path: times for each in code if (times := count(each, term))}
        if counts:
            yield term, math.log(1 + len(code) / len(counts)), counts


def _match_weight(weights: Mapping[Term, float], name: str, doc: str) -> float:
    return sum(
        weight * (1.0 if _is_in(term, name) else DOCUMENTED if not term.literal and _is_in(term, doc) else 0.0)
        for term, weight in weights.items()
    )


def _kind_weight(symbol: Symbol) -> float:
    return 1.0 if symbol.kind in ("function", "method", "class") else 0.5


def _names_it(term: Term, file: CodeFile) -> bool:
    return (
        any(_is_in(term, symbol.name) for symbol in file.symbols)
        or _is_in(term, _name(file.path))
        or (not term.literal and _is_in(term, file.doc))
    )


def _times_in_text(file: CodeFile, term: Term) -> float:
    return sum(count for name, count in file.names.items() if _is_in(term, name))


def _is_in_path(term: Term, path: str) -> bool:
    return term.text in path.lower() if _is_path(term) else _is_in(term, _name(path))


def _is_in(term: Term, text: str) -> bool:
    if term.literal:
        return not _is_path(term) and search_word(term) in text.lower()
    return term.text in _words(text)


def search_word(term: Term) -> str:
    """The part of a term that can be in a name: of `asyncio.run` the last."""
    return term.text if _is_path(term) else term.text.rpartition(".")[2].strip("()")


def _is_path(term: Term) -> bool:
    return term.literal and ("/" in term.text or language_of(term.text) is not None)


def _name(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(stems(text))


_OF_THE_QUESTION = frozenset(map(stem, ("flow", "through", "become", "belong", "up")))
"""Words of a question about a flow: they occur everywhere, or nowhere."""

_SIMILAR = {
    word: tuple(other for other in group if other != word)
    for group in (
        tuple(map(stem, words.split()))
        for words in (
            "output reply response answer stream",
            "execute run invoke dispatch",
            "start launch spawn",
            "delete remove",
            "error exception failure",
            "show display render",
        )
    )
    for word in group
}
