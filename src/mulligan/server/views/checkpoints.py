"""Checkpoints, and what a restore would do, as a page shows them."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.secrets import mask_secrets
from mulligan.core.visible_text import on_one_line, visible
from mulligan.server.views.bodies import (
    CheckpointView,
    FileDiff,
    Kept,
    RestoreMarkView,
    RestorePreview,
    SessionView,
)
from mulligan.types.checkpoints import AgentSession, Checkpoint, RestoreMark
from mulligan.workspace.checkpoints import RestorePlan
from mulligan.workspace.checkpoints.service import head_words, place_words


def checkpoint_view(checkpoint: Checkpoint) -> CheckpointView:
    return CheckpointView(
        id=checkpoint.id,
        seq=checkpoint.seq,
        session_id=checkpoint.session_id,
        chat_id=checkpoint.chat_id,
        message_id=checkpoint.message_id,
        label=on_one_line(checkpoint.label),
        kind=checkpoint.kind,
        worktree=checkpoint.worktree_id is not None,
        created_at=checkpoint.created_at,
    )


def session_view(session: AgentSession, worktree: str | None) -> SessionView:
    return SessionView(
        id=session.id,
        chat_id=session.chat_id,
        agent=session.agent,
        status=session.status,
        worktree=worktree and on_one_line(worktree),
        created_at=session.created_at,
        updated_at=session.updated_at,
    )


def restore_mark_view(mark: RestoreMark) -> RestoreMarkView:
    restore = mark.restore
    return RestoreMarkView(
        id=restore.id,
        label=on_one_line(restore.checkpoint.label),
        undoes=mark.undoes,
        at_seq=restore.at_seq,
        messages_deleted=restore.messages_deleted,
        safety=checkpoint_view(restore.safety),
        done_at=restore.done_at,
    )


LONGEST_DIFFS = 400_000
"""Characters of all diffs of a preview. What does not fit is named without its lines."""


def restore_preview(
    checkpoint: Checkpoint, plan: RestorePlan, *, diff: str, messages: int, rejects: Sequence[str]
) -> RestorePreview:
    """`messages` would be taken out of the chat."""
    return RestorePreview(
        branches=tuple(on_one_line(sentence) for sentence in _branch_words(plan)),
        diffs=tuple(_file_diffs(plan, diff)),
        rejects=tuple(map(on_one_line, rejects)),
        checkpoint=checkpoint_view(checkpoint),
        writes=tuple(on_one_line(move.path) for move in plan.writes if move.before),
        creates=tuple(on_one_line(move.path) for move in plan.writes if not move.before),
        deletes=tuple(on_one_line(move.path) for move in plan.deletes),
        left_alone=tuple(f"{on_one_line(apart.path)}: {on_one_line(apart.reason)}" for apart in plan.left_alone),
        head_moves=plan.head_moves,
        head=on_one_line(place_words(plan.target.head)),
        set_aside=tuple(
            Kept(commit=commit.oid, subject=on_one_line(commit.subject), kept_under=on_one_line(ref.kept_under or ""))
            for ref in plan.refs
            for commit in ref.set_aside
        ),
        messages=messages,
    )


def _branch_words(plan: RestorePlan) -> Iterator[str]:
    """What moves in git besides files."""
    for move in plan.refs:
        name = "HEAD" if move.ref == "HEAD" else f"Your branch {move.ref.removeprefix('refs/heads/')}"
        count = len(move.set_aside)
        if count and move.kept_under:
            commits, stays = ("1 commit", "the commit stays") if count == 1 else (f"{count} commits", "they stay")
            yield f"{name} moves back by {commits}; {stays} reachable as {move.kept_under}."
        elif move.after is None:
            yield f"{name} has no commit again."
        else:
            yield f"{name} moves to {move.after[:10]}."
    if plan.now.head.branch != plan.target.head.branch:
        yield f"You are on {head_words(plan.target.head)} again, instead of {head_words(plan.now.head)}."
    elif plan.head_moves and not plan.refs:
        yield f"HEAD is at {place_words(plan.target.head)} again."


def _file_diffs(plan: RestorePlan, diff: str) -> Iterator[FileDiff]:
    by_path = {path: text for text in re.split(r"(?m)^(?=diff --git )", diff) for path in _paths_of(text)}
    room = LONGEST_DIFFS
    for move in (*plan.writes, *plan.deletes):
        _, at, hunks = by_path.get(move.path, "").partition("\n@@ ")
        text = visible(mask_secrets(f"@@ {hunks}")) if at else ""
        room -= len(text)
        yield FileDiff(path=on_one_line(move.path), diff=text if room >= 0 else "")


def _paths_of(text: str) -> set[str]:
    """A name that git quotes is not told: its diff is left out."""
    return set(re.findall(r"(?m)^(?:---|\+\+\+) [ab]/(.*?)\t?$", text.partition("\n@@ ")[0]))
