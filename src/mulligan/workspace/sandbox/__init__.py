"""Confines the commands that a model runs: with bubblewrap, Landlock, Seatbelt, or not at all."""

from mulligan.workspace.sandbox.detect import find_sandbox
from mulligan.workspace.sandbox.sandbox import NoSandbox, Sandbox, SandboxedEnd

__all__ = ["NoSandbox", "Sandbox", "SandboxedEnd", "find_sandbox"]
