"""What was kept from a command is told from what the kernel and the command said."""

from pathlib import Path

import pytest

from mulligan.core.sandbox.causes import find_causes
from mulligan.types.sandbox import Blocked, Limits, SandboxProfile

PROJECT = Path("/home/me/project")
PROFILE = SandboxProfile(
    home=Path("/home/me"),
    hidden=(Path("/home"),),
    readable=(Path("/home/me/.cargo"),),
    writable=(PROJECT,),
    protected=(PROJECT / ".git",),
    kept=(PROJECT / "local.db",),
    masked=(PROJECT / ".env",),
    cache=Path("/cache"),
    limits=Limits(memory_bytes=1000, processes=10, file_bytes=100),
)

CASES = {
    "it succeeded": (0, "Network is down", 3, ()),
    "counted by the kernel": (1, "", 2, (Blocked("network", "2 attempts"),)),
    "a socket refused": (1, "OSError: [Errno 100] Network is down", 0, (Blocked("network", "a socket was refused"),)),
    "another error": (1, "AssertionError: 1 != 2", 0, ()),
    "system folder": (1, "touch: cannot touch '/etc/x': Read-only file system", 0, (Blocked("write", "/etc/x"),)),
    "git": (
        128,
        f"error: could not lock config file {PROJECT}/.git/config: Read-only file system",
        0,
        (Blocked("git", f"{PROJECT}/.git/config"),),
    ),
    "what no checkpoint holds": (
        1,
        "rm: cannot remove 'local.db': Read-only file system",
        0,
        (Blocked("ignored", f"{PROJECT}/local.db"),),
    ),
    "a hidden file": (
        1,
        "cat: /home/me/notes.txt: No such file or directory",
        0,
        (Blocked("read", "/home/me/notes.txt"),),
    ),
    "a file that is nowhere": (1, "cat: /home/me/nowhere: No such file or directory", 0, ()),
    "a shown file": (1, "cat: /home/me/.cargo/nope: No such file or directory", 0, ()),
    "too large, by signal": (153, "", 0, (Blocked("file_size", "100 bytes"),)),
    "too large, in words": (1, "write error: File too large", 0, (Blocked("file_size", "100 bytes"),)),
}


@pytest.mark.parametrize(("code", "output", "unreachable", "expected"), CASES.values(), ids=CASES)
def test_a_cause(code: int, output: str, unreachable: int, expected: tuple[Blocked, ...]) -> None:
    found = find_causes(
        PROFILE,
        PROJECT,
        exit_code=code,
        output=output,
        unreachable=unreachable,
        exists=lambda path: path.name != "nowhere",
    )
    assert found == expected
