"""Pending changes as a page shows them."""

from typing import Literal

from pydantic import Field

from mulligan.core.line_diff import NumberedLine
from mulligan.server.views.bodies import Given
from mulligan.server.views.body import Body
from mulligan.types.changes import ChangeKind, ChangeStatus, HunkAction, PendingChange
from mulligan.workspace.changes.change_text import (
    end_note,
    has_several_line_endings,
    line_changes,
    notes,
    numbered_hunks,
    shown_line,
    shown_path,
)
from mulligan.workspace.changes.pending import ChangeOutcome


class DiffLine(Body):
    mark: Literal[" ", "+", "-"]
    old: int | None
    """Its number before; None for a new line."""
    new: int | None
    text: str
    """Without its line ending. Characters that a screen would hide or interpret are written out."""
    hunk: int | None = None
    """The hunk, from 0, that a changed line belongs to, independent of the context."""


class Hunk(Body):
    lines: tuple[DiffLine, ...]


class ChangeView(Body):
    id: str
    path: str
    kind: ChangeKind
    status: ChangeStatus
    seq: int
    chat_id: str | None
    message_id: str | None
    added: int | None
    """Lines; None if there is no text to compare."""
    removed: int | None
    notes: tuple[str, ...]
    """What lines don't show: binary, a symbolic link, a changed mode, no newline at the end."""
    created_at: float
    updated_at: float


class ChangeDetail(Body):
    change: ChangeView
    hunks: tuple[Hunk, ...]


class ChangeIds(Given):
    ids: tuple[str, ...] | None = Field(default=None, max_length=10_000)
    """None: all that it applies to."""
    chat_id: str | None = None
    """Only those of this chat."""


class HunkChoice(Given):
    """Hunks of a pending change that the user has decided on."""

    action: HunkAction
    hunks: tuple[int, ...] = Field(min_length=1, max_length=10_000)
    seen: float
    """`updated_at` of the change as the user saw it: hunks of another version have other numbers."""


class ChangeOutcomeView(Body):
    change: ChangeView
    success: bool
    message: str


def change_detail(change: PendingChange, *, context: int) -> ChangeDetail:
    mixed = has_several_line_endings(change)
    found = numbered_hunks(change, context=context)
    hunks = tuple(Hunk(lines=tuple(_diff_line(line, mixed=mixed) for line in lines)) for lines in found)
    return ChangeDetail(change=change_view(change), hunks=hunks)


def change_view(change: PendingChange) -> ChangeView:
    added, removed = line_changes(change) or (None, None)
    ending = end_note(change)
    return ChangeView(
        id=change.id,
        path=shown_path(change),
        kind=change.kind,
        status=change.status,
        seq=change.seq,
        chat_id=change.chat_id,
        message_id=change.message_id,
        added=added,
        removed=removed,
        notes=(*notes(change), ending) if ending else tuple(notes(change)),
        created_at=change.created_at,
        updated_at=change.updated_at,
    )


def outcome_view(outcome: ChangeOutcome) -> ChangeOutcomeView:
    return ChangeOutcomeView(change=change_view(outcome.change), success=outcome.success, message=outcome.message)


def _diff_line(line: NumberedLine, *, mixed: bool) -> DiffLine:
    text = shown_line(line.text, mixed=mixed)
    return DiffLine(mark=line.mark, old=line.old, new=line.new, text=text, hunk=line.hunk)
