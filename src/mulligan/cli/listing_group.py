"""Command groups such as `mulligan chats` and `mulligan runs`."""

import typer


def listing_group(about: str) -> typer.Typer:
    """A group that runs its `list` command by default. `about` is its help."""
    group = typer.Typer(rich_markup_mode=None)

    @group.callback(invoke_without_command=True, help=about)
    def list_unless_told_otherwise(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            for command in group.registered_commands:
                if command.name == "list" and command.callback:
                    command.callback()

    return group
