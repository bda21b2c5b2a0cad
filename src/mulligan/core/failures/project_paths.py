"""Maps the paths that an output prints to the project's files."""

from collections.abc import Collection


def in_project(path: str, paths: Collection[str], *, near: str = "") -> str | None:
    """The project's path for one that is absolute, relative to another folder, or only a name; None if it is not in the
    project. Of several files with this ending, the one whose folder `near` ends in, or is nearest to."""
    parts = path.replace("\\", "/").removeprefix("file://").removeprefix("./").strip("/").split("/")
    for start in range(len(parts)):
        if (shorter := "/".join(parts[start:])) in paths:
            return shorter
    ending = f"/{'/'.join(parts)}"
    found = [each for each in paths if each.endswith(ending)]
    return min(found, key=lambda each: (not _is_at(each, near), -_shared(each, near), each), default=None)


def _is_at(path: str, near: str) -> bool:
    return f"/{near}".endswith(f"/{path.rpartition('/')[0]}")


def _shared(path: str, near: str) -> int:
    shared = 0
    for one, other in zip(path.split("/"), near.split("/"), strict=False):
        if one != other:
            break
        shared += 1
    return shared
