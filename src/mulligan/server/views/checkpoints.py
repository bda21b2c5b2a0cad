"""Checkpoints, and what a restore would do, as a page shows them."""

import re
from collections.abc import Iterator, Sequence

from pydantic import Field

from mulligan.core.secrets import mask_secrets
from mulligan.core.visible_text import visible, visible_name
from mulligan.server.views.bodies import Given, view_of
from mulligan.server.views.body import Body
from mulligan.types.checkpoints import AgentSession, Checkpoint, CheckpointKind, RestoreMark, SessionStatus
from mulligan.workspace.checkpoints import RestorePlan
from mulligan.workspace.checkpoints.service import head_words, place_words


class CheckpointView(Body):
    id: str
    seq: int
    session_id: str | None
    chat_id: str | None
    message_id: str | None
    """The assistant message of the turn that it was taken before."""
    label: str
    kind: CheckpointKind
    worktree: bool
    """It belongs to a work tree of an external agent or a run, not of the project itself."""
    created_at: float


class SessionView(Body):
    """An agent that writes, working for a chat. A restore marks it as crashed, and the next turn opens another."""

    id: str
    chat_id: str
    agent: str
    status: SessionStatus
    worktree: str | None
    """The folder where it works; None: the project itself, through pending changes."""
    created_at: float
    updated_at: float


class NewCheckpoint(Given):
    label: str = Field(default="", max_length=200)


class KeptCommit(Body):
    commit: str
    subject: str
    kept_under: str


class FileDiff(Body):
    path: str
    diff: str
    """Unified; empty for what has no text, or is too long to show."""


class RestoreMarkView(Body):
    """A restore of a chat, and how to undo it."""

    id: str
    label: str
    """Label of the restored checkpoint."""
    undoes: bool
    """Whether it undid another one."""
    at_seq: int
    """Shown before the messages from this position on."""
    messages_deleted: int
    safety: CheckpointView
    """Undo by restoring this one."""
    done_at: float


class RestorePreview(Body):
    checkpoint: CheckpointView
    writes: tuple[str, ...]
    creates: tuple[str, ...]
    deletes: tuple[str, ...]
    left_alone: tuple[str, ...]
    """Each with the reason."""
    head_moves: bool
    head: str
    """The commit that HEAD moves to, in words."""
    set_aside: tuple[KeptCommit, ...]
    branches: tuple[str, ...]
    """What happens to branches and HEAD, a sentence each. The user confirms it separately."""
    diffs: tuple[FileDiff, ...]
    """The diff from the current files to the restored ones."""
    messages: int
    """Messages that would be removed from the chat."""
    rejects: tuple[str, ...]
    """Files whose pending changes would be rejected with their messages."""


def checkpoint_view(checkpoint: Checkpoint) -> CheckpointView:
    return view_of(CheckpointView, checkpoint, worktree=checkpoint.worktree_id is not None)


def session_view(session: AgentSession, worktree: str | None) -> SessionView:
    return view_of(SessionView, session, worktree=worktree)


def restore_mark_view(mark: RestoreMark) -> RestoreMarkView:
    restore = mark.restore
    safety = checkpoint_view(restore.safety)
    return view_of(RestoreMarkView, restore, label=restore.checkpoint.label, undoes=mark.undoes, safety=safety)


MAX_DIFFS_CHARS = 400_000
"""Most characters of all diffs of a preview. Diffs that don't fit are only named."""


def restore_preview(
    checkpoint: Checkpoint, plan: RestorePlan, *, diff: str, messages: int, rejects: Sequence[str]
) -> RestorePreview:
    """`messages` would be removed from the chat."""
    return RestorePreview(
        branches=tuple(visible_name(sentence) for sentence in _branch_words(plan)),
        diffs=tuple(_file_diffs(plan, diff)),
        rejects=tuple(map(visible_name, rejects)),
        checkpoint=checkpoint_view(checkpoint),
        writes=tuple(visible_name(move.path) for move in plan.writes if move.before),
        creates=tuple(visible_name(move.path) for move in plan.writes if not move.before),
        deletes=tuple(visible_name(move.path) for move in plan.deletes),
        left_alone=tuple(f"{visible_name(apart.path)}: {visible_name(apart.reason)}" for apart in plan.left_alone),
        head_moves=plan.head_moves,
        head=visible_name(place_words(plan.target.head)),
        set_aside=tuple(
            KeptCommit(
                commit=commit.oid, subject=visible_name(commit.subject), kept_under=visible_name(ref.kept_under or "")
            )
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
    chars_left = MAX_DIFFS_CHARS
    for move in (*plan.writes, *plan.deletes):
        _, at, hunks = by_path.get(move.path, "").partition("\n@@ ")
        text = visible(mask_secrets(f"@@ {hunks}")) if at else ""
        chars_left -= len(text)
        yield FileDiff(path=visible_name(move.path), diff=text if chars_left >= 0 else "")


def _paths_of(text: str) -> set[str]:
    """A name that git quotes is skipped, and its diff is left out."""
    return set(re.findall(r"(?m)^(?:---|\+\+\+) [ab]/(.*?)\t?$", text.partition("\n@@ ")[0]))
