"""Progress of indexing a project, on one line that is erased at the end."""

import sys

from mulligan.types.codecontext import IndexProgress

EVERY = 10
"""Percent between two lines, if a line can't be overwritten."""


class IndexLine:
    """On standard error, because a program may read a command's output."""

    def __init__(self) -> None:
        self._overwrites = sys.stderr.isatty()
        self._shown = False
        self._shown_percent = 0

    def show(self, now: IndexProgress) -> None:
        if not now.of:
            self.clear()
            return
        words = f"Reading the project: {now.read:,} of {now.of:,} files"
        percent = 100 * now.read // now.of
        if self._overwrites:
            sys.stderr.write(f"\r{words}\x1b[K")
            self._shown = True
        elif percent >= self._shown_percent + EVERY:
            self._shown_percent = percent
            sys.stderr.write(f"{words}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self._shown = False
