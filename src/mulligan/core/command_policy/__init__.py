"""Decides whether a model's command may run. It is parsed with a shell grammar, never matched by prefix."""

from mulligan.core.command_policy.judge import judge_command, lasting_rule

__all__ = ["judge_command", "lasting_rule"]
