"""The sandbox for commands: what they may access, what the user opened, and what was blocked."""

from pathlib import Path
from typing import Literal

from mulligan.types.frozen import frozen

SandboxMechanism = Literal["bubblewrap", "landlock", "seatbelt", "none"]
"""The mechanism that confines commands on this machine."""

SandboxChoice = Literal["auto", "bubblewrap", "landlock", "seatbelt", "none"]
"""The user's choice of mechanism; `auto` takes the strongest available."""

ApprovalMode = Literal["outside", "changes", "all"]
"""Which commands need approval: those that leave the sandbox, also those that change files directly, or all."""

AccessKind = Literal["network", "git", "ignored"]
"""Access that a single command may get beyond the sandbox: to the network, to write to the repository, or to write to
files of the project that no checkpoint restores."""

BlockedAccess = Literal["network", "git", "ignored", "write", "read", "memory", "processes", "file_size"]
"""A kind of access that a command tried and that was blocked."""


@frozen
class ExtraAccess:
    """Access that a command gets beyond the default."""

    network: bool = False
    git: bool = False
    """Write access to the repository, except for its hooks, its settings and Mulligan's checkpoints."""
    ignored: bool = False
    """Write access to files of the project that no checkpoint restores."""
    write: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()

    def with_all(self, other: "ExtraAccess") -> "ExtraAccess":
        return ExtraAccess(
            self.network or other.network,
            self.git or other.git,
            self.ignored or other.ignored,
            tuple(dict.fromkeys((*self.write, *other.write))),
            tuple(dict.fromkeys((*self.read, *other.read))),
        )


NO_EXTRA_ACCESS = ExtraAccess()


@frozen
class Confinement:
    """What protects the user's files from a command."""

    mechanism: SandboxMechanism
    undoable: bool = False
    """Whether a checkpoint was taken, and files that it does not cover can't be written."""
    mode: ApprovalMode = "outside"
    opened: ExtraAccess = NO_EXTRA_ACCESS
    """Access that the user gave to all commands."""


@frozen
class Limits:
    """Limits for one command and all processes that it starts."""

    memory_bytes: int
    processes: int
    file_bytes: int
    """Size of the largest file that it may write."""


@frozen
class SandboxProfile:
    """What a command may read and write. If lists overlap, the later one wins."""

    home: Path
    """The user's home folder, which the command sees as empty."""
    hidden: tuple[Path, ...]
    """Folders that the command sees as empty folders of its own."""
    readable: tuple[Path, ...]
    """Readable paths within hidden folders: tools and build caches."""
    writable: tuple[Path, ...]
    protected: tuple[Path, ...]
    """Read-only paths within writable folders: repositories and Mulligan's own files."""
    kept: tuple[Path, ...]
    """Read-only paths within writable folders that no checkpoint restores."""
    masked: tuple[Path, ...]
    """Files and folders with secrets, which look empty."""
    cache: Path
    """Cache folder of the private home, shared by all commands of this project."""
    limits: Limits
    network: bool = False
    repositories: tuple[Path, ...] = ()
    """Git folders, files that name one, and the project's `.git` even if it does not exist: whatever a command plants
    there is removed afterwards."""


@frozen
class Blocked:
    """Something that the sandbox blocked."""

    what: BlockedAccess
    detail: str
    """A path, a count or a limit that shows it."""


@frozen
class SandboxStatus:
    """The mechanism in use on this machine."""

    mechanism: SandboxMechanism
    missing: str = ""
    """Why no stronger mechanism is used, and what to do about it; empty for the strongest."""
    partial: tuple[str, ...] = ()
    """What this mechanism usually restricts but can't restrict here."""
