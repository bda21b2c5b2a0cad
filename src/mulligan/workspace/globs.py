"""File name patterns as people write them, and which paths they mean."""

import re
from collections.abc import Callable, Sequence

from mulligan.types.errors import CallRejected

PIECE = re.compile(r"\\.|(?:\*\*/)+|/\*\*+$|\*\*+|\*|\?|\[[!^]?\]?[^\]]*\]|[{},]|.", re.DOTALL)

WILDCARDS = {"*": "[^/]*", "?": "[^/]"}
BRACES = {"{": "(?:", ",": "|", "}": ")"}


def choose(pattern: str, paths: Sequence[str], folder: str) -> list[str]:
    """The paths that a name or a glob means, in the order given. `folder` is where the search began.

    The readings are tried from the strictest to the loosest; the first that finds anything decides.
    """
    wanted = _normal(pattern)
    below = 0 if folder == "." else len(folder) + 1

    def contains(path: str) -> bool:
        return wanted.lstrip("/").casefold() in path.casefold()

    readings: list[Callable[[str], bool]] = [lambda path: contains(path[below:]), contains]
    if re.search(r"[*?\[{]", wanted):
        exact = glob_regex(wanted)
        anywhere = re.compile(glob_regex(f"**/{wanted.lstrip('/')}").pattern, re.IGNORECASE)
        readings = [
            lambda path: bool(exact.fullmatch(path[below:]) or exact.fullmatch(path)),
            lambda path: bool(anywhere.fullmatch(path)),
            contains,
        ]
    for fits in readings:
        if found := [path for path in paths if fits(path)]:
            return found
    return []


def glob_regex(pattern: str) -> re.Pattern[str]:
    """A pattern without a slash fits a name at any depth, one with a slash the whole path. Raises `CallRejected`."""
    wanted = _normal(pattern)
    if wanted.endswith("/"):
        wanted += "**"
    if "/" not in wanted:
        wanted = f"**/{wanted}"
    try:
        return re.compile(translate(wanted.removeprefix("/"), braces=True), re.DOTALL)
    except re.error as error:
        raise CallRejected("exec_error", f"{pattern!r} is not a valid glob: {error}.") from error


def translate(pattern: str, *, braces: bool = False) -> str:
    """The regular expression for a glob that is matched against a whole path."""
    regex = ""
    depth = 0
    for piece in PIECE.findall(pattern):
        if braces and piece in BRACES:
            depth += {"{": 1, "}": -1}.get(piece, 0)
            regex += BRACES[piece] if depth or piece == "}" else ","
        elif piece.endswith("**/"):
            regex += "(?:.*/)?"
        elif piece.startswith("/**"):
            regex += "/.+"
        elif piece.startswith("**"):
            regex += ".*"
        elif piece.startswith("[") and len(piece) > 1:
            regex += _character_class(piece[1:-1])
        else:
            regex += WILDCARDS.get(piece) or re.escape(piece[-1])
    return regex


def _normal(pattern: str) -> str:
    return pattern.strip().strip("\"'`").replace("\\", "/").removeprefix("./")


def _character_class(inner: str) -> str:
    negated = inner[:1] in {"!", "^"}
    members = re.sub("-+", "-", inner[1:] if negated else inner)
    escaped = "".join(member if member == "-" else re.escape(member) for member in members)
    return f"[{'^' if negated else ''}{escaped}]"
