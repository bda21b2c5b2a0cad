"""Whether anything changed on the disk since the last look: asked of the system, which takes a hundredth of a look."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

NOT_OURS = frozenset({".git", ".mulligan"})
GRACE = 2
"""Milliseconds that what was just written has to become known."""


class DiskWatch:
    """Of one project. Used by one thread at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._changes: Generator[set[Any]] | None = None
        self._failed = False
        self._changed = True

    def begin(self) -> None:
        """Before the look after which it is asked. Where the system can't watch, everything has always changed."""
        from watchfiles import watch

        if self._changes is None and not self._failed:
            self._changes = watch(
                self._root,
                watch_filter=None,
                debounce=GRACE,
                step=1,
                rust_timeout=GRACE,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            )
        self._take()
        self._changed = True

    def looked(self) -> None:
        """The look is done, and saw what changed before `begin`."""
        self._changed = self._failed or self._changes is None

    def is_unchanged(self) -> bool:
        self._take()
        return not self._changed

    def close(self) -> None:
        if self._changes is not None:
            self._changes.close()
        self._changes, self._changed = None, True

    def _take(self) -> None:
        if self._changes is None:
            return
        try:
            found = next(self._changes)
        except (OSError, RuntimeError, StopIteration):  # too many folders for this machine, or none to watch
            self._changes, self._failed, self._changed = None, True, True
            return
        paths = (Path(path) for _, path in found)
        if any(NOT_OURS.isdisjoint(path.relative_to(self._root).parts) for path in paths):
            self._changed = True
