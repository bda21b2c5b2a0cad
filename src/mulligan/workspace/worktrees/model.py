"""The data of work trees, and the errors.

MulliganError
└── ConfigurationError
    ├── WorkTreeUnusable    it is gone, broken, unknown, or held by somebody else
    └── WorkTreeDirty       removing it would lose work
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from mulligan.runtime.counted import counted
from mulligan.types.changes import PendingChange
from mulligan.types.checkpoints import WorkTree
from mulligan.types.errors import ConfigurationError
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.model import Commit, SkippedPath
from mulligan.workspace.files.paths import printable

NAMED = 5
"""How many items of a long list to name."""

TreeState = Literal["clean", "changed", "gone", "broken"]
"""`gone`: its folder was deleted. `broken`: git can't open it."""


@frozen
class MadeTree:
    tree: WorkTree
    folder: Path
    """Where the agent works: the project's folder in the work tree."""
    skipped: tuple[SkippedPath, ...]
    """What the checkout has and the work tree lacks, and why."""


@frozen
class Loss:
    """What exists only in a work tree."""

    files: tuple[str, ...] = ()
    """Changed, and not brought back since."""
    commits: tuple[Commit, ...] = ()
    """On no branch, newest first."""

    def __bool__(self) -> bool:
        return bool(self.files or self.commits)

    @property
    def words(self) -> str:
        losses: list[str] = []
        if self.files:
            losses.append(f"{counted(len(self.files), 'file')} not brought back ({_some(self.files)})")
        if self.commits:
            shown = [f"{commit.oid[:10]} {commit.subject}" for commit in self.commits]
            losses.append(f"{counted(len(self.commits), 'commit')} on no branch ({_some(shown)})")
        return " and ".join(losses)


@frozen
class ListedTree:
    tree: WorkTree
    state: TreeState
    loss: Loss
    size: int
    """Bytes on the disk."""


@frozen
class Leftover:
    """What a killed process left of a work tree, or what remains of one that was deleted by other means."""

    name: str
    path: Path
    what: str


@frozen
class Removed:
    name: str
    kept_under: str | None
    """The ref that keeps a last checkpoint of it, if there was work to lose."""
    not_kept: tuple[SkippedPath, ...] = ()
    """What that checkpoint could not hold."""


@frozen
class ImportedWork:
    changes: tuple[PendingChange, ...]
    skipped: tuple[SkippedPath, ...]
    """What differs and was not staged, and why. It stays in the work tree."""
    byproducts: tuple[str, ...] = ()
    """New files that the agent is known to leave and that are not work. They stay in the work tree too."""


class WorkTreeUnusable(ConfigurationError):
    """The work tree can't be used, or not now."""


class WorkTreeDirty(ConfigurationError):
    """A work tree was not removed, because work would be lost."""

    def __init__(self, shown: str, loss: Loss | None) -> None:
        what = loss.words if loss else "it can't be told what: it is no sound work tree any more"
        super().__init__(
            f"the work tree {shown} was not removed, since work would be lost: {what}. `mulligan changes import` "
            "brings files back; --force removes it all the same, and keeps a last checkpoint where it can"
        )
        self.loss = loss


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(printable(name) for name in names[:NAMED]) + more
