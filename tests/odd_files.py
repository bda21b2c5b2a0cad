"""What a repository may put where a small text file is expected."""

import os
import socket
from pathlib import Path

import pytest


def make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    """Bound by its short name: the path of a socket may have some hundred characters only."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def make_huge(path: Path) -> None:
    """A terabyte that takes no space on the disk."""
    with path.open("wb") as file:
        file.truncate(10**12)


ODD_FILES = [
    pytest.param(make_endless, "is a device", id="a link to a device without end"),
    pytest.param(make_pipe, "is a named pipe", id="a pipe that nobody writes to"),
    pytest.param(make_socket, "is a socket", id="a socket"),
    pytest.param(Path.mkdir, "is a folder", id="a folder"),
    pytest.param(make_huge, "is larger than 1 MB", id="a huge file without content"),
]
