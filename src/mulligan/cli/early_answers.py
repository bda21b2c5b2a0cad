"""Answers `mulligan --version` and `mulligan --help` before the application is imported.

The help is typer's output at the usual width, saved by `make reference`; a test compares the two. In a narrower
terminal, and for all other arguments, the application answers.
"""

import os
import sys
from collections.abc import Sequence

from mulligan import __version__

HELP_FILE = os.path.join(os.path.dirname(__file__), "text", "help.txt")  # noqa: PTH118, PTH120  pathlib takes 5 ms
USUAL_WIDTH = 80
"""Columns. Typer doesn't write longer lines in a wider terminal."""


def answer_early(program: str, words: Sequence[str]) -> bool:
    """Whether it was answered. The help contains the program's name, so that must be the usual one."""
    if words == ["--version"]:
        return _print(f"mulligan {__version__}\n")
    if words in (["--help"], ["-h"]) and os.path.basename(program) == "mulligan" and _columns() >= USUAL_WIDTH:  # noqa: PTH119
        with open(HELP_FILE, encoding="utf-8") as file:  # noqa: PTH123
            return _print(file.read())
    return False


def _print(text: str) -> bool:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (BrokenPipeError, UnicodeEncodeError):
        return False  # the application knows what to do then
    return True


def _columns() -> int:
    """Like `shutil.get_terminal_size`, which imports three compressors first."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or USUAL_WIDTH
    except (OSError, ValueError):
        return USUAL_WIDTH
