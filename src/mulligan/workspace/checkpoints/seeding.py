"""The first private index of a work tree: a copy of the user's index, where it describes the files' raw bytes."""

import os
from collections.abc import Sequence
from dataclasses import replace

from mulligan.workspace.checkpoints.area import Area
from mulligan.workspace.checkpoints.index_file import Entry, compose, entries
from mulligan.workspace.checkpoints.model import GITLINK
from mulligan.workspace.checkpoints.user_index import copy_index
from mulligan.workspace.git import nul_list

CONVERTING = ("filter", "working-tree-encoding")


async def seed_index(area: Area) -> None:
    """Copy the status of unchanged files, so that they need not be read.

    Left out, and so read once, are files that git stores converted, and entries with flags: a flag would hide changes.
    """
    copy = await copy_index(area, "seed")
    times = copy.stat()
    plain = [entry for entry in entries(copy.read_bytes(), area.oid_bytes) if not entry.flagged]
    converted = await _converted(area, plain)
    kept = [entry for entry in plain if entry.path not in converted]
    copy.write_bytes(compose(kept, area.oid_bytes))
    os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))
    copy.replace(area.index)


async def _converted(area: Area, plain: Sequence[Entry]) -> set[bytes]:
    """Paths that git stores converted. Line endings and keywords only shrink on their way into git, so equal size
    means equal content. Filters and encodings may do anything: files with one are not trusted."""
    files = [entry for entry in plain if f"{entry.mode:o}" != GITLINK]
    user_git = replace(area.repository, user_config=True)
    paths = nul_list(os.fsdecode(entry.path) for entry in files)
    attributes = (await user_git.run("check-attr", "-z", "--stdin", *CONVERTING, stdin=paths)).fields
    by_attribute = {
        os.fsencode(path)
        for path, value in zip(attributes[::3], attributes[2::3], strict=True)
        if value not in {"unspecified", "unset"}
    }
    oids = "".join(f"{entry.oid}\n" for entry in files).encode()
    # Asked through our own git folder, which has no remote, so that nothing is fetched.
    sizes = (await area.git.run("cat-file", "--batch-check=%(objectsize)", stdin=oids)).text.splitlines()
    by_size = {entry.path for entry, size in zip(files, sizes, strict=True) if size != str(entry.size)}
    return by_attribute | by_size
