"""Evaluates .gitignore files, in git repositories and outside them."""

import re
from collections.abc import Iterable
from pathlib import Path

from mulligan.core.globs import MAX_GLOB_CHARS, translate
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.frozen import frozen


@frozen
class Rule:
    """One line of a .gitignore file. It matches a path itself, not what is below it."""

    folder: str
    """Folder of the file, without a slash at the end."""
    fits: re.Pattern[str]
    """Matched against the path relative to that folder."""
    only_folders: bool
    ignores: bool
    """False for a line that starts with `!`."""


Rules = list[Rule]
"""The last rule that matches a path decides."""


def rules_base(root: Path) -> Path:
    """The folder from which on .gitignore files count for a project: the repository around it, else itself.

    A repository that ignores the project does not count: people keep their home folder in git with the rule `*`.
    """
    for level in (root, *root.parents):
        if (level / ".git").exists():
            return root if _rules_along(_levels(root, level)) is None else level
    return root


def ignored_names(folder: Path, base: Path, names: Iterable[str]) -> set[str]:
    """The entries of a folder that the rules ignore. Names of folders end in a slash.

    Of a folder that is itself ignored nothing is: who asks for it by name wants to see it.
    """
    rules = _rules_along(_levels(folder, base)) or []
    return {name for name in names if _covers(rules, f"{folder}/{name}")}


def parse_rule(line: str, folder: str = "") -> Rule | None:
    """None for an empty line, a comment, and what git can't read either."""
    text = line.rstrip(" \t\r")
    if text.endswith("\\"):
        text = line[: len(text) + 1]
    if not text or text.startswith("#") or len(text) > MAX_GLOB_CHARS:
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
    """The rules that apply in the last of nested folders; None if they ignore one of the folders."""
    rules: Rules = []
    for level in levels:
        if _covers(rules, f"{level}/"):
            return None
        rules += _rules_of(level)
    return rules


def _levels(folder: Path, base: Path) -> list[Path]:
    """The folders from the base, or a repository nested in it, down to the folder."""
    levels = [folder]
    while levels[-1] != base and not (levels[-1] / ".git").exists():
        levels.append(levels[-1].parent)
    return levels[::-1]


def _covers(rules: Rules, path: str) -> bool:
    """Whether a path is ignored, provided its parents are not. The path of a folder ends in a slash."""
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
    """The text of a file; empty if it is no regular file, unreadable or very large."""
    try:
        return read_regular_text(file, "utf-8-sig", "surrogateescape")
    except OSError:
        return ""
