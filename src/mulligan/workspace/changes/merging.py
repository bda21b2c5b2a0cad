"""Whether a change still fits the file as it is now, and what the file is to be then."""

from dataclasses import dataclass

from mulligan.types.changes import FileImage, FileMode
from mulligan.types.errors import CallRejected
from mulligan.workspace.changes.hunks import Misfit, put_hunks
from mulligan.workspace.files.images import decode, encode

LINK: FileMode = "120000"


@dataclass(frozen=True, slots=True)
class MergedFile:
    image: FileImage | None
    """What the file is to be."""
    merged: bool = False
    """The file had changed, and the change was put onto what it is now."""


def fit_change(old: FileImage | None, new: FileImage | None, present: FileImage | None) -> MergedFile | Misfit:
    """What `present` becomes by the change from `old` to `new`. Nothing that `old` did not have is lost."""
    if present in (old, new):
        return MergedFile(new)
    if present is None:
        return Misfit("was deleted since")
    if old is None:
        return Misfit("exists by now, with another content")
    if LINK in {old.mode, present.mode, new.mode if new else None}:
        return Misfit("is a link by now, or leads elsewhere" if present.mode == LINK else "is no link any more")
    if present.data == old.data:
        return MergedFile(new and FileImage(new.data, _mode(old, new, present)), merged=True)
    if new is None:
        return Misfit("changed on disk since, so it is not deleted")
    return _merge(old, new, present)


def _merge(old: FileImage, new: FileImage, present: FileImage) -> MergedFile | Misfit:
    mode = _mode(old, new, present)
    if present.data == new.data:
        return MergedFile(FileImage(new.data, mode), merged=True)
    before, after, now = decode(old), decode(new), decode(present)
    if before is None or after is None or now is None:
        return Misfit("changed on disk since, and binary files can't be merged")
    if before.bom != after.bom or before.text == after.text:
        return Misfit("changed on disk since, and its encoding was to be changed")
    text = put_hunks(before.text, after.text, now.text)
    if isinstance(text, Misfit):
        return Misfit(f"changed on disk since; {text.why}")
    try:
        return MergedFile(FileImage(encode(text, now), mode), merged=True)
    except CallRejected as error:
        return Misfit(f"changed on disk since. {error}")


def _mode(old: FileImage, new: FileImage, present: FileImage) -> FileMode:
    """Who changed it, decides."""
    return present.mode if old.mode == new.mode else new.mode
