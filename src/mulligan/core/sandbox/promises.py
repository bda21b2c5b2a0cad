"""What the sandbox promises, and which way to confine commands keeps which promise.

The page of the reference is made from this table. Each escape of the drill attacks one of the promises, and a test sees
to it that each one said to be held is attacked under that way.
"""

from dataclasses import dataclass
from typing import Literal

CoverageLevel = Literal["held", "partly", "not held", "untried"]


@dataclass(frozen=True, slots=True)
class Coverage:
    how: CoverageLevel
    note: str = ""
    """Why not, or with what exception."""


HELD = Coverage("held")


@dataclass(frozen=True, slots=True)
class Promise:
    name: str
    says: str
    """In a plain sentence."""
    bubblewrap: Coverage = HELD
    landlock: Coverage = HELD
    seatbelt: Coverage = Coverage("untried")


RIGHTS_NOT_PATHS = "Landlock gives rights to whole folders and can't take them back for a file in one"

PROMISES = (
    Promise(
        "home",
        "A command does not read your home folder: no keys, logins, history or documents. It finds an empty home. "
        "Tools and fetched packages in your home can be read, and logins that lie beside them can't.",
    ),
    Promise(
        "mulligan",
        "A command neither reads nor changes Mulligan's own folder: settings, database, what you opened.",
        landlock=Coverage("held", "`.mulligan` in the project can be changed"),
    ),
    Promise(
        "other-projects",
        "A command does not read your other projects, wherever they are, unless they lie among the system's own "
        "folders such as `/opt` or `/var`.",
    ),
    Promise(
        "temporary",
        "A command does not see other programs' temporary files.",
        landlock=Coverage("partly", "`/dev/shm` is shared: semaphores are made there"),
    ),
    Promise(
        "project-secrets",
        "Files of the project that by their name hold secrets (`.env`, keys) look empty.",
        bubblewrap=Coverage(
            "held", "in the first 60,000 entries of a project, and not in folders such as `node_modules`"
        ),
        landlock=Coverage("not held", RIGHTS_NOT_PATHS),
    ),
    Promise(
        "names",
        "A command does not learn which files and programs there are elsewhere.",
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
            "held", "in a repository that was there when the turn began, and in the project's own folder"
        ),
        landlock=Coverage(
            "partly", "it is put back when the command has ended; if Mulligan is killed meanwhile, it is not"
        ),
    ),
    Promise(
        "git-history",
        "A command writes to the repository only after a yes.",
        landlock=Coverage("not held", RIGHTS_NOT_PATHS),
    ),
    Promise(
        "checkpoints",
        "A command deletes no checkpoint, even one that may write to the repository.",
        landlock=Coverage("not held", RIGHTS_NOT_PATHS),
    ),
    Promise(
        "ignored",
        "A command that nobody was asked about changes nothing that no checkpoint brings back.",
        landlock=Coverage("not held", "so more commands need your yes"),
    ),
    Promise(
        "leftovers",
        "What a command leaves in its home and in `/tmp` is gone when it has ended. A cache is kept for each project.",
    ),
    Promise(
        "network",
        "A command reaches nobody: no internet, no services on this machine, no name servers. What it starts itself it "
        "can talk to.",
        landlock=Coverage("held", "it can't open any connection, not even to what it started itself"),
    ),
    Promise(
        "sockets",
        "A command does not reach agents and services by their sockets: ssh-agent, Docker, D-Bus, X11. A socket that "
        "lies in the project is the project's.",
        bubblewrap=Coverage("held", "with the network open, sockets without a path (`@…`) can be reached"),
    ),
    Promise(
        "signals",
        "A command does not signal other programs, nor lower their limits.",
        landlock=Coverage("held", "as of Linux 6.12"),
    ),
    Promise(
        "memory-of-others",
        "A command does not read memory, environment and open files of other programs, Mulligan included.",
    ),
    Promise(
        "processes",
        "Nothing that a command starts outlives it, whatever it does to get away.",
        bubblewrap=Coverage("held", "also where Mulligan is killed"),
        landlock=Coverage(
            "held", "where Mulligan is killed, a process that left its group and cleared its environment stays"
        ),
    ),
    Promise(
        "rights",
        "A command gets no more rights than it has: no setuid programs, capabilities, namespaces, mounts or devices. "
        "As root it has none of root's either.",
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
        "A command neither types nor writes into your terminals, and its output can't take hold of yours.",
    ),
    Promise(
        "environment",
        "A command gets variables that builds need, by name. Others, and what looks like a secret, it does not get.",
    ),
    Promise(
        "limits",
        "A command and all it starts have bounds: three quarters of the memory, 2,048 processes, files of 8 GiB.",
        bubblewrap=Coverage("partly", "looked at four times a second, so they may be passed for a moment"),
        landlock=Coverage("partly", "the same"),
    ),
)
