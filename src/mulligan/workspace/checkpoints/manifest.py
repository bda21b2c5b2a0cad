"""Stores a snapshot as text in its commit and reads it back: the ref alone is enough to restore it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mulligan.workspace.checkpoints.model import (
    Blob,
    CheckpointRefused,
    Head,
    IgnoreRules,
    IndexRecord,
    SecretFile,
    SkippedPath,
    Snapshot,
)
from mulligan.workspace.git import Git, open_repository

CHECKPOINTS = "refs/mulligan/checkpoints/"
KEPT = "refs/mulligan/kept/"
FORMAT = 1
SUBJECT = "mulligan checkpoint"

ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


async def read_snapshot(root: Path, checkpoint_id: str) -> Snapshot:
    """Raises `CheckpointRefused` if there is none with this id."""
    repository = await open_repository(root)
    return await snapshot_at(repository, checkpoint_ref(checkpoint_id), checkpoint_id)


async def snapshot_at(git: Git, name: str, checkpoint_id: str | None) -> Snapshot:
    answer = (await git.run("cat-file", "--batch", stdin=f"{name}\n".encode())).stdout
    first, _, rest = answer.partition(b"\n")
    if first.endswith(b" missing"):
        raise CheckpointRefused(f"There is no checkpoint {checkpoint_id} in {git.work_tree}.")
    headers, _, message = rest.decode("ascii").partition("\n\n")
    tree = headers.partition("\n")[0].removeprefix("tree ")
    return _parsed(checkpoint_id, first.split()[0].decode(), tree, json.loads(message.partition("\n\n")[2]))


def checkpoint_ref(checkpoint_id: str) -> str:
    return CHECKPOINTS + valid_id(checkpoint_id)


def valid_id(text: str) -> str:
    if not ID.fullmatch(text) or ".." in text or text.endswith((".", ".lock")):
        raise CheckpointRefused(f"{text!r} can't be the id of a checkpoint.")
    return text


def manifest_text(snapshot: Snapshot) -> str:
    """ASCII, even if a path contains other bytes."""
    content = {
        "format": FORMAT,
        "label": snapshot.label,
        "created_at": snapshot.created_at,
        "head": [snapshot.head.branch, snapshot.head.commit],
        "branches": dict(snapshot.branches),
        "index": [snapshot.index.commit, snapshot.index.tree, snapshot.index.flagged],
        "rules": [snapshot.rules.exclude, snapshot.rules.personal],
        "merge_files": dict(snapshot.merge_files),
        "operation": snapshot.operation,
        "folders": snapshot.folders,
        "forced": snapshot.forced,
        "not_covered": [[apart.path, apart.reason] for apart in snapshot.not_covered],
        "secrets": {
            path: [secret.blob.mode, secret.blob.oid, secret.permissions] for path, secret in snapshot.secrets.items()
        },
    }
    return f"{SUBJECT}\n\n{json.dumps(content)}\n"


def _parsed(checkpoint_id: str | None, commit: str, tree: str, content: Mapping[str, Any]) -> Snapshot:
    if content["format"] != FORMAT:
        raise CheckpointRefused("This checkpoint was made by a newer Mulligan.")
    return Snapshot(
        id=checkpoint_id,
        commit=commit,
        tree=tree,
        label=content["label"],
        created_at=content["created_at"],
        head=Head(*content["head"]),
        branches=content["branches"],
        index=IndexRecord(*content["index"]),
        rules=IgnoreRules(*content["rules"]),
        merge_files=content["merge_files"],
        operation=content["operation"],
        folders=tuple(content["folders"]),
        forced=tuple(content["forced"]),
        not_covered=tuple(SkippedPath(*apart) for apart in content["not_covered"]),
        secrets={
            path: SecretFile(Blob(mode, oid), permissions)
            for path, (mode, oid, permissions) in content.get("secrets", {}).items()
        },
    )
