"""Pending changes as a page shows them."""

from mulligan.core.line_diff import NumberedLine
from mulligan.server.views.bodies import ChangeDetail, ChangeOutcomeView, ChangeView, DiffLine, Hunk
from mulligan.types.changes import PendingChange
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
