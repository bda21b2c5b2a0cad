"""Reads one file of a project, and parses it if its content has changed."""

import hashlib
from pathlib import Path
from typing import NamedTuple

from mulligan.runtime.regular_files import read_regular, read_regular_text
from mulligan.syntax.file_types import file_type
from mulligan.syntax.parsed_file import ParsedFile
from mulligan.syntax.skipping import MAX_FILE_BYTES


class Job(NamedTuple):
    path: str
    known: str
    """The hash it had when it was last parsed; empty for a new file."""
    size: int = 0
    """Bytes."""


class Examined(NamedTuple):
    path: str
    hash: str
    parsed: ParsedFile | None
    """None if the content is unchanged."""


def examine(root: Path, job: Job, seconds: float | None = None) -> Examined:
    """Raises `TooSlow` if parsing takes longer than `seconds`."""
    from mulligan.syntax.extract import parse_file  # only needed if something has to be parsed

    try:
        data = read_regular(root / job.path, limit=MAX_FILE_BYTES, follow=False)
    except OSError as error:  # just deleted, or we may not read it
        return unreadable(job.path, f"unreadable {error.errno}")
    content = hashlib.sha256(data).hexdigest()
    return Examined(job.path, content, None if content == job.known else parse_file(job.path, data, seconds))


def read_text(root: Path, path: str) -> str:
    """The text of a file that describes others, such as a manifest; empty if it can't be read."""
    try:
        return read_regular_text(root / path, "utf-8-sig", "replace", limit=MAX_FILE_BYTES, follow=False)
    except OSError:
        return ""


def unreadable(path: str, why: str) -> Examined:
    kind = file_type(path)
    return Examined(path, why, ParsedFile(language=kind.name if kind else None, skipped="broken"))
