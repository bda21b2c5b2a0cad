"""Which of the user's rules apply to an action."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from mulligan.core.globs import glob_regex
from mulligan.types.commands import Decision
from mulligan.types.permissions import COMMAND_TOOL, PermissionRule

STRICTNESS: dict[Decision, int] = {"allow": 0, "ask": 1, "deny": 2}


def strictest(rules: Iterable[PermissionRule]) -> PermissionRule | None:
    """Deny wins over ask, and ask over allow, in any order."""
    return max(rules, key=lambda rule: STRICTNESS[rule.decision], default=None)


def fits_tool(rule: PermissionRule, tool: str) -> bool:
    return fnmatchcase(tool, rule.tool)


def fits_path(rule: PermissionRule, path: str) -> bool:
    """The path is relative to the project. A folder matches a rule about everything in it."""
    return (
        rule.path is not None
        and (_glob(rule.path).fullmatch(path) or _glob(rule.path).fullmatch(f"{path}/_")) is not None
    )


def fits_command(rule: PermissionRule, words: Sequence[str | None]) -> bool:
    """By its beginning, word by word. None stands for a word that is known only when the command runs."""
    if rule.command is None or not fits_tool(rule, COMMAND_TOOL):
        return False
    beginning = rule.command.split()
    if len(words) < len(beginning):
        return False
    pairs = zip(words, beginning, strict=False)
    return all(word is not None and (word == wanted or fnmatchcase(word, wanted)) for word, wanted in pairs)


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    return glob_regex(pattern)
