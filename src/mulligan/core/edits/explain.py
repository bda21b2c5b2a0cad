"""The explanation of a refused edit: where similar text is, and what to send instead."""

from collections.abc import Sequence

from mulligan.core.edits.lines import LinedText, without_ending
from mulligan.core.edits.matches import Aligned, Lines, Several, TextSpan, lines_of
from mulligan.core.edits.parts import nearest_lines
from mulligan.core.edits.windows import nearest_windows
from mulligan.types.edits import EditRegion, EditReport, RefusalReason
from mulligan.types.errors import EditRefused

_PLACES = 3
_LINES_SHOWN = 12
_WIDTH = 160
_ALIKE_FROM = 0.3
_NOTED = 5
_GO_ON = "Nothing needs to be sent; continue with the next step."


def ambiguous_refusal(text: LinedText, several: Several) -> EditRefused:
    regions = tuple(_region(text, lines, 1.0) for lines in several.places)
    named = " and ".join(_named(region) for region in regions)
    more = f" and {several.count - len(regions)} more" if several.count > len(regions) else ""
    advice = "Send the old text with enough lines around it to occur only once, or set replace_all."
    return _refused("ambiguous", f"The old text occurs in {several.count} places: {named}{more}.", regions, advice)


def unknown_refusal(text: LinedText, needle: LinedText) -> EditRefused:
    regions = tuple(
        _region(text, window.lines, window.similarity)
        for window in sorted(nearest_windows(text, needle), key=lambda window: -window.similarity)[:_PLACES]
        if window.similarity >= _ALIKE_FROM
    ) or tuple(_region(text, (line, line + 1), alike) for line, alike in nearest_lines(text, needle)[:1])
    if not regions:
        advice = "Read the file again and copy the old text from it, without line numbers."
        return _refused("not_found", "The old text is not in the file, and nothing there is like it.", (), advice)
    advice = "Copy the lines as the file has them, shown above without their numbers, and send the edit again."
    return _refused("not_found", "The old text is not in the file. Nearest to it:", regions, advice, shown=True)


def applied_refusal(text: LinedText, lines: Lines) -> EditRefused:
    regions = (_region(text, lines, 1.0),)
    message = f"This edit is already applied: the new text is in {_named(regions[0])}."
    return _refused("already_applied", message, regions, _GO_ON)


def applied_earlier_refusal() -> EditRefused:
    message = "This edit is already applied: it was made earlier in this chat."
    return _refused("already_applied", message, (), _GO_ON)


def unsafe_refusal(text: LinedText, lines: Lines, why: str) -> EditRefused:
    regions = (_region(text, lines, 1.0),)
    advice = "Copy these lines unchanged into the old text, and write the new text in full, in the same form."
    message = f"The old text was found ({_named(regions[0])}), but the new text can't be merged: {why}."
    return _refused("unsafe", message, regions, advice, shown=True)


def plain_refusal(reason: RefusalReason, message: str, advice: str) -> EditRefused:
    return _refused(reason, message, (), advice)


def placed_notes(text: LinedText, found: TextSpan | Aligned) -> tuple[str, ...]:
    """Where the old text differs from the file, beyond white space and typography."""
    overlooked = found.overlooked
    if overlooked is None:
        return ()
    read = [_read_as(mine, theirs) for mine, theirs in overlooked.typos]
    read += [f"`{_cut(line)}` is not in the file" for line in overlooked.invented]
    if not read:
        return ()
    more = f" and {len(read) - _NOTED} more" if len(read) > _NOTED else ""
    place = _named(_region(text, lines_of(text, found), overlooked.similarity))
    return (f"Placed at {place}, {overlooked.similarity:.0%} alike: {', '.join(read[:_NOTED])}{more}.",)


def _read_as(mine: str, theirs: str) -> str:
    if mine and theirs:
        return f"`{mine}` read as `{theirs}`"
    return f"`{mine}` ignored" if mine else f"`{theirs}` added"


def numbered_refusal(refused: EditRefused, number: int, count: int) -> EditRefused:
    """The refusal of one edit among several, with its number."""
    return EditRefused(f"Edit {number} of {count}, and so none of them, was made. {refused}", refused.report)


def _refused(
    reason: RefusalReason, message: str, regions: Sequence[EditRegion], advice: str, *, shown: bool = False
) -> EditRefused:
    parts = [message]
    if shown:
        parts += [_shown(region) for region in regions]
    return EditRefused("\n".join([*parts, advice]), EditReport(reason, tuple(regions), advice))


def _region(text: LinedText, lines: Lines, similarity: float) -> EditRegion:
    shown = [_cut(without_ending(line)) for line in text.lines[lines[0] : lines[1]]]
    if len(shown) > _LINES_SHOWN:
        half = _LINES_SHOWN // 2
        shown = [*shown[:half], f"[{len(shown) - 2 * half} more lines]", *shown[-half:]]
    return EditRegion(lines[0] + 1, max(lines[1], lines[0] + 1), similarity, "\n".join(shown))


def _named(region: EditRegion) -> str:
    return f"line {region.first}" if region.first == region.last else f"lines {region.first}-{region.last}"


def _shown(region: EditRegion) -> str:
    lines = region.text.split("\n")
    whole = len(lines) == region.last - region.first + 1
    numbered = [f"{region.first + index}: {line}" for index, line in enumerate(lines)] if whole else lines
    return "\n".join([f"{_named(region)}, {region.similarity:.0%} alike:".capitalize(), *numbered])


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}… [{len(line) - _WIDTH} more characters]"
