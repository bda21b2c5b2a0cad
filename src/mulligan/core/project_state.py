"""The state of a project as one turn changes it, by content: going back to an earlier state is no progress."""

import hashlib
from collections.abc import Mapping
from dataclasses import field, replace

from mulligan.types.frozen import frozen

UNCHANGED = ""
"""The state in which a turn finds the project."""


@frozen
class ProjectState:
    """The files that the turn touched."""

    found: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """The content of each, as `content_id` names it, when it was first touched; None where there was none."""
    now: Mapping[str, str | None] = field(default_factory=dict[str, str | None])

    def after(self, path: str, before: str | None, after: str | None) -> "ProjectState":
        """The state once a file has another content."""
        return replace(
            self,
            found=self.found if path in self.found else {**self.found, path: before},
            now={**self.now, path: after},
        )

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that are not as they were found, sorted."""
        return tuple(sorted(path for path, now in self.now.items() if now != self.found[path]))

    @property
    def digest(self) -> str:
        """The same for the same contents, however they came about."""
        changed = [(path, self.now[path]) for path in self.changed]
        return hashlib.sha256(repr(changed).encode("utf-8", "surrogatepass")).hexdigest() if changed else UNCHANGED


def content_id(mode: str, data: bytes) -> str:
    """Mode and content as git names them, so that what git tells of a file can be compared with what was staged."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return f"{mode} {digest.hexdigest()}"
