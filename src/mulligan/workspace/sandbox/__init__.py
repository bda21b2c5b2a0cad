"""Confinement of everything that a model makes run. One port, four ways: bubblewrap, Landlock, Seatbelt, none."""

from mulligan.workspace.sandbox.detect import find_sandbox
from mulligan.workspace.sandbox.sandbox import NoSandbox, Sandbox, SandboxedEnd

__all__ = ["NoSandbox", "Sandbox", "SandboxedEnd", "find_sandbox"]
