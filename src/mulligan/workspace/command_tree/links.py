"""Links the checkout's dependency folders into a work tree: linking takes milliseconds, copying takes seconds."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from mulligan.workspace.worktrees.copying import Moved
from mulligan.workspace.worktrees.dependencies import Dependency


class LinkedFolders:
    """The dependency folders of one work tree.

    Each is a real folder, so that rules like `node_modules/` ignore it and new packages can be installed in it; its
    entries are links. The sandbox prevents commands from writing through them.
    """

    def __init__(self, moved: Moved, found: Iterable[Dependency]) -> None:
        self._moved = moved
        self._found = tuple(found)
        self._written: dict[Path, int] = {}
        """The modification time of each folder when it was last linked."""

    @property
    def sources(self) -> tuple[Path, ...]:
        return tuple(each.source for each in self._found)

    def refresh(self) -> None:
        """Link new entries: packages may have been installed meanwhile."""
        for each in self._found:
            target = self._moved.to / each.path
            if target.is_symlink() or target.is_file():
                target.unlink()
            target.mkdir(parents=True, exist_ok=True)
            self._fill(each.source, target, self._moved.checkout / each.path)

    def _fill(self, source: Path, target: Path, shown: Path) -> None:
        """`shown` is the folder's path in the checkout, which its relative links start from."""
        written = source.stat().st_mtime_ns
        if self._written.get(source) == written:
            return
        with os.scandir(source) as inside:
            for entry in inside:
                place = target / entry.name
                if entry.name.startswith("@") and entry.is_dir(follow_symlinks=False):
                    place.mkdir(exist_ok=True)
                    self._fill(Path(entry), place, shown / entry.name)
                elif not os.path.lexists(place):
                    with suppress(FileNotFoundError):  # another program may be changing the folder
                        self._link(entry, place, shown)
        self._written[source] = written

    def _link(self, entry: os.DirEntry[str], place: Path, shown: Path) -> None:
        if entry.is_symlink():
            # A link to another package of the same project has to point to the work tree's copy.
            place.symlink_to(self._moved.link(os.fspath(Path(entry).readlink()), shown))
        elif entry.name == ".gitignore":
            shutil.copyfile(entry, place)  # git does not read a linked one
        else:
            place.symlink_to(entry.path)
