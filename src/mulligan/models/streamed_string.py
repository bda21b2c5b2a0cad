"""Decodes a JSON string while it streams."""

import json
import re

_WHOLE = re.compile(
    r"""(?: [^"\\]
        | \\["\\/bfnrt]
        | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | \\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}
        )*""",
    re.VERBOSE | re.DOTALL,
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
        self._held += raw
        decoded: list[str] = []
        while self._held and not self._ended:
            whole = _WHOLE.match(self._held)
            end = whole.end() if whole else 0
            decoded.append(_decode(self._held[:end]))
            self._held = self._held[end:]
            if self._held.startswith('"'):
                self._ended = True
            elif _may_become_whole(self._held):
                break
            else:
                decoded.append(self._give_up_escape())
        return "".join(decoded)

    def _give_up_escape(self) -> str:
        """An escape that JSON doesn't know. `\\d` is meant as it stands; half of a character is lost."""
        size = 6 if self._held.startswith("\\u") and re.match(r"\\u[0-9a-fA-F]{4}", self._held) else 1
        bad, self._held = self._held[:size], self._held[size:]
        return bad if size == 1 else "\N{REPLACEMENT CHARACTER}"


def _decode(raw: str) -> str:
    return json.loads(f'"{raw}"', strict=False)


_BEGUN = re.compile(
    r"(?:\\u?|\\u[0-9a-fA-F]{1,3}|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?"
)


def _may_become_whole(held: str) -> bool:
    return _BEGUN.fullmatch(held) is not None
