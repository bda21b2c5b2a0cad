"""What commands that run no turn print: JSON for programs, tables and sentences for people."""

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
    """A JSON object an item, or a table with a row for each. `none` is said where there are no items."""
    if as_json:
        for item in items:
            print_json(fields(item), ascii_only=ascii_only)
    elif items:
        from mulligan.cli.views.tables import print_table

        print_table(headings, [row(item) for item in items])
    else:
        tell(none)


def print_json(fields: Mapping[str, object], *, ascii_only: bool = True) -> None:
    """One object on a line; in ASCII where it may hold what a terminal should not see or can not encode."""
    import json

    sys.stdout.write(json.dumps(fields, ensure_ascii=ascii_only) + "\n")
    sys.stdout.flush()


def tell(words: str) -> None:
    """A sentence that is no part of the result."""
    from mulligan.cli.text.safe_text import safe_text

    print_side_message(safe_text(words))


def print_side_message(words: str) -> None:
    """As `tell`, for words that are known to be safe on a terminal."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
