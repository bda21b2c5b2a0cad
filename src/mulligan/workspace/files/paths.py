"""Resolves a path that a model wrote to a real path inside the project, or refuses it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mulligan.core.secrets import is_secret
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen

INTERNAL_FOLDERS = {".git": "git's own", ".mulligan": "Mulligan's own"}
"""Never listed, searched or shown."""

LINE_SUFFIX = re.compile(r"(?:#L|:L?)\d{1,9}(?:[-:]L?\d{1,9}){0,3}:?$|:$")
"""`app.py:12`, `app.py:12:5`, `app.py:12-20`, `app.py#L12`: how models copy places out of search results."""

UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

MAX_SHOWN_CHARS = 200


@frozen
class Located:
    """Something that exists in the project."""

    real: Path
    """Its real path: the project or below it."""
    relative: str
    """The real path relative to the project, with forward slashes; `.` for the project itself."""
    asked: str
    """The requested path, relative to the project, without following links."""

    @property
    def shown(self) -> str:
        return printable(self.relative)

    @property
    def secret(self) -> bool:
        return is_secret(self.relative) or is_secret(self.asked)


@frozen
class Missing:
    """A path inside the project that does not exist."""

    relative: str

    @property
    def shown(self) -> str:
        return printable(self.relative[:MAX_SHOWN_CHARS])


def locate(root: Path, given: str) -> Located | Missing:
    """Resolve a model's path. Raises `CallRejected` for paths outside the project and invalid ones.

    `root` is a real path. Of the ways a path may be meant, the first at which something exists is taken; if that lies
    outside the project, the path is refused and no other reading is tried.
    """
    missing: Missing | None = None
    try:
        for place in _places(root, given):
            real = os.path.realpath(place)
            # After a loop of links, `realpath` stops following: its result may be a link that leads outside.
            if os.path.realpath(real) != real:
                raise CallRejected(
                    "exec_error", f"{printable(given[:MAX_SHOWN_CHARS])} leads through links that go in circles."
                )
            inside = _is_inside(real, root)
            # Users expect `nowhere/../app.py` to exist, though the kernel does not.
            if os.path.lexists(place) or os.path.lexists(real):
                if not inside:
                    raise _outside(given)
                return _located(root, real, place)
            if inside:
                missing = Missing(_from(root, real))
    except ValueError as error:  # a NUL byte, or half of a surrogate pair
        raise CallRejected("exec_error", "The path holds a character that no file name can have.") from error
    if missing is None:
        raise _outside(given)
    _refuse_internals(missing.relative)
    return missing


def printable(path: str) -> str:
    """A path that can be sent and shown: replaces invalid UTF-8 and line breaks."""
    if path.isascii() and path.isprintable():
        return path
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", os.fsencode(path).decode("utf-8", "replace"))


def is_internal(name: str) -> bool:
    return name.casefold() in INTERNAL_FOLDERS


def _places(root: Path, given: str) -> Iterator[str]:
    for spelling in _spellings(given):
        yield os.path.join(root, spelling)  # noqa: PTH118  an absolute path must stay as it was written
        if spelling.startswith("~"):
            yield os.path.expanduser(spelling)  # noqa: PTH111  `Path` raises where there is no such home
        if spelling.startswith("/"):
            yield f"{root}/{spelling.lstrip('/')}"
        # Small models often begin a path with the project's own name.
        first, _, rest = spelling.removeprefix("./").partition("/")
        if first == root.name:
            yield f"{root}/{rest}"


def _spellings(given: str) -> Iterator[str]:
    """The path as written, then without what models wrap around paths; most literal first."""
    bare = given.strip().strip("\"'`").strip()
    forward = bare.replace("\\", "/")
    # Models that write `/` mean the project, and may end a file's path with a slash.
    literal = [spelling.rstrip("/") or "." for spelling in (given, bare, forward)]
    yield from dict.fromkeys((*literal, *(LINE_SUFFIX.sub("", spelling) for spelling in literal)))


def _located(root: Path, real: str, place: str) -> Located:
    lexical = os.path.normpath(place)
    # An absolute path may reach the project through another name of one of its parents.
    asked = _from(root, lexical if _is_inside(lexical, root) else real)
    relative = _from(root, real)
    _refuse_internals(asked)
    _refuse_internals(relative)
    return Located(real=Path(real), relative=relative, asked=asked)


def _is_inside(path: str, root: Path) -> bool:
    return path == str(root) or path.startswith(str(root).rstrip("/") + "/")


def _from(root: Path, path: str) -> str:
    return path[len(str(root)) :].strip("/") or "."


def _refuse_internals(relative: str) -> None:
    for part in relative.split("/"):
        if is_internal(part):
            words = f"{part} is {INTERNAL_FOLDERS[part.casefold()]} folder and is not open to tools."
            raise CallRejected("permission_denied", words)


def _outside(given: str) -> CallRejected:
    return CallRejected(
        "permission_denied",
        f"{printable(given[:MAX_SHOWN_CHARS])} leads outside the project. Only files inside it can be reached; "
        "give a path relative to the project.",
    )
