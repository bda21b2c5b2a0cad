"""Decodes a JSON string while it streams."""

import json
import re

_WHOLE = re.compile(
    r"""(?: [^"\\]++
        | \\["\\/bfnrt]
        | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | \\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}
        )*+""",
    re.VERBOSE,
)
"""As far as every character and every escape is whole."""


class StreamedString:
    """What comes after the opening quote, wherever the chunks may fall; what comes after the closing one is dropped."""

    def __init__(self) -> None:
        self._held = ""
        """The beginning of an escape. Where the string is cut off it says nothing, and is dropped."""
        self._ended = False

    def feed(self, raw: str) -> str:
        """The text that this chunk completes."""
        text, at = self._held + raw, 0
        decoded: list[str] = []
        while at < len(text) and not self._ended:
            whole = _WHOLE.match(text, at)
            begun, at = at, whole.end() if whole else at
            decoded.append(_decode(text[begun:at]))
            if text.startswith('"', at):
                self._ended = True
            elif _BEGUN.fullmatch(text, at):
                break
            else:
                size, meant = _given_up(text, at)
                decoded.append(meant)
                at += size
        self._held = "" if self._ended else text[at:]
        return "".join(decoded)


def _given_up(text: str, at: int) -> tuple[int, str]:
    """An escape that JSON doesn't know. `\\d` is meant as it stands; half of a character is lost."""
    if _HALF.match(text, at):
        return 6, "\N{REPLACEMENT CHARACTER}"
    return 1, text[at]


def _decode(raw: str) -> str:
    return json.loads(f'"{raw}"', strict=False)


_HALF = re.compile(r"\\u[0-9a-fA-F]{4}")
_BEGUN = re.compile(
    r"(?:\\u?|\\u[0-9a-fA-F]{1,3}|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?"
)
