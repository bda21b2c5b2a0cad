"""What is told of work trees, and the errors.

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
"""How many of a long list are named."""

TreeState = Literal["clean", "changed", "gone", "broken"]
"""`gone`: its folder was deleted. `broken`: git can't open it."""


@frozen
class MadeTree:
    tree: WorkTree
    folder: Path
    """Where the agent works: in the work tree, what the project is in the checkout."""
    skipped: tuple[SkippedPath, ...]
    """What the checkout has and the work tree lacks, and why."""


@frozen
class Loss:
    """What a work tree alone holds."""

    files: tuple[str, ...] = ()
    """Changed, and not brought back since."""
    commits: tuple[Commit, ...] = ()
    """On no branch, the newest first."""

    def __bool__(self) -> bool:
        return bool(self.files or self.commits)

    @property
    def words(self) -> str:
        told: list[str] = []
        if self.files:
            told.append(f"{counted(len(self.files), 'file')} not brought back ({_some(self.files)})")
        if self.commits:
            shown = [f"{commit.oid[:10]} {commit.subject}" for commit in self.commits]
            told.append(f"{counted(len(self.commits), 'commit')} on no branch ({_some(shown)})")
        return " and ".join(told)


@frozen
class ListedTree:
    tree: WorkTree
    state: TreeState
    loss: Loss
    size: int
    """Bytes on the disk."""


@frozen
class Leftover:
    """What a killed process left of a work tree, or what is left of one that was deleted by other means."""

    name: str
    path: Path
    what: str


@frozen
class Removed:
    name: str
    kept_under: str | None
    """The ref that keeps a last checkpoint of it, where there was something to lose."""
    not_kept: tuple[SkippedPath, ...] = ()
    """What that checkpoint could not hold."""


@frozen
class BroughtBack:
    changes: tuple[PendingChange, ...]
    skipped: tuple[SkippedPath, ...]
    """What differs and was not staged, and why. It stays in the work tree."""
    left_behind: tuple[str, ...] = ()
    """New files that the agent is known to leave, and that are no work. They stay there too."""


class WorkTreeUnusable(ConfigurationError):
    """The work tree can't be worked in, or not now."""


class WorkTreeDirty(ConfigurationError):
    """A work tree was not removed."""

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
