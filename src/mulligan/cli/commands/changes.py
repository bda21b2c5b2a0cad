"""`mulligan changes`: what agents want to do to files, and the person's yes or no."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mulligan.cli.completion import complete_applied, complete_chats, complete_pending
from mulligan.cli.listing_group import listing_group
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.session import open_session_at
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list
from mulligan.types.changes import ChangeStatus, PendingChange
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import UNFINISHED

if TYPE_CHECKING:
    from mulligan.app.session import Session
    from mulligan.workspace.changes.pending import ChangeOutcome
    from mulligan.workspace.worktrees import BroughtBack

Action = Literal["apply", "reject", "rewind"]

PendingArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID",
        help="Ids, or their beginnings. Left out: all that are pending.",
        autocompletion=complete_pending,
    ),
]

changes = listing_group(
    """Look at what agents want to change, and say yes or no.

    Without a command, the changes that wait for you are listed. Nothing is written before you apply it.
    """
)


@changes.command("list", epilog=help_epilogs.CHANGES_LIST)
def list_changes(
    *,
    project: ProjectOption = None,
    every: Annotated[bool, typer.Option("--all", help="Those applied, rejected and reverted too.")] = False,
    chat: Annotated[
        str | None,
        typer.Option("--chat", metavar="ID", help="Only those made in this chat.", autocompletion=complete_chats),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List pending changes, in the order they will be applied."""
    import asyncio

    found = asyncio.run(_listed(project, every=every, chat=chat))
    none = "no changes yet" if every else _NOTHING["pending"]
    _print_listed(found, as_json=json, statuses=every, none=none)


@changes.command(epilog=help_epilogs.CHANGES_SHOW)
def show(ids: PendingArgument = None, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Print what changes do to their files, as diffs.

    Characters that a terminal would obey or hide are written out: ^M is a
    carriage return. With --json the diff is exact.
    """
    import asyncio

    from mulligan.cli.views.diffs import show_diff
    from mulligan.workspace.changes.change_text import exact_diff, notes, summary

    found = asyncio.run(_picked(project, ids))
    if not found and not ids:
        typer.echo(_NOTHING["pending"], err=True)
    for place, change in enumerate(found):
        if json:
            print_json({**_fields(change), "notes": notes(change), "diff": exact_diff(change)})
            continue
        if place:
            typer.echo()
        show_diff(change, heading=f"{change.id} · {_status_words(change)} · {summary(change)}")


@changes.command("apply", epilog=help_epilogs.CHANGES_APPLY)
def apply_changes(ids: PendingArgument = None, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Write pending changes into their files.

    A file that was edited meanwhile keeps what was done to it, if the place of the change is still certain. If it is
    not, the file is left alone and the change stays pending.
    """
    _carry_out("apply", ids, project, as_json=json)


@changes.command(epilog=help_epilogs.CHANGES_REJECT)
def reject(ids: PendingArgument = None, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Say no to pending changes. Files are not touched."""
    _carry_out("reject", ids, project, as_json=json)


@changes.command(epilog=help_epilogs.CHANGES_REWIND)
def rewind(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID",
            help="Ids, or their beginnings; `mulligan changes list --all` has them.",
            autocompletion=complete_applied,
        ),
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All that were applied, the newest first.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Take applied changes back out of their files.

    What was done to a file since stays. Where that makes the place of a change uncertain, the file is left alone and
    the change stays applied.
    """
    if ids and every:
        raise ConfigurationError("name the changes to rewind or say --all, not both")
    if not ids and not every:
        raise ConfigurationError(
            "no change was named: `mulligan changes list --all` has the ids, and rewind --all takes back all of them"
        )
    _carry_out("rewind", ids, project, as_json=json)


@changes.command("import", epilog=help_epilogs.CHANGES_IMPORT)
def import_changes(
    worktree: Annotated[
        str | None,
        typer.Argument(
            metavar="ID or PATH",
            help="Which work tree; `mulligan worktrees list` lists them. Left out: the only one.",
        ),
    ] = None,
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Take over what was done in a work tree, as pending changes.

    Commits made there are covered. A PATH may be any work tree of the repository, and counts from where it parted
    from the project. What was imported before is not staged again. What can't be staged is named, and stays where it
    is.
    """
    import asyncio

    from mulligan.cli.text.safe_text import one_line

    brought = asyncio.run(_brought_back(project, worktree))
    _print_listed(brought.changes, as_json=json, statuses=False, none="nothing new to import")
    if brought.left_behind:
        typer.echo(one_line(f"left there, as no work: {', '.join(brought.left_behind)}", 1000), err=True)
    for each in brought.skipped:
        typer.echo(one_line(f"not imported: {each.path}: {each.reason}", 1000), err=True)
    if brought.skipped:
        raise typer.Exit(UNFINISHED)


def _carry_out(action: Action, ids: list[str] | None, project: Path | None, *, as_json: bool) -> None:
    """Do it to those named, or to all that it can be done to; say how each came out."""
    import asyncio

    outcomes = asyncio.run(_outcomes(action, ids, project))
    if not outcomes:
        typer.echo(_NOTHING[_FROM[action]], err=True)
    for outcome in outcomes:
        if as_json:
            change = outcome.change
            said = {"id": change.id, "path": change.path, "success": outcome.success, "message": outcome.message}
            print_json({**said, "status": change.status})
        else:
            _print_outcome(outcome)
    if not all(outcome.success for outcome in outcomes):
        raise typer.Exit(UNFINISHED)


_FROM: dict[Action, ChangeStatus] = {"apply": "pending", "reject": "pending", "rewind": "applied"}

_NOTHING: dict[ChangeStatus, str] = {"pending": "nothing is pending", "applied": "nothing is applied"}


def _print_outcome(outcome: "ChangeOutcome") -> None:
    from mulligan.cli.text.safe_text import one_line

    typer.echo(f"{'✓' if outcome.success else '✗'} {outcome.change.id} {one_line(outcome.message, 1000)}")


def _print_listed(found: Sequence[PendingChange], *, as_json: bool, statuses: bool, none: str) -> None:
    from mulligan.cli.text.sentences import format_time
    from mulligan.workspace.changes.change_text import summary

    print_list(
        found,
        as_json=as_json,
        fields=_fields,
        headings=("id", "change", *(("status",) if statuses else ()), "made", "chat"),
        row=lambda change: (
            change.id,
            summary(change),
            *((_status_words(change),) if statuses else ()),
            format_time(change.created_at),
            change.chat_id or "",
        ),
        none=none,
    )


def _status_words(change: PendingChange) -> str:
    return f"{change.status}, being written" if change.under_way else change.status


def _fields(change: PendingChange) -> dict[str, Any]:
    from mulligan.workspace.changes.change_text import line_changes

    added, removed = line_changes(change) or (None, None)
    return {
        "id": change.id,
        "path": change.path,
        "kind": change.kind,
        "status": change.status,
        "added": added,
        "removed": removed,
        "seq": change.seq,
        "chat_id": change.chat_id,
        "message_id": change.message_id,
        "created_at": change.created_at,
        "updated_at": change.updated_at,
        "under_way": change.under_way.action if change.under_way else None,
    }


async def _listed(project: Path | None, *, every: bool, chat: str | None) -> list[PendingChange]:
    async with open_session_at(project) as session:
        chat_id = (await session.store.chats.find(chat)).id if chat is not None else None
        statuses: tuple[ChangeStatus, ...] = () if every else ("pending",)
        return await session.store.changes.list(str(session.settings.project), statuses=statuses, chat_id=chat_id)


async def _picked(project: Path | None, ids: list[str] | None) -> list[PendingChange]:
    async with open_session_at(project) as session:
        return await _named(session, ids, "pending")


async def _outcomes(action: Action, ids: list[str] | None, project: Path | None) -> "list[ChangeOutcome]":
    async with open_session_at(project) as session:
        pending = session.pending(session.settings.project)
        work = {"apply": pending.apply, "reject": pending.reject, "rewind": pending.rewind}[action]
        return await work(await _named(session, ids, _FROM[action]))


async def _brought_back(project: Path | None, worktree: str | None) -> "BroughtBack":
    from mulligan.workspace.worktrees import bring_back

    async with open_session_at(project) as session:
        tree = await session.worktrees().find(worktree)
        return await bring_back(tree, session.store.changes, project=str(session.settings.project))


async def _named(session: "Session", ids: list[str] | None, status: ChangeStatus) -> list[PendingChange]:
    """The changes of these ids, each once; without ids, all of that status."""
    project = str(session.settings.project)
    if not ids:
        return await session.store.changes.list(project, statuses=[status])
    found = [await session.store.changes.find(project, prefix) for prefix in ids]
    return list({change.id: change for change in found}.values())
