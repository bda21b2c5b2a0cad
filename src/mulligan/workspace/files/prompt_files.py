"""Files with the user's prompts: custom commands and skills, in the project and in the user's home."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from mulligan.core.secrets import Mask, is_secret
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.files.paths import MAX_SHOWN_CHARS, printable

MAX_READ_CHARS = 64_000
"""Characters that are read."""
MAX_FILES = 200
"""Files per folder."""
MAX_LISTED_PATHS = 5_000
"""Files and folders per skill: a link may lead to the whole project."""
MAX_NAMED = 50
"""How many files of a skill's folder are suggested to a model that asked for another one."""

FOLDERS = {
    "commands": (".mulligan/commands", ".claude/commands", ".opencode/command", ".opencode/commands"),
    "skills": (".mulligan/skills", ".claude/skills", ".opencode/skill"),
}
"""Folders in a project. Those in the user's home come first, so that a project can't replace them."""


@frozen
class PromptFile:
    name: str
    source: str
    """Its path, as shown."""
    path: Path
    personal: bool


Kind = Literal["commands", "skills"]


def has_prompt_files(kind: Kind, project: Path, home: Path) -> bool:
    """Whether there may be any. Cheap, since every turn asks."""
    return (home / kind).is_dir() or any((project / each).is_dir() for each in FOLDERS[kind])


def prompt_files(kind: Kind, project: Path, home: Path) -> list[PromptFile]:
    """Each name once, sorted. Links that lead out of the project are ignored."""
    root = project.resolve()
    found: dict[str, PromptFile] = {}
    for folder, personal in ((home / kind, True), *((root / each, False) for each in FOLDERS[kind])):
        if not personal and not _belongs(folder, root):
            continue
        for path in sorted(_listed(kind, folder))[:MAX_FILES]:
            if not personal and not (_belongs(path.parent, root) and _belongs(path, root)):
                continue
            inner = path.relative_to(folder)
            name = inner.parent.name if kind == "skills" else ":".join(inner.with_suffix("").parts)
            shown = str(path) if personal else os.path.relpath(path, root)
            found.setdefault(name, PromptFile(name, shown, path, personal))
    return sorted(found.values(), key=lambda each: each.name)


def read_prompt_file(file: PromptFile, mask: Mask) -> str:
    """Its text, with secrets masked. Raises `OSError`."""
    return mask(read_regular_text(file.path, errors="replace")[:MAX_READ_CHARS]).text


def sibling_file(skill: PromptFile, name: str) -> Path:
    """The real path of a file in a skill's folder. Raises `CallRejected`."""
    folder = Path(os.path.realpath(skill.path.parent))
    try:
        real = Path(os.path.realpath(folder / name))
        is_there = real.is_file()
    except (OSError, ValueError):  # too long, or with a NUL
        real, is_there = folder / "?", False
    if not real.is_relative_to(folder) or is_secret(str(real.relative_to(folder))):
        words = f"{printable(name[:MAX_SHOWN_CHARS])} is not open to tools: only files in the skill's folder are."
        raise CallRejected("permission_denied", words)
    if not is_there:
        names = sorted(os.path.relpath(each, folder) for each in _files(folder))
        there = [each for each in names if not is_secret(each)][:MAX_NAMED]
        words = f"There is no file {printable(name[:MAX_SHOWN_CHARS])} in the skill's folder. There are: "
        raise CallRejected("exec_error", words + ", ".join(map(printable, there)) + ".")
    return real


def _belongs(path: Path, root: Path) -> bool:
    """Whether its real path is in the project, and it is not secret."""
    real = Path(os.path.realpath(path))
    return real.is_relative_to(root) and not is_secret(str(real.relative_to(root)))


def _listed(kind: Kind, folder: Path) -> list[Path]:
    """Follows links to folders for skills, which are one level deep."""
    if kind == "commands":
        return [path for path in _files(folder) if path.suffix == ".md"]
    skills = next((folders for _, folders, _ in os.walk(folder)), ())
    return [path for name in skills if os.path.lexists(path := folder / name / "SKILL.md")]


def _files(folder: Path) -> Iterator[Path]:
    """Follows no links, and returns a limited number."""
    looked = 0
    for place, folders, names in os.walk(folder):
        yield from (Path(place, name) for name in names)
        looked += len(names) + len(folders)
        if looked > MAX_LISTED_PATHS:
            return
        folders.sort()
