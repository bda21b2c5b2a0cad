"""Where a chat's commands find its pending changes applied: a work tree of the chat, kept as the checkout is.

It holds nothing of its own: what it has is in the checkout or in pending changes, so it may be thrown away at any time.
"""

from mulligan.workspace.command_tree.chat_commands import PendingAwareCommands
from mulligan.workspace.command_tree.command_tree import CommandTree, CommandTrees

__all__ = ["CommandTree", "CommandTrees", "PendingAwareCommands"]
