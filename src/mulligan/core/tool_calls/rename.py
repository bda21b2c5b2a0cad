"""Which known argument an unknown one stands for."""

from collections.abc import Sequence

from mulligan.core.tool_calls.names import ignoring_form, is_typo, letters_of, words_of

_SAME_MEANING = (
    frozenset({"path", "file", "filename", "filepath", "directory", "dir", "folder"}),
    frozenset({"pattern", "query", "regex", "search"}),
    frozenset({"command", "cmd"}),
    frozenset({"old", "search", "find", "original", "before"}),
    frozenset({"new", "replace", "replacement", "updated", "after"}),
    frozenset({"content", "contents", "text", "body", "code"}),
)
"""Words that models use interchangeably."""
_MANY = 20
"""With so many unknown arguments nothing was mistyped: it is another tool's call, or noise."""


def match_arguments(given: Sequence[str], known: Sequence[str], required: Sequence[str]) -> dict[str, str]:
    """Unknown names, each with the one known name that was meant.

    A missing required argument may be matched by one of its words (`file_path` for `path`), if all of them can be. For
    others that is too little: `case` is not `ignore_case`.
    """
    unknown = [name for name in given if name not in known]
    free = [name for name in known if name not in given]
    if not unknown or not free or len(unknown) > _MANY:
        return {}
    matched = _one_to_one({name: _alike(name, free) for name in unknown})
    unknown = [name for name in unknown if name not in matched]
    free = [name for name in free if name not in matched.values()]
    missing = [name for name in free if name in required]
    found = _one_to_one({name: _related(name, missing) for name in unknown})
    if len(found) < len(missing):
        return matched
    rest = [name for name in free if name not in missing]
    return matched | found | _one_to_one({name: _synonyms(name, rest) for name in unknown if name not in found})


def _one_to_one(candidates: dict[str, list[str]]) -> dict[str, str]:
    """Only matches that are clear from both sides: one candidate, and nobody else's."""
    sole = {name: found[0] for name, found in candidates.items() if len(found) == 1}
    taken = list(sole.values())
    return {name: found for name, found in sole.items() if taken.count(found) == 1}


def _alike(name: str, free: Sequence[str]) -> list[str]:
    same = ignoring_form(name, free)
    return [same] if same else [each for each in free if is_typo(name, each)]


def _related(name: str, missing: Sequence[str]) -> list[str]:
    words = words_of(name)
    return _synonyms(name, missing) or [
        each for each in missing if words and (words <= words_of(each) or words_of(each) <= words)
    ]


def _synonyms(name: str, free: Sequence[str]) -> list[str]:
    words = words_of(name) | {letters_of(name)}
    return [each for each in free if any(letters_of(each) in group and words & group for group in _SAME_MEANING)]
