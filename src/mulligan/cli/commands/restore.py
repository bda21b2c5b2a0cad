"""`mulligan restore`: back to a checkpoint, files and chat together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mulligan.app.project_checkpoints import before_last_restore, checkpoints_around, find_checkpoint
from mulligan.cli.completion import complete_checkpoints
from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.session import open_session_at
from mulligan.cli.turn_command import at_terminal
from mulligan.cli.views.printing import print_json, tell
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import STOPS, WAITING

if TYPE_CHECKING:
    from mulligan.types.checkpoints import Checkpoint
    from mulligan.workspace.checkpoints import RestorePlan
    from mulligan.workspace.checkpoints.service import Checkpoints

MAX_FILES = 40


def restore(
    checkpoint: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="The checkpoint's id, or the start of it; `mulligan checkpoints` lists them.",
            autocompletion=complete_checkpoints,
        ),
    ] = None,
    *,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Restore without asking.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Return to the state before the last restore.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Restore files and chat to a checkpoint.

    Restores files, index and HEAD of the work tree, and trims the chat to that moment. The checkpoint may belong to the
    project, or to a work tree where another agent works on it. Shows what would change and asks first. The current
    state is saved as a checkpoint, so --undo brings it back. Ignored files are not touched. Commits made since are kept
    under a ref, which is named.
    """
    import asyncio

    if bool(checkpoint) == undo:
        raise ConfigurationError(
            "name a checkpoint (`mulligan checkpoints list` shows the ids) or use --undo"
            if not undo
            else "--undo takes no id: it returns to the state before the last restore"
        )
    raise typer.Exit(asyncio.run(_restore(project, checkpoint, preview=preview, yes=yes, as_json=json)))


async def _restore(project: Path | None, prefix: str | None, *, preview: bool, yes: bool, as_json: bool) -> int:
    async with open_session_at(project) as session:
        target = await (find_checkpoint(session, prefix) if prefix else before_last_restore(session))
        checkpoints = await checkpoints_around(session, target)
        if preview or not yes:
            plan = await checkpoints.preview(target)
            if as_json:
                print_json(_plan_fields(plan, target))
            else:
                print_plan(plan, target)
            if preview:
                return 0
            if not await _agreed(as_json=as_json):
                return WAITING
        return await _carry_out(checkpoints, target, as_json=as_json)


async def _carry_out(checkpoints: "Checkpoints", target: "Checkpoint", *, as_json: bool) -> int:
    from mulligan.workspace.checkpoints.service import result_words

    result = await checkpoints.restore(target, tell=tell)
    if as_json:
        print_json(result.model_dump())
        return 0
    typer.echo(result_words(result))
    typer.echo("mulligan restore --undo undoes this")
    return 0


async def _agreed(*, as_json: bool) -> bool:
    if as_json or not at_terminal():
        tell("nothing was done: use --yes to restore")
        return False
    from mulligan.cli.interactive.choice import choose

    try:
        return await choose("restore?", {"y": "yes", "n": "no"}, default="n") == "y"
    except KeyboardInterrupt:
        raise typer.Exit(STOPS["aborted"].exit_code) from None


def print_plan(plan: "RestorePlan", target: "Checkpoint") -> None:
    from mulligan.cli.text.safe_text import one_line
    from mulligan.core.visible_text import visible_name
    from mulligan.workspace.checkpoints.service import place_words

    lines = [f"restore to {target.id}" + (f" ({one_line(target.label, 60)})" if target.label else "") + ":"]
    moves = [(("write " if move.before else "create"), move.path) for move in plan.writes]
    moves += [("delete", move.path) for move in plan.deletes]
    lines += [f"  {what} {visible_name(path)}" for what, path in moves[:MAX_FILES]]
    if len(moves) > MAX_FILES:
        lines.append(f"  … and {len(moves) - MAX_FILES} more files")
    if not moves:
        lines.append("  no file would change")
    lines += [f"  leave alone {visible_name(each.path)}: {each.reason}" for each in plan.left_alone[:MAX_FILES]]
    if plan.head_moves:
        lines.append(f"  HEAD goes to {place_words(plan.target.head)}")
    for ref in plan.refs:
        for commit in ref.set_aside:
            lines.append(f"  set aside {commit.oid[:10]} {one_line(commit.subject, 80)}, kept under {ref.kept_under}")
    if plan.index_changes:
        lines.append("  the index is restored too")
    if target.message_id:
        lines.append(f"  chat {target.chat_id} is trimmed from that turn on")
    for line in lines:
        typer.echo(line)


def _plan_fields(plan: "RestorePlan", target: "Checkpoint") -> dict[str, Any]:
    return {
        "checkpoint_id": target.id,
        "chat_id": target.chat_id,
        "writes": [move.path for move in plan.writes],
        "deletes": [move.path for move in plan.deletes],
        "left_alone": [{"path": each.path, "reason": each.reason} for each in plan.left_alone],
        "head": {"moves": plan.head_moves, "branch": plan.target.head.branch, "commit": plan.target.head.commit},
        "index_changes": plan.index_changes,
        "set_aside": [
            {"commit": commit.oid, "subject": commit.subject, "ref": ref.ref, "kept_under": ref.kept_under}
            for ref in plan.refs
            for commit in ref.set_aside
        ],
    }
