"""Decides whether a change still fits the current file, and merges the two."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from mulligan.core.line_diff import DiffBlock, changed_blocks, split_keeping_ends
from mulligan.types.changes import FileMode, FileState
from mulligan.types.errors import CallRejected, EditRefused
from mulligan.types.frozen import frozen
from mulligan.workspace.files.file_bytes import decode, encode

WIDE = 3
"""Lines of context with which a hunk may match anywhere in the file, as in `patch`."""

NARROW = 1
"""Lines of context for a second search: exact, and only where the surrounding lines say the hunk must be."""


@frozen
class Hunk:
    """A changed range with the unchanged lines around it."""

    old: str
    new: str
    first: int
    """Line of the old side, from 0."""
    last: int
    """Exclusive."""
    changed: int
    """The line, counted from 1, at which the change itself begins."""


@frozen
class Misfit:
    """Why a change does not fit the current file, worded as the end of a sentence."""

    why: str


@frozen
class _Splice:
    start: int
    end: int
    text: str


def put_hunks(before: str, after: str, present: str) -> str | Misfit:
    """Apply to `present` everything that changed from `before` to `after`, or nothing.

    Bytes outside the matched places stay as they are.
    """
    old, new = split_keeping_ends(before), split_keeping_ends(after)
    narrow = hunks(old, new, NARROW)
    ground = _CurrentText(old, present)
    splices: list[_Splice] = []
    for wide in hunks(old, new, WIDE):
        found = ground.place(wide, anywhere=True)
        if found is None:
            within = [each for each in narrow if wide.first <= each.first and each.last <= wide.last]
            placed = [ground.place(each, anywhere=False) for each in within]
        else:
            placed = [found]
        for each in placed:
            if each is None:
                return Misfit(f"the text around line {wide.changed} is no longer there")
            if isinstance(each, Misfit):
                return each
            splices.append(each)
    return _spliced(present, splices)


def hunks(old: Sequence[str], new: Sequence[str], context: int) -> list[Hunk]:
    """The ranges that differ, each with `context` lines around it, or more until its old text is unique."""
    blocks = changed_blocks(old, new)
    text = "".join(old)
    spans = [(max(0, each.a_start - context), min(len(old), each.a_end + context)) for each in blocks]
    reach = context
    while True:
        spans = _merged(spans)
        repeated = [_is_repeated("".join(old[first:last]), text) for first, last in spans]
        if not any(repeated):
            return [_hunk(old, new, blocks, first, last) for first, last in spans]
        # Doubled each time: a file that repeats one line would otherwise need a pass per line.
        reach *= 2
        spans = [
            (max(0, first - reach), min(len(old), last + reach)) if again else (first, last)
            for (first, last), again in zip(spans, repeated, strict=True)
        ]


class _CurrentText:
    """The current text, and where the old text's lines are in it."""

    def __init__(self, old: Sequence[str], present: str) -> None:
        self._present = present
        lines = split_keeping_ends(present)
        self._blocks = changed_blocks(old, lines)
        self._starts = list(accumulate(map(len, lines), initial=0))

    def place(self, hunk: Hunk, *, anywhere: bool) -> _Splice | Misfit | None:
        """Where the hunk goes and what it writes there; None if its old text is not found."""
        from mulligan.core.edits import apply_edit, locate_match

        match = locate_match(self._present, hunk.old)
        if match.kind == "ambiguous":
            times = "twice" if match.count == 2 else f"{match.count} times"
            return Misfit(f"the text around line {hunk.changed} is there {times}")
        if match.kind == "not_found" or not self._is_whole_lines(match.start, match.end):
            return None
        if match.kind == "exact":
            if not anywhere and not self._is_expected(hunk, match.start, match.end):
                return None
            return self._splice(hunk, match.start, match.end, hunk.new)
        # A similar match may be a sibling block, so it has to be where the hunk is expected. A literal `...` in the
        # file is not an elision.
        if not anywhere or match.match_level == "elision" or not self._is_expected(hunk, match.start, match.end):
            return None
        try:
            text = apply_edit(self._present[match.start : match.end], hunk.old, hunk.new)
        except EditRefused:
            return None
        return self._splice(hunk, match.start, match.end, text)

    def _splice(self, hunk: Hunk, start: int, end: int, text: str) -> _Splice | Misfit:
        """Refuses a hunk whose last line has no line ending if text now follows that line."""
        if end < len(self._present) and _is_ended(self._present[start:end]) != _is_ended(text):
            return Misfit(f"the file went on after line {hunk.last}, where it ended")
        return _Splice(start, end, text)

    def _is_whole_lines(self, start: int, end: int) -> bool:
        ends = self._is_line_start(end) or self._present[end] in "\r\n"
        return self._is_line_start(start) and ends

    def _is_line_start(self, place: int) -> bool:
        found = bisect_left(self._starts, place)
        return found < len(self._starts) and self._starts[found] == place

    def _is_expected(self, hunk: Hunk, start: int, end: int) -> bool:
        """Whether the match lies where the surrounding unchanged lines say the hunk is now."""
        low = _position(self._blocks, hunk.first, after=False)
        high = _position(self._blocks, hunk.last - 1, after=True)
        return self._starts[low] <= start and end <= self._starts[high]


def _position(blocks: Sequence[DiffBlock], line: int, *, after: bool) -> int:
    """Where an old line is now, or the line after it; for a changed line, the start or end of its block."""
    moved = 0
    for block in blocks:
        if block.a_start <= line < block.a_end:
            return block.b_end if after else block.b_start
        if line < block.a_start:
            break
        moved = block.b_end - block.a_end
    return line + moved + after


def _hunk(old: Sequence[str], new: Sequence[str], blocks: Sequence[DiffBlock], first: int, last: int) -> Hunk:
    within = [block for block in blocks if first <= block.a_start and block.a_end <= last]
    new_first = within[0].b_start - (within[0].a_start - first)
    new_last = within[-1].b_end + (last - within[-1].a_end)
    return Hunk(
        old="".join(old[first:last]),
        new="".join(new[new_first:new_last]),
        first=first,
        last=last,
        changed=within[0].a_start + 1,
    )


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in spans:
        if merged and first <= merged[-1][1]:
            merged[-1] = (min(first, merged[-1][0]), max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _is_repeated(part: str, text: str) -> bool:
    return len(part) < len(text) and text.find(part, text.find(part) + 1) >= 0


def _spliced(present: str, splices: Sequence[_Splice]) -> str | Misfit:
    pieces: list[str] = []
    done = 0
    for splice in splices:
        if splice.start < done:
            return Misfit("the places to change are no longer in their order")
        pieces += [present[done : splice.start], splice.text]
        done = splice.end
    return "".join([*pieces, present[done:]])


def _is_ended(text: str) -> bool:
    return text == "" or text[-1] in "\r\n"


LINK: FileMode = "120000"


@frozen
class MergedFile:
    image: FileState | None
    """The file's new content; None deletes it."""
    merged: bool = False
    """The file had changed meanwhile, and the change was merged into its current content."""


def fit_change(old: FileState | None, new: FileState | None, present: FileState | None) -> MergedFile | Misfit:
    """Apply the change from `old` to `new` to `present`. Nothing that `old` did not have is lost."""
    if present in (old, new):
        return MergedFile(new)
    if present is None:
        return Misfit("was deleted since")
    if old is None:
        return Misfit("exists by now, with another content")
    if LINK in {old.mode, present.mode, new.mode if new else None}:
        return Misfit("is a link by now, or leads elsewhere" if present.mode == LINK else "is no link any more")
    if present.data == old.data:
        return MergedFile(new and FileState(new.data, _mode(old, new, present)), merged=True)
    if new is None:
        return Misfit("changed on disk since, so it is not deleted")
    return _merge(old, new, present)


def _merge(old: FileState, new: FileState, present: FileState) -> MergedFile | Misfit:
    mode = _mode(old, new, present)
    if present.data == new.data:
        return MergedFile(FileState(new.data, mode), merged=True)
    before, after, now = decode(old), decode(new), decode(present)
    if before is None or after is None or now is None:
        return Misfit("changed on disk since, and binary files can't be merged")
    if before.bom != after.bom or before.text == after.text:
        return Misfit("changed on disk since, and its encoding was to be changed")
    text = put_hunks(before.text, after.text, now.text)
    if isinstance(text, Misfit):
        return Misfit(f"changed on disk since; {text.why}")
    try:
        return MergedFile(FileState(encode(text, now), mode), merged=True)
    except CallRejected as error:
        return Misfit(f"changed on disk since. {error}")


def _mode(old: FileState, new: FileState, present: FileState) -> FileMode:
    """The change's mode if it changes the mode, else the file's current one."""
    return present.mode if old.mode == new.mode else new.mode
