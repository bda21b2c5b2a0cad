"""Where a path leads, judged by its text alone."""

import re
from dataclasses import replace
from typing import Literal

from mulligan.core.secrets import holds_secrets
from mulligan.core.secrets import is_secret as names_a_secret
from mulligan.types.frozen import frozen

Where = Literal["project", "inside", "outside", "temporary", "device", "nowhere", "unknown"]
"""`project`: the project's folder itself. `nowhere`: /dev/null and similar. `unknown`: can't be determined."""

SOMEWHERE = "/\0/\0/project"
"""Stands for a project whose path is not known: no command can name it."""

TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp")  # noqa: S108  they are recognised, not used
NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/zero", "/dev/urandom"})
INTERNAL = frozenset({".git", ".mulligan"})
SYSTEM_PROGRAMS = re.compile(r"(?:/usr(?:/local)?|/opt/homebrew)?/s?bin/[^/]+")

SYSTEM_SECRET = re.compile(r"(?:^|/)(?:proc/[^/]+/environ|etc/g?shadow)$")
"""Outside every project, and never to be read."""

SECRET_SAMPLES = (
    ".env", ".env.local", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".ssh",
    "id_rsa", "id_ed25519", "server.pem", "server.key", "credentials.json", "secrets.yml",
)  # fmt: skip
"""Sample names, to check whether a pattern matches secrets."""

MAX_FOLDER_DEPTH = 60
"""Deepest folder to enter with `cd`. A deeper one counts as unknown."""
MAX_FOLDERS = 8
"""Most uncertain folders to track. The first, the project itself, matters most."""

GLOB = re.compile(r"[*?\[]")
BRACES = re.compile(r"[{},]")


@frozen
class Folder:
    """The folder in which a part of a command runs."""

    project: str
    path: str | None
    """Absolute. None if it can't be determined."""
    maybe: frozenset[str | None] = frozenset()
    """Where it runs instead if an earlier `cd` fails."""

    @classmethod
    def at_start(cls, project: str | None) -> "Folder":
        root = normal(project) if project else SOMEWHERE
        return cls(root, root)

    def entered(self, path: str | None) -> "Folder":
        """After `cd path`; `path` is None if it is computed."""
        resolved = None if path is None else resolve(path, self.path)
        return replace(self, path=resolved if resolved and resolved.count("/") <= MAX_FOLDER_DEPTH else None)

    def doubted(self, before: "Folder") -> "Folder":
        """After a `cd` whose success was not checked."""
        if before.path == self.path or len(self.maybe) >= MAX_FOLDERS:
            return self
        return replace(self, maybe=self.maybe | before.maybe | {before.path})

    def where(self, path: str) -> Where:
        return self._place(resolve(path, self.path))

    def everywhere(self, path: str) -> set[Where]:
        """All kinds of places where the path may lead."""
        return {self._place(resolve(path, folder)) for folder in (self.path, *self.maybe)}

    def inside(self, path: str) -> set[str]:
        """The path relative to the project, for each folder it may start from; empty if it leads elsewhere."""
        root = self.project.rstrip("/") + "/"
        places = (resolve(path, folder) for folder in (self.path, *self.maybe))
        return {place.removeprefix(root) for place in places if place and place.startswith(root)}

    def is_top(self, path: str) -> bool:
        """Whether the path is a pattern for everything directly in the project."""
        stem, _, last = path.rpartition("/")
        holds_all = bool(last) and not last.strip("*.?")
        return holds_all and "project" in self.everywhere(stem or ("/" if path.startswith("/") else "."))

    def is_internal(self, path: str) -> bool:
        """Whether it is in git's folder or in ours. The project itself may be in there: work trees are."""
        if ".." in path.split("/"):
            return is_internal(path)
        return path.rstrip("/") != self.project and is_internal(path.removeprefix(f"{self.project}/"))

    def _place(self, path: str | None) -> Where:
        if path is None:
            return "unknown"
        if path == self.project:
            return "project"
        if path.startswith(self.project.rstrip("/") + "/"):
            return "inside"
        if path in NOWHERE or path.startswith("/dev/fd/"):
            return "nowhere"
        if path.startswith("/dev/"):
            return "device"
        return "temporary" if path.startswith(tuple(f"{folder}/" for folder in TEMPORARY)) else "outside"


def resolve(path: str, folder: str | None) -> str | None:
    if path.startswith(("/", "~")):
        return normal(path)
    return None if folder is None else normal(f"{folder}/{path}")


def normal(path: str) -> str:
    """Without `.`, `..` and double slashes. A leading `~` stays."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) if parts and parts[0].startswith("~") else "/" + "/".join(parts)


def is_secret(path: str) -> bool:
    """Whether a path or pattern names a file that must not be read."""
    low = re.sub(r"/+", "/", path.casefold()).rstrip("/")
    if names_a_secret(low) or holds_secrets(low) or SYSTEM_SECRET.search(low):
        return True
    name = low.rpartition("/")[2]
    if not GLOB.search(name) or not name.strip("*?"):
        return False
    # A shell pattern matches a leading dot only if it begins with a dot itself.
    return any(matches(sample, name) for sample in SECRET_SAMPLES if sample[0] != "." or name[0] == ".")


def is_internal(path: str) -> bool:
    """Whether it is in git's folder or in ours, or is a pattern that matches them."""
    parts = path.casefold().split("/")
    if not INTERNAL.isdisjoint(parts):
        return True
    patterns = [part for part in parts if part[:1] in (".", "[") and part.strip("*?.") and GLOB.search(part)]
    return any(matches(name, pattern) for pattern in patterns for name in INTERNAL)


def matches(name: str, glob: str) -> bool:
    """Whether a shell pattern may match a name. A character set counts as any character: better to refuse too much.

    Only the last star is backtracked to, so the work is at most the product of both lengths.
    """
    pieces = _pieces(glob)
    at = piece = 0
    star, mark = -1, 0
    while at < len(name):
        if piece < len(pieces) and pieces[piece] == "*":
            star, mark = piece, at
            piece += 1
        elif piece < len(pieces) and pieces[piece] in ("?", name[at]):
            at, piece = at + 1, piece + 1
        elif star >= 0:
            mark += 1
            at, piece = mark, star + 1
        else:
            return False
    return all(rest == "*" for rest in pieces[piece:])


def alternatives(path: str) -> list[str]:
    """The path and, if it has braces, its pieces."""
    return [path, *filter(None, BRACES.split(path))] if "{" in path else [path]


def _pieces(glob: str) -> list[str]:
    pieces: list[str] = []
    index = 0
    closed = glob.rfind("]")
    while index < len(glob):
        end = glob.find("]", index + 2) if glob[index] == "[" and index < closed else -1
        pieces.append("?" if end > 0 else glob[index])
        index = end + 1 if end > 0 else index + 1
    return pieces
