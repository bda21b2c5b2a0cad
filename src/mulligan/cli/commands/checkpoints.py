"""`mulligan checkpoints`: saved states of a work tree."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.app.project_checkpoints import (
    ProjectCheckpoint,
    checkpoints_around,
    find_checkpoint,
    list_project_checkpoints,
)
from mulligan.cli.commands.restore import restore
from mulligan.cli.completion import complete_checkpoints
from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.session import open_session_at
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list, tell
from mulligan.types.words import checkpoint_words

if TYPE_CHECKING:
    from mulligan.types.checkpoints import Checkpoint
    from mulligan.workspace.checkpoints import FileChange
    from mulligan.workspace.checkpoints.service import Checkpoints, Made, Pruned

KEEP = 50

checkpoints = listing_group(
    """Save files as they are now, to restore later.

    Without a command, lists checkpoints; `mulligan restore` returns to one.

    A checkpoint holds tracked and untracked files, the index and HEAD. It doesn't affect your branches, index or stash.
    Mulligan takes one before every turn of an agent that writes.
    """
)


@checkpoints.command(epilog=help_epilogs.CHECKPOINTS_CREATE)
def create(
    *,
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help="What it is for.")] = "",
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Take a checkpoint now."""
    import asyncio

    made = asyncio.run(_created(project, label))
    if json:
        print_json({"id": made.checkpoint.id})
        return
    typer.echo(made.checkpoint.id)
    for apart in made.snapshot.not_covered:
        tell(f"not in it: {apart.path}: {apart.reason}")
    if made.pruned:
        tell(f"deleted {made.pruned} old checkpoints: together they exceeded the quota")


@checkpoints.command("list", epilog=help_epilogs.CHECKPOINTS_LIST)
def list_checkpoints(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List checkpoints, newest first.

    Includes those of the checkout and of its agents' work trees.
    """
    import asyncio

    from mulligan.cli.text.safe_text import one_line
    from mulligan.cli.text.sentences import format_time

    print_list(
        asyncio.run(_listed(project))[::-1],
        as_json=json,
        fields=lambda each: {**asdict(each.checkpoint), "agent": each.agent},
        headings=("id", "taken", "why", "label", "chat", "agent", "work tree"),
        row=lambda each: (
            each.checkpoint.id,
            format_time(each.checkpoint.created_at, with_seconds=True),
            checkpoint_words(each.checkpoint.kind),
            one_line(each.checkpoint.label, 60),
            each.checkpoint.chat_id or "",
            each.agent or "",
            each.worktree or "",
        ),
        none="no checkpoints yet: `mulligan checkpoints create` takes one",
    )


@checkpoints.command(epilog=help_epilogs.CHECKPOINTS_SHOW)
def show(
    checkpoint: Annotated[
        str,
        typer.Argument(metavar="ID", help="Its id, or the start of it.", autocompletion=complete_checkpoints),
    ],
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show what changed in the files since a checkpoint.

    Compares with the checkout, or with the work tree that it belongs to.
    """
    import asyncio

    from mulligan.cli.views.diffs import print_diff_text

    found, changes, diff = asyncio.run(_since(project, checkpoint))
    if json:
        listed = [
            {"path": each.path, "kind": each.kind, "size_before": each.size_before, "size_after": each.size_after}
            for each in changes
        ]
        print_json({**asdict(found), "changes": listed, "diff": diff})
    elif changes:
        print_diff_text(diff)
    else:
        tell("nothing has changed since")


@checkpoints.command(epilog=help_epilogs.CHECKPOINTS_PRUNE)
def prune(
    *,
    keep: Annotated[int, typer.Option("--keep", metavar="N", min=0, help="How many of the newest to keep.")] = KEEP,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Delete old checkpoints.

    Those of the checkout, or with -C those of a work tree. `git gc` frees their space later.
    """
    import asyncio

    from mulligan.core.byte_sizes import format_size

    pruned = asyncio.run(_pruned(project, keep))
    if json:
        print_json({"dropped": list(pruned.ids), "bytes_left": pruned.bytes_left})
        return
    count = len(pruned.ids)
    typer.echo(f"{count} deleted; the others take {format_size(pruned.bytes_left)}")


async def _created(project: Path | None, label: str) -> "Made":
    async with opened(project) as checkpoints:
        return await checkpoints.create(label=label)


async def _listed(project: Path | None) -> list[ProjectCheckpoint]:
    async with open_session_at(project) as session:
        return await list_project_checkpoints(session)


async def _since(project: Path | None, prefix: str) -> "tuple[Checkpoint, list[FileChange], str]":
    async with open_session_at(project) as session:
        found = await find_checkpoint(session, prefix)
        return (found, *await (await checkpoints_around(session, found)).since(found))


async def _pruned(project: Path | None, keep: int) -> "Pruned":
    async with opened(project) as checkpoints:
        return await checkpoints.prune(keep)


checkpoints.command(epilog=help_epilogs.CHECKPOINTS_RESTORE)(restore)  # where somebody who lists them will look for it


@asynccontextmanager
async def opened(project: Path | None) -> "AsyncGenerator[Checkpoints, None]":
    """The checkpoints of the work tree that contains the project's folder."""
    async with open_session_at(project) as session:
        yield await session.checkpoints(session.settings.project)
