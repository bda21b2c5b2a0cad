"""Checkpoints of a work tree, and the way back to them: everything that is git and files.

A checkpoint is a commit under `refs/mulligan/checkpoints/` that no branch knows. The person's index, HEAD, branches,
settings and hooks are read, never written, until they ask for a restore. A restore goes from a safety checkpoint of
now to the target, and can be undone by restoring the safety checkpoint.
"""

from mulligan.workspace.checkpoints.capture import capture
from mulligan.workspace.checkpoints.carry_out import carry_out
from mulligan.workspace.checkpoints.compare import changes_between, diff_text
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
    "carry_out",
    "changes_between",
    "diff_text",
    "disk_use",
    "drop",
    "list_refs",
    "plan_restore",
    "read_snapshot",
]
