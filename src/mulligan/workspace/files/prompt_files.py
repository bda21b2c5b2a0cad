"""Files that people write prompts into: commands of their own, and skills. In the project, and in the person's home."""

import os
from pathlib import Path
from typing import Literal

from mulligan.core.secrets import Mask, is_secret
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.frozen import frozen

LONGEST = 64_000
"""Characters that are looked at."""
MOST_FILES = 200
"""Of one folder."""
MOST_LOOKED_AT = 5_000
"""Files and folders in it: a link may lead to all of the project."""

FOLDERS = {
    "commands": (".mulligan/commands", ".claude/commands", ".opencode/command", ".opencode/commands"),
    "skills": (".mulligan/skills", ".claude/skills", ".opencode/skill"),
}
"""Of a project. The person's own are in their home folder, and come first: a project can't take their place."""


@frozen
class PromptFile:
    name: str
    source: str
    """Where it is, as it is shown."""
    path: Path
    personal: bool


Kind = Literal["commands", "skills"]


def has_prompt_files(kind: Kind, project: Path, home: Path) -> bool:
    """Whether there may be any: cheap, since every turn asks."""
    return (home / kind).is_dir() or any((project / each).is_dir() for each in FOLDERS[kind])


def prompt_files(kind: Kind, project: Path, home: Path) -> list[PromptFile]:
    """Each name once, sorted. A project's file that leads out of the project is none of its files."""
    root = project.resolve()
    found: dict[str, PromptFile] = {}
    for folder, personal in ((home / kind, True), *((root / each, False) for each in FOLDERS[kind])):
        if not personal and not _belongs(folder, root):
            continue
        for path in sorted(_listed(kind, folder))[:MOST_FILES]:
            if not personal and not _belongs(path, root):
                continue
            inner = path.relative_to(folder)
            name = inner.parent.name if kind == "skills" else ":".join(inner.with_suffix("").parts)
            shown = str(path) if personal else os.path.relpath(path, root)
            found.setdefault(name, PromptFile(name, shown, path, personal))
    return sorted(found.values(), key=lambda each: each.name)


def _belongs(path: Path, root: Path) -> bool:
    """Whether it is in the project, links followed, and not secret."""
    real = Path(os.path.realpath(path))
    return real.is_relative_to(root) and not is_secret(str(real.relative_to(root)))


def _listed(kind: Kind, folder: Path) -> list[Path]:
    """Links to folders are followed for skills, which are one level deep."""
    found: list[Path] = []
    looked = 0
    for place, folders, names in os.walk(folder):
        if kind == "skills":
            paths = (Path(place, name, "SKILL.md") for name in folders)
            return [path for path in paths if os.path.lexists(path)]
        found += [Path(place, name) for name in names if name.endswith(".md")]
        looked += len(names) + len(folders)
        if looked > MOST_LOOKED_AT:
            break
        folders.sort()
    return found


def read_prompt_file(file: PromptFile, mask: Mask) -> str:
    """Its text, with secrets masked. Raises `OSError`."""
    return mask(read_regular_text(file.path, errors="replace")[:LONGEST]).text
