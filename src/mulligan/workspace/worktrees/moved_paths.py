"""Paths of the checkout that stand in files and links of its dependencies, made to mean the work tree."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mulligan.runtime.regular_files import UnfitFile, read_regular

LARGEST_SCRIPT = 1_000_000
"""Bytes. What is larger in a folder of scripts is a program."""


@dataclass(frozen=True)
class Moved:
    """A checkout and the work tree that was made of it."""

    checkout: Path
    to: Path

    def link(self, target: str, place: Path) -> str:
        """Where a link leads that stood in the folder `place` of the checkout, once it stands in the work tree.

        Within the checkout it leads to the same place in the work tree, elsewhere it leads where it led.
        """
        inside = Path(os.path.normpath(place / target)).is_relative_to(self.checkout)
        if target.startswith("/"):
            return os.fspath(self.to / os.path.relpath(target, self.checkout)) if inside else target
        return target if inside else os.path.normpath(place / target)

    def text(self, data: bytes) -> bytes:
        return self._whole_path.sub(lambda _: os.fsencode(self.to), data)

    @cached_property
    def _whole_path(self) -> re.Pattern[bytes]:
        """The checkout's path, and not `/code/app` in `/code/app2` or in `/old/code/app`."""
        part = rb"[\w.\-\x80-\xff]"
        return re.compile(rb"(?<!" + part + rb")" + re.escape(os.fsencode(self.checkout)) + rb"(?!" + part + rb")")


def is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()


def move_environment(folder: Path, moved: Moved) -> None:
    """Make a copied Python environment run in its new place, and import the work tree's code where it had the
    checkout's installed as editable."""
    for file in _naming_paths(folder):
        data = _read(file)
        changed = moved.text(data)
        if changed != data:
            file.write_bytes(changed)


def _naming_paths(folder: Path) -> Iterator[Path]:
    yield folder / "pyvenv.cfg"
    for script in (folder / "bin").glob("*"):
        if _read(script).startswith(b"#!") or script.name.lower().startswith("activate"):
            yield script
    for pattern in ("*.pth", "*.egg-link", "__editable__*.py"):
        yield from (folder / "lib").glob(f"*/site-packages/{pattern}")


def _read(file: Path) -> bytes:
    """Nothing of a link: it may lead out of the work tree, where nothing is to be written."""
    try:
        return read_regular(file, limit=LARGEST_SCRIPT, follow=False)
    except UnfitFile:
        return b""
