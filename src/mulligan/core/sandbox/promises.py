"""What the sandbox promises, and how well each way to confine commands keeps each promise.

`docs/reference/sandbox.md` is generated from this table. Each escape of the drill attacks one of the promises, and a
test checks that each promise said to be held is attacked with that confinement.
"""

from dataclasses import dataclass
from typing import Literal

CoverageLevel = Literal["held", "partly", "not held", "untried"]


@dataclass(frozen=True, slots=True)
class Coverage:
    level: CoverageLevel
    note: str = ""
    """Why not, or with what exception."""


HELD = Coverage("held")


@dataclass(frozen=True, slots=True)
class Promise:
    name: str
    says: str
    bubblewrap: Coverage = HELD
    landlock: Coverage = HELD
    seatbelt: Coverage = Coverage("untried")


RIGHTS_NOT_PATHS = "Landlock gives rights to whole folders and can't take them back for a file in one"

PROMISES = (
    Promise(
        "home",
        "A command does not read your home folder: no keys, logins, history or documents. It finds an empty home. "
        "Tools and fetched packages in your home can be read, logins next to them can't.",
    ),
    Promise(
        "mulligan",
        "A command neither reads nor changes Mulligan's own folder: settings, database, what you opened.",
        landlock=Coverage("held", "`.mulligan` in the project can be changed"),
    ),
    Promise(
        "other-projects",
        "A command does not read your other projects, wherever they are, unless they are in the system's own folders, "
        "such as `/opt` or `/var`.",
    ),
    Promise(
        "temporary",
        "A command does not see other programs' temporary files.",
        landlock=Coverage("partly", "`/dev/shm` is shared: programs create semaphores there"),
    ),
    Promise(
        "project-secrets",
        "Files of the project whose names suggest secrets (`.env`, keys) look empty.",
        bubblewrap=Coverage(
            "held", "in the first 60,000 entries of a project, and not in folders such as `node_modules`"
        ),
        landlock=Coverage("not held", RIGHTS_NOT_PATHS),
    ),
    Promise(
        "names",
        "A command does not learn which files and programs exist elsewhere.",
        landlock=Coverage("not held", "it can ask whether a path exists, and sees the command lines of other programs"),
    ),
    Promise(
        "outside-writes",
        "A command creates, changes, moves and deletes nothing outside the project and what you opened, by whatever "
        "path or link.",
    ),
    Promise(
        "outside-metadata",
        "A command does not change modes, owners and times of files outside the project.",
        landlock=Coverage("not held", "no rule of Landlock covers them; the files' content is safe"),
    ),
    Promise(
        "git-hooks",
        "What a command plants in a repository of the project (hooks, settings, attributes) is not run by your git "
        "afterwards.",
        bubblewrap=Coverage(
            "held", "in repositories that existed when the turn began, and in the project's own folder"
        ),
        landlock=Coverage(
            "partly", "it is reverted when the command has ended, but not if Mulligan is killed meanwhile"
        ),
    ),
    Promise(
        "git-history",
        "A command writes to the repository only after you approved it.",
        landlock=Coverage("not held", RIGHTS_NOT_PATHS),
    ),
    Promise(
        "checkpoints",
        "A command deletes no checkpoint, even one that may write to the repository.",
        landlock=Coverage("not held", RIGHTS_NOT_PATHS),
    ),
    Promise(
        "ignored",
        "A command that runs without asking changes nothing that a checkpoint can't bring back.",
        landlock=Coverage("not held", "so more commands need your approval"),
    ),
    Promise(
        "leftovers",
        "Files that a command leaves in its home and in `/tmp` are deleted when it ends. Each project keeps a cache.",
    ),
    Promise(
        "network",
        "A command has no network: no internet, no services on this machine, no name servers. It can connect to what "
        "it started itself.",
        landlock=Coverage("held", "it can't open any connection, not even to what it started itself"),
    ),
    Promise(
        "sockets",
        "A command does not reach agents and services by their sockets: ssh-agent, Docker, D-Bus, X11. A socket in the "
        "project is the project's.",
        bubblewrap=Coverage("held", "with the network open, sockets without a path (`@…`) can be reached"),
    ),
    Promise(
        "signals",
        "A command does not send signals to other programs or lower their limits.",
        landlock=Coverage("held", "as of Linux 6.12"),
    ),
    Promise(
        "memory-of-others",
        "A command does not read memory, environment or open files of other programs, Mulligan included.",
    ),
    Promise(
        "processes",
        "Nothing that a command starts outlives it, however it tries to escape.",
        bubblewrap=Coverage("held", "also if Mulligan is killed"),
        landlock=Coverage(
            "held", "if Mulligan is killed, a process that left its group and cleared its environment stays"
        ),
    ),
    Promise(
        "rights",
        "A command gains no rights: no setuid programs, capabilities, namespaces, mounts or devices. As root, it does "
        "not have root's rights either.",
    ),
    Promise(
        "kernel",
        "A command does not use keys that the kernel keeps, `io_uring`, `bpf`, `perf`, `userfaultfd`, file handles or "
        "modules.",
        bubblewrap=Coverage("held", "on x86-64 and ARM64"),
    ),
    Promise("machine", "A command changes no setting of the kernel, in `/proc/sys` or `/sys`."),
    Promise(
        "terminal",
        "A command neither types nor writes into your terminals, and its output can't control yours.",
    ),
    Promise(
        "environment",
        "A command gets variables that builds need, by name, but no others, and none that look like a secret.",
    ),
    Promise(
        "limits",
        "A command and all it starts have limits: three quarters of the memory, 2,048 processes, files of 8 GiB.",
        bubblewrap=Coverage("partly", "checked four times a second, so they may be exceeded for a moment"),
        landlock=Coverage("partly", "the same"),
    ),
)
