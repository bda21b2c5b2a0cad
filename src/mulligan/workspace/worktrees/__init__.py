"""Work trees for sessions: each agent that writes files directly gets one, and its work comes back as pending changes.

A work tree is one of git's linked work trees, outside the project, with a detached HEAD and no branch. It starts from
the checkout's current content; that content is its base. Everything that differs from the base, and was not brought
back yet, is the agent's work, and is never deleted without asking.
"""

from mulligan.workspace.worktrees.adopting import adopt
from mulligan.workspace.worktrees.import_work import import_work
from mulligan.workspace.worktrees.model import (
    ImportedWork,
    Leftover,
    ListedTree,
    MadeTree,
    Removed,
    WorkTreeDirty,
    WorkTreeUnusable,
)
from mulligan.workspace.worktrees.worktrees import WorkTrees

__all__ = [
    "ImportedWork",
    "Leftover",
    "ListedTree",
    "MadeTree",
    "Removed",
    "WorkTreeDirty",
    "WorkTreeUnusable",
    "WorkTrees",
    "adopt",
    "import_work",
]
