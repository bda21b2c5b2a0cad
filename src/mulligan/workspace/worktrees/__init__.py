"""Work trees of sessions: agents that write directly get one each, and what they made comes back as pending changes.

A work tree is a linked one of git's, outside the project, with a detached HEAD and no branch. It starts from what the
checkout holds at that moment; that content is its base. What differs from the base, and was not brought back yet, is
the agent's work, and is never deleted unasked.
"""

from mulligan.workspace.worktrees.adopting import adopt
from mulligan.workspace.worktrees.bringing_back import bring_back
from mulligan.workspace.worktrees.model import (
    BroughtBack,
    Leftover,
    ListedTree,
    MadeTree,
    Removed,
    WorkTreeDirty,
    WorkTreeUnusable,
)
from mulligan.workspace.worktrees.worktrees import WorkTrees

__all__ = [
    "BroughtBack",
    "Leftover",
    "ListedTree",
    "MadeTree",
    "Removed",
    "WorkTreeDirty",
    "WorkTreeUnusable",
    "WorkTrees",
    "adopt",
    "bring_back",
]
