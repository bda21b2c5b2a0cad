"""Names and paths of everything that belongs to a work tree: its folder, git's entry for it, its refs, its lock."""

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.manifest import KEPT
from mulligan.workspace.git import Git

BASES = "refs/mulligan/worktrees/"
MAKING = "refs/mulligan/making/"

BROUGHT = "refs/worktree/mulligan/brought-back"
"""The content that was brought back last. Such refs belong to one work tree, and are deleted with it."""
BRINGING = "refs/worktree/mulligan/bringing-back"

UNSAFE = re.compile(r"[^A-Za-z0-9_]+")


@frozen
class WorktreeLayout:
    """A work tree by its name, which its folder and git's entry share."""

    name: str
    parent: Path
    """The folder of all work trees."""

    @property
    def path(self) -> Path:
        return self.parent / self.name

    @property
    def lock(self) -> Path:
        return self.parent / ".locks" / self.name

    @property
    def discarded(self) -> Path:
        """Where the folder is moved, as a whole, before it is deleted."""
        return self.parent / ".removing" / self.name

    @property
    def base(self) -> str:
        return BASES + self.name

    @property
    def making(self) -> str:
        """Holds the base while the work tree is being made: as long as it exists, nobody has worked there."""
        return MAKING + self.name

    @property
    def kept(self) -> str:
        return KEPT + self.name

    @property
    def branch(self) -> str:
        """Where HEAD points in a repository without a commit. The branch exists once the agent commits."""
        return f"refs/heads/mulligan/{self.name}"


COMMANDS = re.compile(r"-commands-([0-9a-z]+)-[0-9a-f]{8}")


def commands_name(chat_id: str) -> str:
    """The name of the work tree in which a chat's commands see its pending changes."""
    return f"commands-{chat_id}"


def chat_of_commands(path: str) -> str | None:
    """The chat whose commands run in a work tree; None if an agent works in it."""
    found = COMMANDS.search(Path(path).name)
    return found[1] if found else None


def new_layout(parent: Path, *words: str) -> WorktreeLayout:
    parts = [plain_word(word) for word in words]
    return WorktreeLayout("-".join([*filter(None, parts), token_hex(4)]), parent)


def plain_word(text: str) -> str:
    """The text with only characters that are safe in the name of a folder and of a ref."""
    return UNSAFE.sub("-", text).strip("-")[:40].strip("-")


async def entries_of(git: Git) -> list[Path]:
    """All work trees that the repository knows, the main one first; their folders may be gone."""
    lines = (await git.run("worktree", "list", "--porcelain")).text.splitlines()
    return [Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree ")]


def is_empty(folder: Path) -> bool:
    with os.scandir(folder) as inside:
        return not any(inside)


def is_away(path: Path) -> bool:
    return not os.path.lexists(path)


async def refs_below(git: Git, *prefixes: str) -> dict[str, str]:
    """Names and commits."""
    lines = (await git.run("for-each-ref", "--format=%(refname) %(objectname)", *prefixes)).text.splitlines()
    return dict(line.split(" ", 1) for line in lines)


async def write_refs(git: Git, lines: Iterable[str]) -> None:
    """Write all refs or none, without a reflog."""
    silent = replace(git, settings=(*git.settings, "core.logAllRefUpdates=false"))
    transaction = "".join(f"{line}\n" for line in lines).encode()
    await silent.run("update-ref", "--no-deref", "--stdin", stdin=transaction)


def names_repository(folder: Path, git: Git) -> bool | None:
    """Whether a folder's `.git` says that it is a work tree of this repository; None if it says nothing."""
    try:
        text = read_regular_text(folder / ".git", "utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return False
    named = Path(text.removeprefix("gitdir:").strip())
    return (folder / named).resolve().parent == (git.common_dir / "worktrees").resolve()
