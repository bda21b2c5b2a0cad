"""`mulligan worktrees`: where agents that write directly work."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.session import open_session_at
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list, tell

if TYPE_CHECKING:
    from mulligan.workspace.checkpoints import SkippedPath
    from mulligan.workspace.worktrees import Leftover, ListedTree, MadeTree, Removed, WorkTrees

worktrees = listing_group(
    """List, make and remove the work trees of agents.

    An agent that writes directly works in one, not in your checkout. Without a command, lists this project's work
    trees. `mulligan changes import` brings their work back.
    """
)


@worktrees.command("list", epilog=help_epilogs.WORKTREES_LIST)
def list_worktrees(*, project: ProjectOption = None, json: JsonOption = False) -> None:
    """List work trees, and work that was not brought back.

    Also names what crashes left behind.
    """
    import asyncio

    from mulligan.cli.text.sentences import format_time

    listed, leftovers = asyncio.run(_listed(project))
    print_list(
        listed,
        as_json=json,
        fields=_tree_fields,
        headings=("id", "state", "size", "made", "path"),
        row=lambda each: (
            each.tree.id,
            _state_words(each),
            f"{each.size / 1e6:.1f} MB",
            format_time(each.tree.created_at),
            each.tree.path,
        ),
        none="no work trees",
    )
    for leftover in leftovers:
        if json:
            print_json({"leftover": leftover.name, "path": str(leftover.path), "what": leftover.what})
        else:
            tell(f"{leftover.path}: {leftover.what} (mulligan worktrees remove {leftover.name})")


@worktrees.command(epilog=help_epilogs.WORKTREES_MAKE)
def make(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for; part of its folder's name.")] = "",
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Make a work tree of the project as it is now.

    Prints its path. It includes uncommitted work and copies of dependency folders. Nothing done in it reaches the
    project until `mulligan changes import`.
    """
    import asyncio

    made = asyncio.run(_made(project, name))
    _tell_apart(made.skipped)
    if json:
        print_json({"id": made.tree.id, "path": made.tree.path, "folder": str(made.folder)})
    else:
        typer.echo(str(made.folder))


@worktrees.command(epilog=help_epilogs.WORKTREES_REMOVE)
def remove(
    worktree: Annotated[
        str, typer.Argument(metavar="ID", help="Its id, or the start of it; for a leftover, its name.")
    ],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Remove it even if work is lost; a last checkpoint is kept.")
    ] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Remove a work tree, unless work in it would be lost.

    That means work that was not brought back, and commits that are on no branch.
    """
    import asyncio

    removed = asyncio.run(_removed(project, worktree, force=force))
    _tell_apart(removed.not_kept)
    if json:
        print_json({"id": removed.name, "kept_under": removed.kept_under})
        return
    kept = f"; its content is kept under {removed.kept_under}" if removed.kept_under else ""
    typer.echo(f"removed {removed.name}{kept}")


def _state_words(each: "ListedTree") -> str:
    counts = [
        f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
        for things, noun in ((each.loss.files, "file"), (each.loss.commits, "commit"))
        if things
    ]
    return f"{each.state} ({', '.join(counts)})" if counts else each.state


def _tree_fields(each: "ListedTree") -> dict[str, Any]:
    return {
        "id": each.tree.id,
        "path": each.tree.path,
        "project": each.tree.project,
        "state": each.state,
        "files": each.loss.files,
        "commits": [commit.oid for commit in each.loss.commits],
        "size": each.size,
        "created_at": each.tree.created_at,
    }


def _tell_apart(apart: "Sequence[SkippedPath]") -> None:
    for each in apart:
        tell(f"{each.path}: {each.reason}")


async def _listed(project: Path | None) -> "tuple[list[ListedTree], list[Leftover]]":
    async with _trees(project) as trees:
        return await trees.listed(), await trees.leftovers()


async def _made(project: Path | None, name: str) -> "MadeTree":
    async with _trees(project) as trees:
        return await trees.make(name)


async def _removed(project: Path | None, worktree: str, *, force: bool) -> "Removed":
    async with _trees(project) as trees:
        return await trees.remove(worktree, force=force)


@asynccontextmanager
async def _trees(project: Path | None) -> "AsyncGenerator[WorkTrees, None]":
    async with open_session_at(project) as session:
        yield session.worktrees()
