"""What commands that run no turn print: JSON for programs, sentences for people."""

import sys
from typing import Any


def print_json(fields: dict[str, Any]) -> None:
    """One object a line, in ASCII: a path or a diff may hold what no terminal should see and no encoding has."""
    import json

    sys.stdout.write(json.dumps(fields) + "\n")


def tell(words: str) -> None:
    """A sentence that is no part of the result."""
    from mulligan.cli.text.safe_text import safe_text
    from mulligan.cli.views.turn_views import print_side_message

    print_side_message(safe_text(words))
