"""Groups of commands about one kind of thing: `mulligan chats`, `mulligan runs` and their like."""

import typer


def listing_group(about: str) -> typer.Typer:
    """A group that runs its command `list` where none is named. `about` is what its `--help` says."""
    group = typer.Typer(rich_markup_mode=None)

    @group.callback(invoke_without_command=True, help=about)
    def list_unless_told_otherwise(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            for command in group.registered_commands:
                if command.name == "list" and command.callback:
                    command.callback()

    return group
