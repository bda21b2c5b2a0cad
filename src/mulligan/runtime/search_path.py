"""Where to find programs that Mulligan itself runs: never in the project, where a command or a clone can put one."""

import os
from functools import cache
from pathlib import Path


@cache
def path_outside(path: str, *projects: Path) -> str:
    """A search path without folders of the projects and without relative folders."""
    folders = (folder for folder in path.split(os.pathsep) if folder.startswith("/"))
    return os.pathsep.join(folder for folder in folders if not _is_within(folder, projects))


def own_path(*projects: Path) -> str:
    return path_outside(os.environ.get("PATH", os.defpath), *projects)


def _is_within(folder: str, projects: tuple[Path, ...]) -> bool:
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(project) for project in projects)
