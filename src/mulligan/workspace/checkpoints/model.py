"""What checkpoints are made of: frozen data, and the errors.

MulliganError
└── ConfigurationError
    └── CheckpointRefused   it can't be done here, or not now; nothing was changed
        └── WorkChanged     somebody worked on between the safety checkpoint and the restore
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal

from mulligan.types.errors import ConfigurationError
from mulligan.types.frozen import frozen

FILE = "100644"
PROGRAM = "100755"
LINK = "120000"
GITLINK = "160000"

At = Callable[[str], None]
"""Told of each step before and after it is taken, so that a test can end the process there."""


def no_interruption(_step: str) -> None:
    """The `At` of everyday."""


class CheckpointRefused(ConfigurationError):
    """A checkpoint can't be taken, or not restored. Says why; nothing was changed."""


class WorkChanged(CheckpointRefused):
    """What is there now is neither the safety checkpoint's nor the target's: restoring would lose it."""

    def __init__(self, what: tuple[str, ...]) -> None:
        shown = ", ".join(what[:5]) + (f" and {len(what) - 5} more" if len(what) > 5 else "")
        super().__init__(
            f"Changed since the safety checkpoint was taken: {shown}. Nothing of it was touched; try again."
        )
        self.what = what


@frozen
class Head:
    branch: str | None
    """As `refs/heads/main`; None if HEAD is detached."""
    commit: str | None
    """None on a branch without a commit."""


@frozen
class SkippedPath:
    """A path and why it is treated apart."""

    path: str
    """From the work tree; a byte that is no UTF-8 is a lone surrogate, as `os.fsdecode` has it."""
    reason: str


@frozen
class IndexRecord:
    """What the person's index held."""

    commit: str
    """Its tree is the index's content; the message lists the flagged entries. Equal content, equal commit."""
    tree: str
    flagged: bool
    """Whether an entry is unmerged, added by intent only, skipped or assumed unchanged."""


@frozen
class IgnoreRules:
    """Rules that stand in no file of the work tree."""

    exclude: str
    """The repository's `info/exclude`."""
    personal: str
    """The person's file for all their repositories."""


@frozen
class Blob:
    """A file's content and mode, as git has them."""

    mode: str
    oid: str


@frozen
class Secret:
    """A file that holds secrets and is not tracked. Git does not have its content: `secret_files` does."""

    blob: Blob
    permissions: int


@frozen
class Snapshot:
    """A checkpoint as git keeps it."""

    id: str | None
    """None for one that has no ref, and will be swept by git one day."""
    commit: str
    tree: str
    label: str
    created_at: float
    """When this state was first captured: checkpoints of an unchanged tree share a commit."""
    head: Head
    branches: Mapping[str, str | None]
    """Where branches stood that a restore sets: HEAD's, and in a safety checkpoint the target's too."""
    index: IndexRecord
    rules: IgnoreRules
    merge_files: Mapping[str, str] = field(default_factory=dict[str, str])
    """MERGE_HEAD and the like, with their text."""
    operation: str = ""
    """Names and digests of what is noted and never restored: a rebase, a bisection, a sequence of picks."""
    folders: tuple[str, ...] = ()
    """Those that hold no captured file."""
    forced: tuple[str, ...] = ()
    """Captured though the rules ignored them: tracked, or asked for."""
    not_covered: tuple[SkippedPath, ...] = ()
    secrets: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    """Secret files that are not tracked, by their paths. They are not in the tree."""

    @property
    def outside_tree(self) -> tuple[SkippedPath, ...]:
        """What stands in the work tree and not in the tree."""
        return (*self.not_covered, *(SkippedPath(path, "it may hold secrets") for path in self.secrets))


ChangeOf = Literal["added", "modified", "deleted", "mode", "link"]
"""`mode`: only whether it can be run. `link`: it became a symbolic link, was one, or leads elsewhere."""


@frozen
class FileChange:
    path: str
    kind: ChangeOf
    size_before: int | None
    size_after: int | None


@frozen
class FileMove:
    """A file to be written or, with nothing after, deleted."""

    path: str
    before: Blob | None
    """What the safety checkpoint found there."""
    after: Blob | None


@frozen
class Commit:
    oid: str
    subject: str


@frozen
class RefMove:
    ref: str
    """A branch; `HEAD` where it was detached and only its commits are to be kept."""
    before: str | None
    after: str | None
    set_aside: tuple[Commit, ...] = ()
    """Commits that the ref will not reach any more, newest first."""
    kept_under: str | None = None
    """The ref that keeps them."""


@frozen
class RestorePlan:
    """All that a restore will do. Made from the two snapshots, so it comes out the same after a crash."""

    now: Snapshot
    target: Snapshot
    writes: tuple[FileMove, ...]
    deletes: tuple[FileMove, ...]
    folders_made: tuple[str, ...]
    """If they are missing."""
    folders_removed: tuple[str, ...]
    """If they are empty by then."""
    left_alone: tuple[SkippedPath, ...]
    refs: tuple[RefMove, ...]

    @property
    def head_moves(self) -> bool:
        return self.now.head != self.target.head

    @property
    def index_changes(self) -> bool:
        return self.now.index.commit != self.target.index.commit
