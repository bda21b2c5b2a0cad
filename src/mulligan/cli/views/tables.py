"""Rows with a heading: a table if it fits, otherwise one paragraph per row. Importing this loads rich."""

import sys
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mulligan.cli.text.safe_text import safe_text
from mulligan.cli.views.screen import open_console

ROOM_FOR_A_TABLE = 76
"""Terminal width below which cells would break inside words."""


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], console: Console | None = None) -> None:
    """The first column names the row. Without a terminal, lines are not wrapped."""
    console = console or open_console()
    if not console.is_terminal:
        _print_lines(headings, rows)
    elif console.width >= ROOM_FOR_A_TABLE:
        console.print(_table(headings, rows))
    else:
        _print_paragraphs(headings, rows, console)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column, heading in enumerate(headings):
        table.add_column(heading, no_wrap=column == 0, overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe_text(cell)) for cell in row))
    return table


def _print_lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [headings, *([safe_text(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _print_paragraphs(headings: Sequence[str], rows: Sequence[Sequence[str]], console: Console) -> None:
    for row in rows:
        console.print(Text(safe_text(row[0]), "bold"))
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            console.print(Text.assemble((f"  {heading}: ", "dim"), safe_text(cell)))
