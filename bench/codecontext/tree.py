"""A tree of Python files that others wrote: of the standard library and of the packages that are installed."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

FILES = 2_000
COPIES = 12
LEFT_OUT = frozenset({"site-packages", "__pycache__", "test", "tests", "idlelib", "_vendor", "vendor", "node_modules"})


def make_tree(root: Path, files: int = FILES) -> list[str]:
    """Copy so many files, first of the one and then of the other. Returns their paths, sorted."""
    copied: list[str] = []
    for name, source in (("library", "stdlib"), ("packages", "purelib")):
        base = Path(sysconfig.get_path(source))
        for path in _python_files(base):
            if len(copied) == files:
                break
            relative = f"{name}/{path.relative_to(base).as_posix()}"
            target = root / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            copied.append(relative)
    return sorted(copied)


def make_copies(root: Path, copies: int = COPIES) -> list[str]:
    """The whole standard library, tests and data included, so many times. Returns the paths of the Python files."""
    base = Path(sysconfig.get_path("stdlib"))
    for number in range(copies):
        left_out = shutil.ignore_patterns("site-packages", "__pycache__")
        shutil.copytree(base, root / f"copy{number:02}", ignore=left_out, symlinks=True, dirs_exist_ok=True)
    return [path for path in list_tree(root) if path.endswith(".py")]


def list_tree(root: Path) -> Sequence[str]:
    base = os.fspath(root)
    found: list[str] = []
    for folder, _, names in os.walk(base):
        inside = folder[len(base) + 1 :]
        found.extend(f"{inside}/{name}" if inside else name for name in names)
    return sorted(found)


def _python_files(base: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(base):
        folders[:] = sorted(each for each in folders if each not in LEFT_OUT)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


if __name__ == "__main__":
    print(f"{len(make_copies(Path(sys.argv[1]))):,} Python files")
