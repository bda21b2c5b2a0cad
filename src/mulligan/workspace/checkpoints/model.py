"""The data of checkpoints, frozen, and the errors.

MulliganError
└── ConfigurationError
    └── CheckpointRefused   it can't be done here, or not now; nothing was changed
        └── WorkChanged     somebody changed files between the safety checkpoint and the restore
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

StepHook = Callable[[str], None]
"""Called before and after each step, so that a test can kill the process there."""


def no_interruption(_step: str) -> None:
    """The `StepHook` outside tests: does nothing."""


class CheckpointRefused(ConfigurationError):
    """A checkpoint can't be taken or restored. Says why; nothing was changed."""


class WorkChanged(CheckpointRefused):
    """The current files are neither the safety checkpoint's nor the target's: restoring would lose work."""

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
    """A path that is left out or handled separately, and why."""

    path: str
    """Relative to the work tree; a byte that is not UTF-8 is a lone surrogate, as from `os.fsdecode`."""
    reason: str


@frozen
class IndexRecord:
    """What the user's index held."""

    commit: str
    """Its tree is the index's content; the message lists the flagged entries. Equal content, equal commit."""
    tree: str
    flagged: bool
    """Whether an entry is unmerged, added by intent only, skipped or assumed unchanged."""


@frozen
class IgnoreRules:
    """Ignore rules from outside the work tree."""

    exclude: str
    """The repository's `info/exclude`."""
    personal: str
    """The user's ignore file for all repositories."""


@frozen
class Blob:
    """A file's content and mode, as in git."""

    mode: str
    oid: str


@frozen
class SecretFile:
    """A secret file that is not tracked. Its content is not in git but in `secret_files`."""

    blob: Blob
    permissions: int


@frozen
class Snapshot:
    """A checkpoint as git keeps it."""

    id: str | None
    """None if it has no ref; git's garbage collection will remove it."""
    commit: str
    tree: str
    label: str
    created_at: float
    """When this state was first captured: checkpoints of an unchanged tree share a commit."""
    head: Head
    branches: Mapping[str, str | None]
    """Commits of the branches that a restore sets: HEAD's branch, and in a safety checkpoint the target's too."""
    index: IndexRecord
    rules: IgnoreRules
    merge_files: Mapping[str, str] = field(default_factory=dict[str, str])
    """MERGE_HEAD and similar files, with their text."""
    operation: str = ""
    """Names and digests of operations that are noted and never restored: a rebase, a bisection, a series of picks."""
    folders: tuple[str, ...] = ()
    """Folders without a captured file."""
    forced: tuple[str, ...] = ()
    """Files that were captured though the rules ignore them: tracked, or asked for."""
    not_covered: tuple[SkippedPath, ...] = ()
    secrets: Mapping[str, SecretFile] = field(default_factory=dict[str, SecretFile])
    """Secret files that are not tracked, by path. They are not in the tree."""

    @property
    def outside_tree(self) -> tuple[SkippedPath, ...]:
        """What is in the work tree but not in the captured tree."""
        return (*self.not_covered, *(SkippedPath(path, "it may hold secrets") for path in self.secrets))


ChangeOf = Literal["added", "modified", "deleted", "mode", "link"]
"""`mode`: only the executable bit. `link`: it became a symbolic link, was one, or has another target."""


@frozen
class FileChange:
    path: str
    kind: ChangeOf
    size_before: int | None
    size_after: int | None


@frozen
class FileDelta:
    """A file to write or, if `after` is None, to delete."""

    path: str
    before: Blob | None
    """Its content in the safety checkpoint."""
    after: Blob | None


@frozen
class Commit:
    oid: str
    subject: str


@frozen
class RefMove:
    ref: str
    """A branch; `HEAD` if it was detached and only its commits have to be kept."""
    before: str | None
    after: str | None
    set_aside: tuple[Commit, ...] = ()
    """Commits that the ref will no longer reach, newest first."""
    kept_under: str | None = None
    """The ref that keeps them."""


@frozen
class RestorePlan:
    """Everything that a restore will do. Computed from two snapshots only, so it is the same after a crash."""

    now: Snapshot
    target: Snapshot
    writes: tuple[FileDelta, ...]
    deletes: tuple[FileDelta, ...]
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
