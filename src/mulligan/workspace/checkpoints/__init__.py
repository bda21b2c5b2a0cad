"""Checkpoints of a work tree and how to restore them: everything that concerns git and files.

A checkpoint is a commit under `refs/mulligan/checkpoints/` that is on no branch. The user's index, HEAD, branches,
settings and hooks are only read until the user asks for a restore. A restore first takes a safety checkpoint, and can
be undone by restoring that.
"""

from mulligan.workspace.checkpoints.capture import capture
from mulligan.workspace.checkpoints.compare import changes_between, diff_text
from mulligan.workspace.checkpoints.execute_restore import execute_restore
from mulligan.workspace.checkpoints.housekeeping import disk_use, drop, list_refs
from mulligan.workspace.checkpoints.manifest import read_snapshot
from mulligan.workspace.checkpoints.model import (
    CheckpointRefused,
    FileChange,
    Head,
    RestorePlan,
    SkippedPath,
    Snapshot,
    WorkChanged,
)
from mulligan.workspace.checkpoints.plan import plan_restore

__all__ = [
    "CheckpointRefused",
    "FileChange",
    "Head",
    "RestorePlan",
    "SkippedPath",
    "Snapshot",
    "WorkChanged",
    "capture",
    "changes_between",
    "diff_text",
    "disk_use",
    "drop",
    "execute_restore",
    "list_refs",
    "plan_restore",
    "read_snapshot",
]
