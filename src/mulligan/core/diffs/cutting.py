"""Cuts a unified diff to a number of characters: drops context first, keeps changed lines."""

from dataclasses import dataclass, field

NOTE_CHARS = 40
"""Characters for the note about the cut."""


@dataclass(slots=True)
class _Hunk:
    path: str
    head: str
    changed: list[str] = field(default_factory=list[str])

    @property
    def is_addition(self) -> bool:
        return not any(line.startswith("-") for line in self.changed)


def cut_diff(diff: str, char_limit: int) -> str:
    """The diff itself if it fits; else as many changed lines as fit, without context, edits before pure additions. A
    note says how many are missing."""
    if len(diff) <= char_limit:
        return diff
    shown: list[str] = []
    missing, path = 0, ""
    left = char_limit - NOTE_CHARS
    for hunk in sorted(_hunks(diff), key=lambda each: each.is_addition):
        heads = [hunk.head] if hunk.path == path else [f"+++ {hunk.path}", hunk.head]
        path = hunk.path
        fitting = 0
        left -= sum(len(line) + 1 for line in heads)
        for line in hunk.changed:
            left -= len(line) + 1
            if left < 0:
                break
            fitting += 1
        missing += len(hunk.changed) - fitting
        if fitting:
            shown += [*heads, *hunk.changed[:fitting]]
    if missing:
        shown.append(f"[… {missing} more changed lines …]")
    return "\n".join(shown)[: max(0, char_limit)]


def _hunks(diff: str) -> list[_Hunk]:
    hunks: list[_Hunk] = []
    path, within = "", False
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path, within = line.rpartition(" b/")[2], False
        elif line.startswith("@@ "):
            hunks.append(_Hunk(path, line))
            within = True
        elif within and line.startswith(("+", "-")):
            hunks[-1].changed.append(line)
    return hunks
