"""Patterns that are compiled when they are first used.

Those of the modules on the way to the first request took 10 ms, and most are for a reply, or for what goes wrong.
"""

import re
from typing import Any, cast


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`. For its methods and attributes: functions of `re` do not take it."""
    return cast("re.Pattern[str]", _LatePattern(text, flags))


class _LatePattern:
    def __init__(self, text: str, flags: int) -> None:
        self._made_of = (text, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._made_of)
        # From now on these are attributes of its own, and as fast as those of a pattern.
        for each in ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "pattern"):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)
