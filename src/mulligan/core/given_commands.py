"""Commands that a person gave to judge a run: what kind they are, and which files say what they do."""

import re
from collections.abc import Collection

from mulligan.core.command_policy import judge_command
from mulligan.types.fixing import ProjectCommand

DEFINED_IN = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json",),
    "yarn": ("package.json",),
    "pnpm": ("package.json",),
    "bun": ("package.json",),
    "tox": ("tox.ini", "pyproject.toml", "setup.cfg"),
    "nox": ("noxfile.py",),
}
"""Files in which a program looks up what it is told to do."""
SHELLS = frozenset({"sh", "bash", "zsh", "source", "."})


def given_command(command: str, paths: Collection[str]) -> ProjectCommand:
    """A script that a shell runs is the command itself, so it must not change. A program that is tried may: the fault
    may be in it."""
    kinds = judge_command(command).kinds
    words = re.findall(r"[^\s;&|()'\"]+", command)
    defining: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        defining += [name for name in DEFINED_IN.get(word.rpartition("/")[2], ()) if name in paths]
        path = word.removeprefix("./")
        if path in paths and (word.startswith("./") or before in SHELLS or path.endswith((".sh", ".bash"))):
            defining.append(path)
    kind = "lint" if "lint" in kinds and "test" not in kinds else "test"
    return ProjectCommand(command=command, kind=kind, why="--verify", defined_in=tuple(dict.fromkeys(defining)))
