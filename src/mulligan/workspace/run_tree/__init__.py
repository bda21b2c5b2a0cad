"""The work tree in which a fix run works, and the moments of it that the run returns to.

Unlike a person's checkout it belongs to the run alone: what an attempt did there may be thrown away without a trace.
"""

from mulligan.workspace.run_tree.run_tree import RunTree

__all__ = ["RunTree"]
