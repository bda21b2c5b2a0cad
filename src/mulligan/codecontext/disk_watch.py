"""Whether anything changed on disk since the last scan. Asking the system takes a hundredth of the time of a scan."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

NOT_OURS = frozenset({".git", ".mulligan"})
GRACE = 2
"""Milliseconds to wait for the system to report what was just written."""


class DiskWatch:
    """Watches one project. Used by one thread at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._changes: Generator[set[Any]] | None = None
        self._failed = False
        self._changed = True

    def begin(self) -> None:
        """To call before a scan. If the system can't watch, everything always counts as changed."""
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
        """To call after the scan, which saw everything that changed before `begin`."""
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
