"""Contents of secret files that git does not track: kept outside the repository's objects, only for restores.

They are in no commit, so that no git command shows them. One file per content, named by the id that git would give it,
compressed so that a search through the folder does not find secrets, and readable only by its owner.
"""

import hashlib
import json
import os
import stat
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from mulligan.workspace.checkpoints.manifest import CHECKPOINTS
from mulligan.workspace.checkpoints.model import FILE, PROGRAM, Blob, CheckpointRefused, SecretFile, Snapshot
from mulligan.workspace.git import Git

GRACE_SECONDS = 3600.0
"""A newer content may belong to a checkpoint that is still being made."""


def keep_secret(repository: Git, path: Path) -> SecretFile:
    """Copy a file. Raises `OSError` if it can't be read."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(opened, "rb") as file:  # noqa: PTH123  from a descriptor
        info, data = os.fstat(opened), file.read()
    digest = hashlib.new(repository.object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    oid = digest.hexdigest()
    _write(_folder(repository), oid, data)
    return SecretFile(Blob(PROGRAM if info.st_mode & stat.S_IXUSR else FILE, oid), stat.S_IMODE(info.st_mode) & 0o777)


def read_secret(repository: Git, oid: str) -> bytes:
    """Raises `CheckpointRefused` if it no longer exists."""
    path = _folder(repository) / oid
    try:
        return zlib.decompress(path.read_bytes())
    except (OSError, zlib.error):
        raise CheckpointRefused(
            f"A secret file of this checkpoint can't be brought back: its copy, {path}, is gone or damaged."
        ) from None


def secret_sizes(repository: Git, snapshots: Iterable[Snapshot]) -> dict[str, int]:
    """The sizes of all secret contents of these snapshots, by id."""
    oids = {secret.blob.oid for snapshot in snapshots for secret in snapshot.secrets.values()}
    return {oid: len(read_secret(repository, oid)) for oid in oids}


def secrets_use(repository: Git) -> int:
    """Bytes on the disk."""
    return sum(path.stat().st_size for path in _kept(repository))


async def sweep_secrets(repository: Git) -> None:
    """Delete the contents that no checkpoint of the repository refers to."""
    kept = [path for path in _kept(repository) if time.time() - path.stat().st_mtime > GRACE_SECONDS]
    if not kept:
        return
    listed = await repository.run("for-each-ref", "--format=%(contents:body)", CHECKPOINTS)
    manifests = [json.loads(line) for line in listed.stdout.decode("ascii").splitlines() if line]
    named = {oid for each in manifests for _, oid, _ in each.get("secrets", {}).values()}
    for path in kept:
        if path.name not in named:
            path.unlink(missing_ok=True)


def _folder(repository: Git) -> Path:
    """Shared by all work trees: a checkpoint can be restored in another one."""
    return repository.common_dir / "mulligan" / "secrets"


def _kept(repository: Git) -> list[Path]:
    folder = _folder(repository)
    return list(folder.iterdir()) if folder.is_dir() else []


def _write(folder: Path, oid: str, data: bytes) -> None:
    path = folder / oid
    with suppress(FileNotFoundError):
        os.utime(path)
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = folder / f"{oid}.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    made = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(made, "wb") as file:  # noqa: PTH123  from a descriptor
        file.write(zlib.compress(data, 1))
    fresh.replace(path)
