"""Which paths a snapshot's ignore rules cover, independent of the current work tree."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mulligan.workspace.checkpoints.area import OWN_RULE, Area, scratch
from mulligan.workspace.checkpoints.model import FILE, PROGRAM, Snapshot
from mulligan.workspace.checkpoints.objects import entries_at, read_blobs
from mulligan.workspace.checkpoints.scan import ignored, parents
from mulligan.workspace.git import Git


def same_rules(first: Snapshot, second: Snapshot, changed: Collection[str]) -> bool:
    """Whether two snapshots certainly have the same ignore rules; `changed` are the paths where their trees differ."""
    unknown = [apart.path for snapshot in (first, second) for apart in snapshot.not_covered]
    return first.rules == second.rules and not any(
        path.rpartition("/")[2] == ".gitignore" for path in (*changed, *unknown)
    )


async def ignored_then(area: Area, snapshot: Snapshot, files: Collection[str], folders: Collection[str]) -> set[str]:
    """Write the snapshot's .gitignore files that apply to these paths into an empty work tree, and ask git there."""
    if not files and not folders:
        return set()
    place = scratch(area) / "rules"
    git = _bare_git(area, snapshot, place)
    on_the_way = {folder for path in (*files, *folders) for folder in parents(path)} | set(folders)
    await _lay_out(area, snapshot, {f"{folder}/.gitignore" for folder in on_the_way} | {".gitignore"}, git.work_tree)
    for folder in folders:
        with suppress(FileExistsError, NotADirectoryError):  # in the snapshot, a file is here
            (git.work_tree / folder).mkdir(parents=True)
    return await ignored(git, (*files, *folders))


def _bare_git(area: Area, snapshot: Snapshot, place: Path) -> Git:
    files = {
        "git/HEAD": "ref: refs/heads/none\n",
        "git/info/exclude": snapshot.rules.exclude + OWN_RULE,
        "personal": snapshot.rules.personal,
    }
    for folder in ("git/refs", "git/info", "tree"):
        (place / folder).mkdir(parents=True)
    for name, text in files.items():
        (place / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    settings = (f"core.excludesFile={place / 'personal'}",)
    return replace(
        area.git, git_dir=place / "git", common_dir=place / "git", work_tree=place / "tree", settings=settings
    )


async def _lay_out(area: Area, snapshot: Snapshot, paths: Collection[str], tree: Path) -> None:
    found = await entries_at(area.git, snapshot.tree, paths)
    # Git does not read a .gitignore that is a link.
    files = {path: blob.oid for path, blob in found.items() if blob.mode in {FILE, PROGRAM}}
    contents = await read_blobs(area.git, files.values())
    for path, oid in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(contents[oid])
