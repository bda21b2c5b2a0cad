"""Splits a change in two: the hunks that the user chose, and the rest. In order, they equal the whole change."""

from collections.abc import Collection

from mulligan.core.line_diff import hunk_count, with_hunks
from mulligan.types.changes import FileState, HunkAction, PendingChange
from mulligan.types.frozen import frozen
from mulligan.workspace.changes.merging import Misfit
from mulligan.workspace.files.file_bytes import decode, encode


@frozen
class SplitChange:
    """The images of the two parts. An applied part comes first and the rest builds on it; a rejected part comes last,
    so that the rest does not depend on it."""

    chosen: tuple[FileState, FileState]
    rest: tuple[FileState, FileState]


def split_change(change: PendingChange, hunks: Collection[int], action: HunkAction) -> SplitChange | Misfit | None:
    """None if all hunks are chosen: there is nothing to split. A mode change stays with the rest."""
    before, after = change.before, change.after
    old, new = (decode(image) if image else None for image in (before, after))
    if before is None or after is None or old is None or new is None:
        return Misfit("is made, deleted or no text, so it has no hunks. Apply or reject it as a whole")
    if (old.encoding, old.bom) != (new.encoding, new.bom):
        return Misfit("gets another encoding, so its hunks belong together. Apply or reject it as a whole")
    count = hunk_count(old.text, new.text)
    if not hunks or not set(hunks) <= set(range(count)):
        return Misfit(f"has {count} hunks, numbered from 0, and not all of those named")
    if len(set(hunks)) == count:
        return None
    if action == "apply":
        middle = FileState(encode(with_hunks(old.text, new.text, hunks), old), before.mode)
        return SplitChange(chosen=(before, middle), rest=(middle, after))
    others = set(range(count)) - set(hunks)
    middle = FileState(encode(with_hunks(old.text, new.text, others), old), after.mode)
    return SplitChange(chosen=(middle, after), rest=(before, middle))
