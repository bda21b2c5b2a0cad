"""The searchable terms of a question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

MAX_TERMS = 10
MAX_QUESTION_CHARS = 4000
"""Of a pasted log only the beginning and the end are read."""
EARLIER = 0.4
"""The weight of a term from the previous question."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something to search for."""

    text: str
    """In lower case: a stem, or the text itself if it is literal."""
    weight: float = 1.0
    literal: bool = False
    """A name, a path or a quoted string: it must match exactly."""

    @property
    def pattern(self) -> str:
        """For a search that ignores case. Stems match their words in `snake_case` and `camelCase` too."""
        escaped = re.escape(self.text)
        if self.literal or len(self.text) > 3:
            return escaped
        return rf"(?:\b|_){escaped}"


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    terms: tuple[Term, ...]
    """Most informative first."""
    words: frozenset[str]
    """All its words in lower case, to tell what the question is about as a whole."""


def read_question(text: str, earlier: str = "") -> SearchQuestion:
    """Quoted strings, file names and identifiers count more than words; words common to all questions don't count.

    A follow-up often leaves out its subject, so the terms of the previous question count a little too.
    """
    asked = _terms(text)
    known = {term.text for term in asked}
    before = [replace(term, weight=term.weight * EARLIER) for term in _terms(earlier) if term.text not in known]
    return SearchQuestion((*asked, *before)[:MAX_TERMS], frozenset(_WORD.findall(text.lower())))


def asked_stems(text: str) -> frozenset[str]:
    """The stems of what a question asks about, to compare with those of other text."""
    terms = read_question(text).terms
    return frozenset(stem for term in terms for stem in (stems(term.text) if term.literal else (term.text,)))


def stems(text: str) -> Iterator[str]:
    """The words in a text or code, in order, each reduced to its stem."""
    for match in _SUBWORD.finditer(text):
        yield stem(match[0].lower())


def stem(word: str) -> str:
    """Without plural, -ing and -ed, and at most six letters: `configured` and `configuration` are the same."""
    if word in _SAME:
        return _SAME[word]
    stripped = word
    for ending in ("ing", "ied", "ies", "ed", "es", "s"):
        if stripped.endswith(ending) and len(stripped) - len(ending) >= 3 and not stripped.endswith("ss"):
            stripped = stripped.removesuffix(ending)
            if ending in {"ing", "ed"} and stripped[-1] == stripped[-2] and stripped[-1] not in "sl":
                stripped = stripped[:-1]
            break
    return (stripped.removesuffix("e") if len(stripped) > 3 else stripped)[:6]


def _terms(text: str) -> list[Term]:
    if len(text) > MAX_QUESTION_CHARS:
        text = f"{text[: MAX_QUESTION_CHARS * 3 // 4]}\n{text[-MAX_QUESTION_CHARS // 4 :]}"
    quoted = [match[2].strip() for match in _QUOTED.finditer(text)]
    names = [match[0] for match in _NAME.finditer(text)]
    literal = [Term(each.lower(), 3.0, literal=True) for each in (*quoted, *names) if len(each) > 1]
    literals = {term.text for term in literal}
    words = [word for word in _WORD.findall(text) if word.lower() not in _STOP]
    plain = [Term(stem) for word in words for stem in stems(word) if len(stem) > 1 and stem not in literals]
    return list(dict.fromkeys((*literal, *plain)))


_QUOTED = re.compile(r"(?<!\w)([\"'`“])([^\"'`“”\n]{2,80})[\"'`”]")
_NAME = re.compile(
    r"[\w./-]{0,200}\w\.[A-Za-z]\w{0,5}\b|\w{1,100}_\w+|\b[A-Z]?[a-z]+(?:[A-Z][a-z0-9]+)+\b|[\w-]{1,100}/[\w/-]+"
)
"""`turn.py`, `read_reply`, `readReply`, `src/loop`."""
_WORD = re.compile(r"[^\W_]+")
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zß-öø-ÿ]+|\d+|[^\W\d_a-zA-Z]+")

_SAME = {
    "license": "licenc",
    "licence": "licenc",
    "licensed": "licenc",
    "args": "argume",
    "repetition": "repeat",
    "repetitive": "repeat",
}

# fmt: off
_STOP = frozenset({
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do",
    "does", "doing", "each", "every", "exactly", "file", "files", "find", "for", "from", "function", "functions",
    "get", "gets", "give", "given", "goes", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "kind",
    "know", "many", "may", "me", "mean", "means", "most", "much", "must", "need", "no", "not", "of", "on", "one",
    "or", "our", "please", "project", "repository", "repo", "say", "says", "shall", "should", "show", "so", "some",
    "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this", "to",
    "use", "used", "uses", "using", "via", "was", "we", "what", "when", "where", "whether", "which", "while", "who",
    "whose", "why", "will", "with", "within", "work", "works", "would", "you", "your", "happens", "happen", "make",
    "makes", "made", "called", "name", "named", "value", "defined", "located", "implemented", "contain", "contains",
    "explain", "describe", "software", "source",
})
# fmt: on
"""Words of the question itself, not of its subject."""
