"""The state of a project during a turn, by content: going back to an earlier state is not progress."""

import hashlib
from collections.abc import Mapping
from dataclasses import field, replace

from mulligan.types.frozen import frozen

UNCHANGED = ""
"""The state at the start of a turn."""


@frozen
class ProjectState:
    """The files that the turn touched."""

    found: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """Each file's content, as a `content_id`, when it was first touched; None if it did not exist."""
    now: Mapping[str, str | None] = field(default_factory=dict[str, str | None])

    def after(self, path: str, before: str | None, after: str | None) -> "ProjectState":
        """The state after a file's content has changed."""
        return replace(
            self,
            found=self.found if path in self.found else {**self.found, path: before},
            now={**self.now, path: after},
        )

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that differ from their state at the start, sorted."""
        return tuple(sorted(path for path, now in self.now.items() if now != self.found[path]))

    @property
    def digest(self) -> str:
        """Equal for equal contents, however they came about."""
        changed = [(path, self.now[path]) for path in self.changed]
        return hashlib.sha256(repr(changed).encode("utf-8", "surrogatepass")).hexdigest() if changed else UNCHANGED


def content_id(mode: str, data: bytes) -> str:
    """Mode and content as git identifies them, so that a file in git can be compared with a staged one."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return f"{mode} {digest.hexdigest()}"
