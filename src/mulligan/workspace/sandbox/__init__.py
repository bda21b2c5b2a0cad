"""Confinement of everything that a model makes run. One port, four ways: bubblewrap, Landlock, Seatbelt, none."""

from mulligan.workspace.sandbox.detect import find_sandbox
from mulligan.workspace.sandbox.sandbox import Sandbox, SandboxedEnd

__all__ = ["Sandbox", "SandboxedEnd", "find_sandbox"]
