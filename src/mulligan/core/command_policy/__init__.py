"""What may be done with a command that a model wants to run: parsed with a shell's grammar, never matched by prefix."""

from mulligan.core.command_policy.judge import judge_command, lasting_rule

__all__ = ["judge_command", "lasting_rule"]
