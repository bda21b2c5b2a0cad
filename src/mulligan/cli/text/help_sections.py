"""The commands, in the order in which `mulligan --help` shows them."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

SECTIONS = {
    "First steps": ("doctor", "drill", "init", "ask"),
    "Work on a project": ("chat", "code", "fix", "delegate", "commit", "review", "overview", "serve", "acp", "proxy"),
    "Work on many projects": ("fleet",),
    "Review and undo": ("changes", "checkpoints", "restore", "chats", "runs", "worktrees"),
    "Disk space": ("prune",),
    "Models, agents and permissions": ("models", "agents", "mcp", "permissions", "sandbox"),
}


class Sectioned(TyperGroup):
    """Commands under headings, those for newcomers first."""

    def list_commands(self, ctx: "Context") -> list[str]:  # noqa: ARG002  the base names it
        return [name for names in sections(self.commands).values() for name in names]

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002  the base names it
        width = max(map(len, self.commands))
        for title, names in sections(self.commands).items():
            with formatter.section(title):
                rows = [(name, self.commands[name].get_short_help_str(formatter.width - 6 - width)) for name in names]
                formatter.write_dl([(f"{name:<{width}}", words) for name, words in rows])


def sections(commands: Collection[str]) -> dict[str, list[str]]:
    """These commands by heading: only one is imported if only that one is called."""
    found = {title: [name for name in names if name in commands] for title, names in SECTIONS.items()}
    return {title: names for title, names in found.items() if names}
