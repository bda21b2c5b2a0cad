"""Whether rewritten code is equivalent to the code before."""

import re

from mulligan.syntax.definitions import code_tokens


def says_the_same(path: str, before: str, after: str) -> bool:
    """Ignores spaces, comments, docstrings, quotes and the names of variables.

    Only variables may be renamed: `min` for `max` is a difference.
    """
    old, new = code_tokens(path, before), code_tokens(path, after)
    if old is None or new is None or len(old) != len(new):
        return False
    names: dict[str, str] = {}
    for (was, was_name), (now, now_name) in zip(old, new, strict=True):
        if was == now and was not in names:
            continue
        if not (was_name and now_name) or names.setdefault(was, now) != now:
            return False
    fresh = set(names.values()) - {text for text, is_name in old if is_name}
    return len(fresh) == len(names) and all(_is_set(was, before) and _is_set(now, after) for was, now in names.items())


def _is_set(name: str, text: str) -> bool:
    """Whether the text assigns to the name, also as a loop variable."""
    return bool(
        re.search(rf"(?<![\w.])(?:for|let|const|var)\b[^\n=]*\b{re.escape(name)}\b", text)
        or re.search(rf"(?<![\w.]){re.escape(name)}\b[^\n=!<>()]*:?=(?!=)", text)
    )
