"""What a project as a whole is: its documents, its manifests, its folders."""

from collections import Counter
from collections.abc import Mapping, Sequence

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.retrieval.kinds import is_overview, is_worth_reading

MOST_ENTRIES = 30


def overview_files(paths: Sequence[str]) -> list[str]:
    """The top folder's README first, then its manifests."""
    found = [path for path in paths if is_overview(path)]
    return sorted(found, key=lambda path: (not path.lower().startswith("readme"), path))


def overview_excerpts(files: Mapping[str, Sequence[str]], *, budget: int, chars_per_token: float) -> list[Excerpt]:
    """The beginning of each file, as far as the budget goes; the first takes most of it."""
    room = budget * chars_per_token
    chosen: list[Excerpt] = []
    for path, lines in files.items():
        last, size = 0, 0
        while last < len(lines) and size + len(lines[last]) < room * 0.6:
            size += len(lines[last]) + 1
            last += 1
        if last:
            chosen.append(Excerpt(path, 1, last, "\n".join(lines[:last])))
            room -= size
    return chosen


def project_tree(paths: Sequence[str]) -> str:
    """The files at the top and the folders with how many files they hold, two levels deep."""
    shown: Counter[str] = Counter()
    for path in filter(is_worth_reading, paths):
        *folders, name = path.split("/")
        shown["/".join(folders[:2]) + "/" if folders else name] += 1
    lines = [f"{entry} ({_files(count)})" if entry.endswith("/") else entry for entry, count in sorted(shown.items())]
    rest = [f"… and {len(lines) - MOST_ENTRIES} more"] if len(lines) > MOST_ENTRIES else []
    return "\n".join([*lines[:MOST_ENTRIES], *rest])


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
