"""Regular expressions that are compiled on first use.

Those of the modules imported before the first request took 10 ms, and most are only needed for a reply or an error.
"""

import re
from typing import Any, cast


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but only its methods and attributes work: functions of `re` don't accept it."""
    return cast("re.Pattern[str]", LatePattern(text, flags))


class LatePattern:
    def __init__(self, text: str, flags: int) -> None:
        self._made_of = (text, flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.compile(), name)

    @property
    def compiled(self) -> bool:
        return "search" in self.__dict__

    def compile(self) -> re.Pattern[str]:
        """What the first use does."""
        compiled = re.compile(*self._made_of)
        # As attributes of this object, they are as fast as those of a pattern from now on.
        for each in ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "pattern"):
            setattr(self, each, getattr(compiled, each))
        return compiled
