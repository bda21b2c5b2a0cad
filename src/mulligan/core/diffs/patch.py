"""Parses git's diff output into files, hunks and numbered lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mulligan.core.line_diff import NumberedLine
from mulligan.core.secrets import is_secret
from mulligan.syntax.skipping import is_generated_name, skip_by_path

FileChangeKind = Literal["added", "deleted", "modified", "renamed"]
Withheld = Literal["binary", "secret", "generated"]
"""Why the lines of a file are not shown to a model."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The changes to one file."""

    path: str
    """The new name; for a deleted file, the old one."""
    change: FileChangeKind
    old_path: str
    hunks: tuple[tuple[NumberedLine, ...], ...] = ()
    binary: bool = False

    @property
    def withheld(self) -> Withheld | None:
        if is_secret(self.path) or is_secret(self.old_path):
            return "secret"
        if self.binary:
            return "binary"
        return "generated" if is_generated_name(self.path) or skip_by_path(self.path, 0) else None

    @property
    def counts(self) -> tuple[int, int]:
        """Lines that were added and removed."""
        marks = [line.mark for hunk in self.hunks for line in hunk]
        return marks.count("+"), marks.count("-")

    @property
    def title(self) -> str:
        """`renamed old.py to new.py (+3 -1)`"""
        name = f"{self.old_path} to {self.path}" if self.change == "renamed" else self.path
        added, removed = self.counts
        why = f", {self.withheld}, not shown" if self.withheld else ""
        return f"{self.change} {name} (+{added} -{removed}{why})"


def read_patch(text: str) -> list[FileDiff]:
    """The files of `git diff`. A hunk's heading gives its length, so that no line in it is taken for a heading."""
    lines = text.split("\n")
    files: list[_Part] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.startswith("diff --git "):
            files.append(_Part(line))
        elif not files:
            continue
        elif found := _HUNK.match(line):
            end = _end_of_hunk(lines, index, int(found[2] or 1), int(found[4] or 1))
            files[-1].hunks.append(tuple(_numbered(lines[index:end], int(found[1]), int(found[3]))))
            index = end
        else:
            files[-1].read(line)
    return [part.file() for part in files]


@dataclass(slots=True)
class _Part:
    """What has been read about a file so far."""

    heading: str
    names: dict[str, str] = field(default_factory=dict[str, str])
    change: FileChangeKind = "modified"
    binary: bool = False
    hunks: list[tuple[NumberedLine, ...]] = field(default_factory=list[tuple[NumberedLine, ...]])

    def read(self, line: str) -> None:
        for begin in _NAMED:
            if line.startswith(begin):
                self.names[begin] = line.removeprefix(begin)
        for begin, change in _CHANGES.items():
            if line.startswith(begin):
                self.change = change
        self.binary |= line.startswith(("Binary files ", "GIT binary patch"))

    def file(self) -> FileDiff:
        old, new = _names(self.heading, self.names)
        path = old if self.change == "deleted" else new
        return FileDiff(path, self.change, old, tuple(self.hunks), self.binary)


_NAMED = ("--- ", "+++ ", "rename from ", "rename to ")
_CHANGES: dict[str, FileChangeKind] = {
    "new file mode": "added",
    "deleted file mode": "deleted",
    "rename to ": "renamed",
}


def _end_of_hunk(lines: Sequence[str], index: int, old: int, new: int) -> int:
    while index < len(lines) and (old > 0 or new > 0 or lines[index].startswith("\\")):
        mark = lines[index][:1]
        old -= mark not in ("+", "\\")
        new -= mark not in ("-", "\\")
        index += 1
    return index


def _names(heading: str, names: dict[str, str]) -> tuple[str, str]:
    """The names before and after. A file without lines is named only in its heading, where both names are equal."""
    if "rename to " in names:
        return _unquoted(names["rename from "]), _unquoted(names["rename to "])
    sides = [_unquoted(names[each]) for each in ("--- ", "+++ ") if each in names]
    found = [side.partition("/")[2] for side in sides if side != "/dev/null"]
    if not found:
        both = heading.removeprefix("diff --git ")
        half = _unquoted(both[: len(both) // 2]).partition("/")[2]
        found = [half]
    return found[0], found[-1]


def _unquoted(name: str) -> str:
    r"""git quotes names with unusual characters: `"a/caf\303\251.py"`. One with a space ends in a tab."""
    name = name.rstrip("\t")
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name

    def letter(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code, 8)) if len(code) == 3 else _LETTERS.get(code, code)

    # Each character is a byte of the name.
    raw = _ESCAPED.sub(letter, name[1:-1])
    try:
        return raw.encode("latin-1").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return raw


def _numbered(lines: Sequence[str], old: int, new: int) -> Iterator[NumberedLine]:
    for line in lines:
        mark, text = line[:1], line[1:]
        if mark == "+":
            yield NumberedLine("+", None, new, text)
        elif mark == "-":
            yield NumberedLine("-", old, None, text)
        elif mark != "\\":
            yield NumberedLine(" ", old, new, text)
        old += mark not in ("+", "\\")
        new += mark not in ("-", "\\")
