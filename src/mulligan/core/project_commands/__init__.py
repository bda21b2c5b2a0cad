"""How a project is tested and linted: commands found in its own files, and narrowed to a few tests."""

from mulligan.core.project_commands.find import find_commands
from mulligan.core.project_commands.given import given_command
from mulligan.core.project_commands.manifests import MANIFESTS, manifests_among
from mulligan.core.project_commands.narrow import narrow

__all__ = ["MANIFESTS", "find_commands", "given_command", "manifests_among", "narrow"]
