"""`mulligan changes`: review, apply and reject what agents want to change."""

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
    from mulligan.workspace.worktrees import ImportedWork

Action = Literal["apply", "reject", "revert"]

PendingArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...",
        help="Ids, or the start of them. By default, all pending changes.",
        autocompletion=complete_pending,
    ),
]

changes = listing_group(
    """Review, apply or reject what agents want to change.

    Without a command, lists pending changes. Nothing is written until you apply it.
    """
)


@changes.command("list", epilog=help_epilogs.CHANGES_LIST)
def list_changes(
    *,
    project: ProjectOption = None,
    every: Annotated[bool, typer.Option("--all", help="Include applied, rejected and reverted changes.")] = False,
    chat: Annotated[
        str | None,
        typer.Option("--chat", metavar="ID", help="Only changes made in this chat.", autocompletion=complete_chats),
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
    """Show changes as diffs.

    Characters that a terminal would interpret or hide are written out: ^M is a
    carriage return. With --json the diff is exact.
    """
    import asyncio

    from mulligan.cli.views.diffs import show_diff
    from mulligan.workspace.changes.change_text import exact_diff, notes, summary

    found = asyncio.run(_picked(project, ids))
    if not found and not ids:
        typer.echo(_NOTHING["pending"], err=True)
    for index, change in enumerate(found):
        if json:
            print_json({**_fields(change), "notes": notes(change), "diff": exact_diff(change)})
            continue
        if index:
            typer.echo()
        show_diff(change, heading=f"{change.id} · {_status_words(change)} · {summary(change)}")


@changes.command("apply", epilog=help_epilogs.CHANGES_APPLY)
def apply_changes(ids: PendingArgument = None, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Write pending changes to their files.

    If you edited a file in the meantime, your edits stay and the change is still applied if its place is certain. If
    not, the file stays untouched and the change stays pending.
    """
    _carry_out("apply", ids, project, as_json=json)


@changes.command(epilog=help_epilogs.CHANGES_REJECT)
def reject(ids: PendingArgument = None, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Reject pending changes. Doesn't touch files."""
    _carry_out("reject", ids, project, as_json=json)


@changes.command("rewind", hidden=True)  # its name in earlier versions, for scripts
@changes.command(epilog=help_epilogs.CHANGES_REVERT)
def revert(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Ids, or the start of them; `mulligan changes list --all` shows them.",
            autocompletion=complete_applied,
        ),
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Revert all applied changes, newest first.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Revert applied changes.

    Later edits to a file stay. If they make the position of a change uncertain, the file stays untouched and the change
    stays applied.
    """
    if ids and every:
        raise ConfigurationError("name the changes to revert or say --all, not both")
    if not ids and not every:
        raise ConfigurationError(
            "no change was named: `mulligan changes list --all` shows the ids, and `revert --all` reverts all of them"
        )
    _carry_out("revert", ids, project, as_json=json)


@changes.command("import", epilog=help_epilogs.CHANGES_IMPORT)
def import_changes(
    worktree: Annotated[
        str | None,
        typer.Argument(
            metavar="ID or PATH",
            help="The work tree; `mulligan worktrees list` lists them. By default, the only one.",
        ),
    ] = None,
    *,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Import the work done in a work tree as pending changes.

    Includes commits made there. PATH can be any work tree of the repository; its changes count from where it branched
    off the project. Work that was imported before is not imported again. What can't be imported is named, and stays
    where it is.
    """
    import asyncio

    from mulligan.cli.text.safe_text import one_line

    imported = asyncio.run(_imported_work(project, worktree))
    _print_listed(imported.changes, as_json=json, statuses=False, none="nothing new to import")
    if imported.byproducts:
        typer.echo(one_line(f"left in the work tree, as byproducts: {', '.join(imported.byproducts)}", 1000), err=True)
    for each in imported.skipped:
        typer.echo(one_line(f"not imported: {each.path}: {each.reason}", 1000), err=True)
    if imported.skipped:
        raise typer.Exit(UNFINISHED)


def _carry_out(action: Action, ids: list[str] | None, project: Path | None, *, as_json: bool) -> None:
    """Apply the action to the named changes, or to all it applies to, and report each outcome."""
    import asyncio

    outcomes = asyncio.run(_outcomes(action, ids, project))
    if not outcomes:
        typer.echo(_NOTHING[_FROM[action]], err=True)
    for outcome in outcomes:
        if as_json:
            change = outcome.change
            fields = {"id": change.id, "path": change.path, "success": outcome.success, "message": outcome.message}
            print_json({**fields, "status": change.status})
        else:
            _print_outcome(outcome)
    if not all(outcome.success for outcome in outcomes):
        raise typer.Exit(UNFINISHED)


_FROM: dict[Action, ChangeStatus] = {"apply": "pending", "reject": "pending", "revert": "applied"}

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
        work = {"apply": pending.apply, "reject": pending.reject, "revert": pending.revert}[action]
        return await work(await _named(session, ids, _FROM[action]))


async def _imported_work(project: Path | None, worktree: str | None) -> "ImportedWork":
    from mulligan.workspace.worktrees import import_work

    async with open_session_at(project) as session:
        tree = await session.worktrees().find(worktree)
        return await import_work(tree, session.store.changes, project=str(session.settings.project))


async def _named(session: "Session", ids: list[str] | None, status: ChangeStatus) -> list[PendingChange]:
    """The changes with these ids, each once; without ids, all with that status."""
    project = str(session.settings.project)
    if not ids:
        return await session.store.changes.list(project, statuses=[status])
    found = [await session.store.changes.find(project, prefix) for prefix in ids]
    return list({change.id: change for change in found}.values())
