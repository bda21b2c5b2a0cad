"""In which order `mulligan --help` shows the commands."""

from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

SECTIONS = {
    "First steps": ("doctor", "drill", "ask"),
    "Work on a project": ("chat", "code", "fix", "delegate", "overview", "serve"),
    "Look at what was done, and take it back": ("changes", "checkpoints", "restore", "chats", "runs", "worktrees"),
    "Who answers, and what it may do": ("models", "agents", "sandbox"),
}


class Sectioned(TyperGroup):
    """Commands under headings: first what a newcomer needs."""

    def list_commands(self, ctx: "Context") -> list[str]:
        placed = [name for names in SECTIONS.values() for name in names]
        return sorted(super().list_commands(ctx), key=placed.index)

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002  the base names it
        width = max(map(len, self.commands))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                rows = [(name, self.commands[name].get_short_help_str(formatter.width - 6 - width)) for name in names]
                formatter.write_dl([(f"{name:<{width}}", words) for name, words in rows])
