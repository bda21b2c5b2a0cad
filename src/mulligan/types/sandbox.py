"""The sandbox that commands run in: what they are given, what the user opened, and what it kept from them."""

from pathlib import Path
from typing import Literal

from mulligan.types.frozen import frozen

SandboxWay = Literal["bubblewrap", "landlock", "seatbelt", "none"]
"""How commands are confined on this machine."""

SandboxChoice = Literal["auto", "bubblewrap", "landlock", "seatbelt", "none"]
"""What the user asks for; `auto` takes the strongest way there is."""

ApprovalMode = Literal["outside", "changes", "all"]
"""Which commands need a yes: those that leave the sandbox, also those that change files directly, or all."""

Opened = Literal["network", "git", "ignored"]
"""What a single command may be given beyond the sandbox: the network, the repository to write to, or files of the
project that no checkpoint brings back."""

Withheld = Literal["network", "git", "ignored", "write", "read", "memory", "processes", "file_size"]
"""What a command reached for and did not get."""


@frozen
class Openings:
    """What a command is given beyond the default."""

    network: bool = False
    git: bool = False
    """The repository may be written to, but for its hooks, its settings and Mulligan's checkpoints."""
    ignored: bool = False
    """Files of the project that no checkpoint brings back may be written to."""
    write: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()

    def with_all(self, other: "Openings") -> "Openings":
        return Openings(
            self.network or other.network,
            self.git or other.git,
            self.ignored or other.ignored,
            tuple(dict.fromkeys((*self.write, *other.write))),
            tuple(dict.fromkeys((*self.read, *other.read))),
        )


CLOSED = Openings()


@frozen
class Confinement:
    """What stands between a command and the user's files."""

    way: SandboxWay
    undoable: bool = False
    """A checkpoint was taken, and what it does not cover can't be written to."""
    mode: ApprovalMode = "outside"
    opened: Openings = CLOSED
    """What the user opened for all commands."""


@frozen
class Limits:
    """Of one command and all that it starts."""

    memory_bytes: int
    processes: int
    file_bytes: int
    """The largest file that it may write."""


@frozen
class SandboxProfile:
    """What a command sees and may change. Later lists overrule earlier ones where they overlap."""

    home: Path
    """The user's home folder: the command finds an empty one in its place."""
    hidden: tuple[Path, ...]
    """Folders in whose place the command finds empty ones of its own."""
    readable: tuple[Path, ...]
    """What is shown within hidden folders: tools and caches of builds."""
    writable: tuple[Path, ...]
    protected: tuple[Path, ...]
    """What can only be read within writable folders: repositories, and what is Mulligan's own."""
    kept: tuple[Path, ...]
    """The same, as no checkpoint would bring it back."""
    masked: tuple[Path, ...]
    """Files and folders that look empty: secrets."""
    cache: Path
    """Kept from command to command of this project, and found as the cache folder of the private home."""
    limits: Limits
    network: bool = False
    repositories: tuple[Path, ...] = ()
    """Git folders, files that name one, and the project's `.git` even if there is none: whatever a command plants there
    is taken away again."""


@frozen
class Blocked:
    """Something that the sandbox kept from a command, and how that is known."""

    what: Withheld
    detail: str
    """A path, a count or a limit."""


@frozen
class SandboxStatus:
    """The way in use on this machine, and why not a stronger one."""

    way: SandboxWay
    missing: str = ""
    """Why no stronger way is used, and what to do about it; empty for the strongest."""
    partial: tuple[str, ...] = ()
    """What this way can't hold here although it usually does."""
