"""Glob patterns, and the paths they match."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mulligan.types.errors import CallRejected

PIECE = re.compile(r"\\.|(?:\*\*/)+|/\*\*+$|\*\*+|\*|\?|\[[!^]?\]?[^\]]*\]|[{},]|.", re.DOTALL)

MAX_GLOB_CHARS = 1_000
MAX_CHOICES = 200
"""Most alternatives from braces."""


def choose(pattern: str, paths: Sequence[str], folder: str) -> list[str]:
    """The paths that a name or a glob matches, in the order given. `folder` is where the search began.

    The interpretations are tried from the strictest to the loosest; the first with a match decides.
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
    """A pattern without a slash matches a name at any depth, one with a slash the whole path. Raises `CallRejected`."""
    wanted = _normal(pattern)
    if len(wanted) > MAX_GLOB_CHARS:
        raise CallRejected("exec_error", f"A glob of {len(wanted)} characters is too long.")
    if wanted.endswith("/"):
        wanted += "**"
    if "/" not in wanted:
        wanted = f"**/{wanted}"
    try:
        return re.compile(translate(wanted.removeprefix("/"), braces=True), re.DOTALL)
    except re.error as error:
        raise CallRejected("exec_error", f"{pattern!r} is not a valid glob: {error}.") from error


def translate(pattern: str, *, braces: bool = False) -> str:
    """The regular expression for a glob, to match a whole path.

    No glob makes it slow: text after a wildcard is matched where it first fits, since the next one covers the rest.
    """
    pieces = PIECE.findall(pattern)
    return "|".join(map(_regex, _choices(pieces) if braces else [pieces]))


def _choices(pieces: Sequence[str]) -> list[list[str]]:
    """The globs that one with braces expands to."""
    # For each open brace: the glob before it, the complete choices, and the one being read.
    outer: list[tuple[list[list[str]], list[list[str]]]] = []
    read: list[list[str]] = [[]]
    for piece in pieces:
        if piece == "{":
            outer.append((read, []))
            read = [[]]
        elif piece == "," and outer:
            outer[-1][1].extend(read)
            read = [[]]
        elif piece == "}":
            if not outer:
                raise re.error("unbalanced brace")
            before, complete = outer.pop()
            read = [[*first, *then] for first in before for then in (*complete, *read)]
            if len(read) > MAX_CHOICES:
                raise re.error("too many choices")
        else:
            read = [[*each, piece] for each in read]
    if outer:
        raise re.error("a brace is not closed")
    return read


def _regex(pieces: Sequence[str]) -> str:
    """For a glob without braces."""
    parts = [_Part()]
    for piece in pieces:
        if piece.endswith("**/") and _is_before(parts[-1], "/"):
            parts.append(_Part("(?:.*?/)??"))
        elif piece.endswith("**/"):  # inside a name it is two plain stars, as in git
            parts[-1].names += ["/"]
        elif piece.startswith("/**"):
            parts[-1].names[-1] += "/"
            parts.append(_Part(".+"))
        elif piece.startswith("**"):
            parts.append(_Part(".*?"))
        elif piece == "*":
            parts[-1].names.append("")
        elif piece.startswith("[") and len(piece) > 1:
            parts[-1].names[-1] += _character_class(piece[1:-1])
        else:
            parts[-1].names[-1] += "[^/]" if piece == "?" else re.escape(piece[-1])
    return "".join(part.regex(then) for part, then in zip(parts, [*parts[1:], None], strict=True))


@dataclass(slots=True)
class _Part:
    """A wildcard for folders, and what follows up to the next one."""

    folders: str = ""
    names: list[str] = field(default_factory=lambda: [""])
    """Text between wildcards that stay within a folder."""

    def regex(self, then: "_Part | None") -> str:
        first, *others = self.names
        # The next wildcard for folders covers what is skipped.
        is_settled = then is not None
        settled = others if is_settled else others[:-1]
        inside = first + "".join(f"(?>[^/]*?{name})" for name in settled)
        inside += "".join(f"[^/]*{name}" for name in others[len(settled) :])
        return f"(?>{self.folders}{inside})" if is_settled else f"{self.folders}{inside}"


def _is_before(part: _Part, sign: str) -> bool:
    """Whether a glob, as read so far, is empty or ends in this character."""
    return part.names[-1].endswith(sign) or (part.names == [""] and not part.folders)


def _normal(pattern: str) -> str:
    return pattern.strip().strip("\"'`").replace("\\", "/").removeprefix("./")


def _character_class(inner: str) -> str:
    negated = inner[:1] in {"!", "^"}
    members = re.sub("-+", "-", inner[1:] if negated else inner)
    escaped = "".join(member if member == "-" else re.escape(member) for member in members)
    return f"[{'^' if negated else ''}{escaped}]"
