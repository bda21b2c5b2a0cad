"""The work tree of a fix run, and the snapshots that the run can return to.

Unlike the user's checkout it belongs to the run alone: an attempt's work can be discarded without a trace.
"""

from mulligan.workspace.run_tree.run_tree import RunTree

__all__ = ["RunTree"]
