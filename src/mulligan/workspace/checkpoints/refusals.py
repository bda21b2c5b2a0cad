"""Translates errors of git and the operating system into messages for the user."""

import errno
from collections.abc import Generator
from contextlib import contextmanager

from mulligan.workspace.checkpoints.model import CheckpointRefused
from mulligan.workspace.git import GitError

WORDS = {
    "No space left on device": "there is no space left on the disk",
    "Disk quota exceeded": "your disk quota is used up",
    "Read-only file system": "the repository is on a file system that can only be read",
    "insufficient permission": "you have no permission to write to the repository",
    "Permission denied": "you have no permission to write to the repository",
}

CODES = {
    errno.ENOSPC: "No space left on device",
    errno.EDQUOT: "Disk quota exceeded",
    errno.EROFS: "Read-only file system",
    errno.EACCES: "Permission denied",
    errno.EPERM: "Permission denied",
}


@contextmanager
def translate_os_errors(what: str) -> Generator[None]:
    """Turn an operating system error into a refusal."""
    try:
        yield
    except GitError as error:
        if reason := explain_git_error(error.stderr):
            raise CheckpointRefused(f"{what}: {reason}.") from error
        raise
    except OSError as error:
        reason = explain_git_error(CODES.get(error.errno or 0, "")) or error.strerror or str(error)
        raise CheckpointRefused(f"{what}: {reason}.") from error


def explain_git_error(stderr: str) -> str | None:
    return next((words for sign, words in WORDS.items() if sign in stderr), None)
