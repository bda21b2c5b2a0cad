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
    from mulligan.app.pruning import PrunableData


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
        found = await survey(session)
        _show(found, as_json=as_json)
        prunable = [each for each in found if each.items or each.frees]
        if not prunable:
            tell("nothing to delete")
        if dry_run or not prunable:
            return 0
        if not yes and not await _agreed(as_json=as_json):
            return WAITING
        for each in prunable:
            await each.free()
        after = {each.name: each.size for each in await survey(session)}
        freed = sum(max(0, each.size - after.get(each.name, 0)) for each in prunable)
    _tell_freed(prunable, freed, as_json=as_json)
    return 0


def _show(found: "Sequence[PrunableData]", *, as_json: bool) -> None:
    from mulligan.core.byte_sizes import format_size

    print_list(
        found,
        as_json=as_json,
        fields=_fields,
        headings=("what", "size", "to delete", "frees", "rule"),
        row=lambda each: (
            each.name,
            format_size(each.size),
            str(each.items),
            "later, by git" if each.frees is None else format_size(each.frees),
            each.rule,
        ),
    )


def _fields(each: "PrunableData") -> dict[str, Any]:
    named = {"what": each.name, "bytes": each.size, "may_go": each.items, "frees_bytes": each.frees}
    return {**named, "rule": each.rule}


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


def _tell_freed(prunable: "Sequence[PrunableData]", freed: int, *, as_json: bool) -> None:
    from mulligan.core.byte_sizes import format_size

    if as_json:
        print_json({"freed_bytes": freed})
        return
    typer.echo(f"{format_size(freed)} freed")
    if any(each.frees is None for each in prunable):
        typer.echo("git frees the rest at its next git gc")
