"""`mulligan prune`: what uses disk space, and how to free it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.session import open_session_at
from mulligan.cli.views.printing import print_json, print_list, tell
from mulligan.types.turns import STOPS, WAITING

if TYPE_CHECKING:
    from mulligan.app.pruning import Room


def prune(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show what uses disk space, and free what is not needed.

    Lists checkpoints, work trees, chats, code indexes, caches, logs and unfinished downloads, each with the rule for
    what may be deleted, and asks first. It never deletes pending changes, chats you did not delete, models, work that
    was not brought back, or checkpoints made by hand.
    """
    import asyncio

    raise typer.Exit(asyncio.run(_prune(project, dry_run=dry_run, yes=yes, as_json=json)))


async def _prune(project: Path | None, *, dry_run: bool, yes: bool, as_json: bool) -> int:
    from mulligan.app.pruning import survey

    async with open_session_at(project) as session:
        rooms = await survey(session)
        _show(rooms, as_json=as_json)
        going = [room for room in rooms if room.items or room.frees]
        if not going:
            tell("nothing to delete")
        if dry_run or not going:
            return 0
        if not yes and not await _agreed(as_json=as_json):
            return WAITING
        for room in going:
            await room.free()
        after = {room.what: room.size for room in await survey(session)}
        freed = sum(max(0, room.size - after.get(room.what, 0)) for room in going)
    _tell_freed(going, freed, as_json=as_json)
    return 0


def _show(rooms: "Sequence[Room]", *, as_json: bool) -> None:
    from mulligan.core.byte_sizes import format_size

    print_list(
        rooms,
        as_json=as_json,
        fields=_fields,
        headings=("what", "size", "to delete", "frees", "rule"),
        row=lambda room: (
            room.what,
            format_size(room.size),
            str(room.items),
            "later, by git" if room.frees is None else format_size(room.frees),
            room.rule,
        ),
    )


def _fields(room: "Room") -> dict[str, Any]:
    named = {"what": room.what, "bytes": room.size, "may_go": room.items, "frees_bytes": room.frees}
    return {**named, "rule": room.rule}


async def _agreed(*, as_json: bool) -> bool:
    from mulligan.cli.turn_command import at_terminal

    if as_json or not at_terminal():
        tell("nothing was done: use --yes to delete it")
        return False
    from mulligan.cli.interactive.choice import choose

    try:
        return await choose("delete it?", {"y": "yes", "n": "no"}, default="n") == "y"
    except KeyboardInterrupt:
        raise typer.Exit(STOPS["aborted"].exit_code) from None


def _tell_freed(going: "Sequence[Room]", freed: int, *, as_json: bool) -> None:
    from mulligan.core.byte_sizes import format_size

    if as_json:
        print_json({"freed_bytes": freed})
        return
    typer.echo(f"{format_size(freed)} freed")
    if any(room.frees is None for room in going):
        typer.echo("git frees the rest at its next git gc")
