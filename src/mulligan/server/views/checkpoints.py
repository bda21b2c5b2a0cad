"""Checkpoints, and what a restore would do, as a page shows them."""

from mulligan.core.visible_text import on_one_line
from mulligan.server.views.bodies import CheckpointView, Kept, RestorePreview, SessionView
from mulligan.types.checkpoints import AgentSession, Checkpoint
from mulligan.workspace.checkpoints import RestorePlan
from mulligan.workspace.checkpoints.service import place_words


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


def restore_preview(checkpoint: Checkpoint, plan: RestorePlan, *, messages: int) -> RestorePreview:
    """`messages` would be taken out of the chat."""
    return RestorePreview(
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
