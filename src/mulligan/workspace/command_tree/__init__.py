"""A work tree per chat in which commands see the chat's pending changes applied, kept in step with the checkout.

All its content is also in the checkout or in pending changes, so it can be deleted at any time.
"""

from mulligan.workspace.command_tree.chat_commands import PendingAwareCommands
from mulligan.workspace.command_tree.command_tree import CommandTree, CommandTrees

__all__ = ["CommandTree", "CommandTrees", "PendingAwareCommands"]
