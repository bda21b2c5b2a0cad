"""The last resort: what a text that is not JSON most likely meant, accepted only if nothing was lost or invented."""

import json
import re
from typing import Any, cast

from mulligan.types.tool_calls import JsonObject

_MAX_TEXT_CHARS = 4096
"""json-repair takes quadratic time: 4 KB took up to 0.3 s, 14 KB took 2.3 s."""
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})')
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]|[^\s,:{}\[\]"]+')
_BETWEEN = re.compile(r"[\s,:]*")


def guess_json(text: str) -> str | None:
    """An object as well-formed text, or None if in doubt. Mostly fixes quotes that were not escaped."""
    if len(text) > _MAX_TEXT_CHARS:
        return None
    # Rarely needed, and too slow to import before the first request.
    import json_repair

    try:
        guessed: Any = json_repair.loads(text)
        written = json.dumps(guessed)
    except (ValueError, RecursionError):
        return None
    if not isinstance(guessed, dict) or not _reads_back(text, written):
        return None
    values = cast("JsonObject", guessed).values()
    return written if all(_quotes_are_paired(value) for value in values) else None


def _reads_back(text: str, written: str) -> bool:
    """Every piece of the guess is in the text, in order, with only space, commas and colons between.

    Every letter, quote and brace must be there: a truncated text, which a guess would complete, does not pass.
    """
    plain = _ESCAPE.sub(lambda escape: json.loads(f'"{escape[0]}"'), text)
    at = 0
    for piece in _PIECE.findall(written):
        at = _skip(plain, at)
        wanted = f'"{json.loads(piece)}"' if piece[0] == '"' else piece
        if not plain.startswith(wanted, at):
            return False
        at += len(wanted)
    return _skip(plain, at) == len(plain)


def _skip(text: str, at: int) -> int:
    between = _BETWEEN.match(text, at)
    return between.end() if between else at


def _quotes_are_paired(value: Any) -> bool:
    """An odd number of quotes inside a value shows that it was split or joined at the wrong quote."""
    return json.dumps(value).count('\\"') % 2 == 0
