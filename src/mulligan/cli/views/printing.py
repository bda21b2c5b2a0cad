"""Output of commands that run no turn: JSON for programs, tables and sentences for people."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def print_list(
    items: Sequence[Item],
    *,
    as_json: bool,
    fields: Callable[[Item], Mapping[str, object]],
    headings: Sequence[str],
    row: Callable[[Item], Sequence[str]],
    none: str = "",
    ascii_only: bool = True,
) -> None:
    """One JSON object per item, or a table with one row per item. Prints `none` if there are no items."""
    if as_json:
        for item in items:
            print_json(fields(item), ascii_only=ascii_only)
    elif items:
        from mulligan.cli.views.tables import print_table

        print_table(headings, [row(item) for item in items])
    else:
        tell(none)


def print_json(fields: Mapping[str, object], *, ascii_only: bool = True) -> None:
    """One object on a line; in ASCII if it may contain characters that are unsafe or can't be encoded."""
    import json

    sys.stdout.write(json.dumps(fields, ensure_ascii=ascii_only) + "\n")
    sys.stdout.flush()


def tell(words: str) -> None:
    """Print a sentence that is not part of the result."""
    from mulligan.cli.text.safe_text import safe_text

    print_side_message(safe_text(words))


def print_side_message(words: str) -> None:
    """Like `tell`, for text known to be safe on a terminal."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
