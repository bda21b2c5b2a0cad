"""A project's files, as tools and prompts see them."""

from typing import Protocol

from mulligan.types.frozen import frozen


@frozen
class FileText:
    """A text file of the project, as the model may see it."""

    path: str
    """Relative to the project, with forward slashes."""
    lines: tuple[str, ...]
    """Without line endings."""
    encoding: str
    """How the bytes were decoded; usually `utf-8`."""


@frozen
class DirEntry:
    name: str
    """A folder's name ends in a slash."""
    size: int | None
    """Bytes; none for a folder."""


@frozen
class Listing:
    path: str
    entries: tuple[DirEntry, ...]
    hidden: int
    """Entries left out because .gitignore covers them."""


@frozen
class GrepQuery:
    pattern: str
    path: str = "."
    glob: str | None = None
    fixed: bool = False
    """The pattern is plain text, not a regular expression."""
    ignore_case: bool = False
    limit: int = 60
    """Matching lines, at most."""


@frozen
class GrepMatch:
    path: str
    line: int
    text: str


@frozen
class GrepResult:
    matches: tuple[GrepMatch, ...]
    total: int
    """All matching lines, including those over the limit."""
    files: int
    """Files with a match."""


@frozen
class FoundFiles:
    paths: tuple[str, ...]
    """Sorted by name."""
    total: int
    """All that were found, including those over the limit."""


class Workspace(Protocol):
    """The only access to a project's files. Paths are relative to the project; nothing outside it is reachable.

    Every method raises `CallRejected` with a helpful message: `permission_denied` for paths outside the project or with
    secrets, `exec_error` for what is missing, binary, too large or unreadable.
    """

    async def read_text(self, path: str) -> FileText: ...

    async def list_dir(self, path: str) -> Listing: ...

    async def find_files(self, pattern: str, path: str, limit: int) -> FoundFiles: ...

    async def grep(self, query: GrepQuery) -> GrepResult: ...
