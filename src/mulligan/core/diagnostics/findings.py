"""A checker's diagnostics, and which of them are new."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from posixpath import join, normpath

from mulligan.core.diagnostics.checkers import Checker
from mulligan.core.failures.readers.lint_output import read_findings
from mulligan.core.failures.text import readable_lines, short_line, without_changes
from mulligan.core.project_commands.manifests import is_ours

COUNTED = re.compile(r"\(\d+(?: > \d+)?\)")
"""`too complex (12 > 10)`, `too many lines (301)`: an old problem whose number every edit changes."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    path: str
    """Relative to the project."""
    line: int
    code: str
    """Empty if the checker gives none."""
    message: str

    @property
    def identity(self) -> tuple[str, str, str]:
        """Independent of the line, since edits move lines."""
        return self.path, self.code, COUNTED.sub("", without_changes(self.message))


def read_diagnostics(
    checker: Checker, exit_code: int | None, stdout: str, stderr: str, *, project: str
) -> tuple[Diagnostic, ...] | None:
    """The errors in the project's own files; None if the checker failed. Warnings are left out: most are old, or gone
    with the next edit."""
    findings = read_findings(readable_lines(stdout, stderr))
    if exit_code is None or (exit_code != 0 and not findings):
        return None
    placed = ((_placed(each.path, checker.folder, project), each) for each in findings if not each.is_warning)
    diagnostics = (Diagnostic(path, each.line, each.code, short_line(each.message)) for path, each in placed if path)
    return tuple(dict.fromkeys(diagnostics))


@dataclass(frozen=True, slots=True)
class DiagnosticsBaseline:
    """A checker's diagnostics before an edit."""

    at_start: tuple[Diagnostic, ...]
    """At the start of the turn. They stay known even if a checker stops at an earlier error and hides them."""
    last: tuple[Diagnostic, ...]

    def after(self, now: Iterable[Diagnostic], looked_at: Collection[str] | None) -> "DiagnosticsBaseline":
        """`looked_at` are the files that were checked, None for all."""
        unchecked = () if looked_at is None else (each for each in self.last if each.path not in looked_at)
        return replace(self, last=(*unchecked, *now))

    @property
    def left(self) -> list[Diagnostic]:
        """What the last check found and the first one of the turn did not."""
        return replace(self, last=self.at_start).new_in(self.last)

    def new_in(self, now: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Diagnostics that occur more often than before. Of several that are alike, those on new lines."""
        at_start, last = (Counter(each.identity for each in known) for known in (self.at_start, self.last))
        lines: defaultdict[tuple[str, str, str], set[int]] = defaultdict(set)
        for each in (*self.at_start, *self.last):
            lines[each.identity].add(each.line)
        alike: defaultdict[tuple[str, str, str], list[Diagnostic]] = defaultdict(list)
        for each in now:
            alike[each.identity].append(each)
        new: list[Diagnostic] = []
        for identity, found in alike.items():
            more = len(found) - max(at_start[identity], last[identity])
            elsewhere = sorted(found, key=lambda each, known=lines[identity]: each.line in known)
            new += sorted(elsewhere[: max(more, 0)], key=lambda each: each.line)
        return new


def _placed(path: str, folder: str, project: str) -> str | None:
    """The path relative to the project; None if it is not the project's own."""
    if path.startswith("/"):
        inside = path.removeprefix(f"{project}/")
        return None if inside == path or not is_ours(inside) else inside
    inside = normpath(join(folder, path))
    return None if inside.startswith("..") or not is_ours(inside) else inside
