"""What .gitignore covers, in git repositories and outside them."""

import re
from collections.abc import Iterable
from pathlib import Path

from mulligan.core.globs import LONGEST_GLOB, translate
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.frozen import frozen


@frozen
class Rule:
    """One line of a .gitignore file. It speaks of a path itself, not of what lies below it."""

    folder: str
    """Where the file stands, without a slash at the end."""
    fits: re.Pattern[str]
    """To be matched against the path from there."""
    only_folders: bool
    ignores: bool
    """False for a line that starts with `!`."""


Rules = list[Rule]
"""The last one that fits a path decides."""


def rules_base(root: Path) -> Path:
    """The folder from which on .gitignore files count for a project: the repository around it, else itself.

    A repository that ignores the project does not count: people keep their home folder in git with the rule `*`.
    """
    for level in (root, *root.parents):
        if (level / ".git").exists():
            return root if _rules_along(_levels(root, level)) is None else level
    return root


def ignored_names(folder: Path, base: Path, names: Iterable[str]) -> set[str]:
    """Those of a folder's entries that the rules cover. Names of folders end in a slash.

    Of a folder that is itself ignored nothing is: who asks for it by name wants to see it.
    """
    rules = _rules_along(_levels(folder, base)) or []
    return {name for name in names if _covers(rules, f"{folder}/{name}")}


def parse_rule(line: str, folder: str = "") -> Rule | None:
    """None for an empty line, a comment, and what git can't read either."""
    text = line.rstrip(" \t\r")
    if text.endswith("\\"):
        text = line[: len(text) + 1]
    if not text or text.startswith("#") or len(text) > LONGEST_GLOB:
        return None
    ignores = not text.startswith("!")
    pattern = text.removeprefix("!")
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    anchored = pattern if "/" in pattern else f"**/{pattern}"
    try:
        return Rule(folder, re.compile(translate(anchored.removeprefix("/")), re.DOTALL), only_folders, ignores)
    except re.error:
        return None


def _rules_along(levels: Iterable[Path]) -> Rules | None:
    """The rules that hold in the last of nested folders; none if they ignore one of the folders."""
    rules: Rules = []
    for level in levels:
        if _covers(rules, f"{level}/"):
            return None
        rules += _rules_of(level)
    return rules


def _levels(folder: Path, base: Path) -> list[Path]:
    """From the base, or a repository nested in it, down to the folder."""
    levels = [folder]
    while levels[-1] != base and not (levels[-1] / ".git").exists():
        levels.append(levels[-1].parent)
    return levels[::-1]


def _covers(rules: Rules, path: str) -> bool:
    """Whether a path, which ends in a slash if it is a folder, is ignored where its parents are not."""
    for rule in reversed(rules):
        if rule.only_folders and not path.endswith("/"):
            continue
        if rule.fits.fullmatch(path[len(rule.folder) + 1 :].rstrip("/")):
            return rule.ignores
    return False


def _rules_of(level: Path) -> Rules:
    lines = [*_read(_exclude_file(level)).split("\n"), *_read(level / ".gitignore").split("\n")]
    return [rule for line in lines if (rule := parse_rule(line, str(level).rstrip("/")))]


def _exclude_file(level: Path) -> Path:
    git = level / ".git"
    if link := _read(git):  # a work tree or a submodule, whose repository is elsewhere
        git = level / link.removeprefix("gitdir:").strip()
        git /= _read(git / "commondir").strip()
    return git / "info" / "exclude"


def _read(file: Path) -> str:
    """Nothing for what is no file, can't be read or is very large: it holds no rules."""
    try:
        return read_regular_text(file, "utf-8-sig", "surrogateescape")
    except OSError:
        return ""
