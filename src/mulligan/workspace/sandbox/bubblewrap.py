"""Confinement by bubblewrap: separate namespaces for files, processes and the network, without capabilities."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from mulligan.types.sandbox import SandboxProfile
from mulligan.workspace.sandbox.seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX

SOCKETS = frozenset({AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
"""Within its own network namespace, these only reach the command's own processes."""

NAMESPACES = (
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--disable-userns",
    "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox",
)  # fmt: skip

NAME_SERVERS = Path("/etc/resolv.conf")
TEMPORARY, SHARED_MEMORY = Path("/tmp"), Path("/dev/shm")  # noqa: S108  replaced, not used
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "mtrr")
UNREACHABLE_SERVER = b"nameserver 192.0.2.1\noptions timeout:1 attempts:1\n"
"""An unassigned address (RFC 5737): the kernel counts that it has no route, and nothing waits."""


def bubblewrap_arguments(
    profile: SandboxProfile, *, folder: Path | None, empty_file: Path, empty_folder: Path, name_servers: Path
) -> list[str]:
    """The arguments between `bwrap` and the command, except those with file descriptors. Later mounts cover earlier
    ones.

    Without a folder, the command stays in its current one.
    """
    return [
        *NAMESPACES,
        *(() if profile.network else ("--unshare-net",)),
        *_words(_mounts(profile, empty_file, empty_folder, name_servers)),
        *(("--chdir", str(folder)) if folder else ()),
    ]


def _mounts(
    profile: SandboxProfile, empty_file: Path, empty_folder: Path, name_servers: Path
) -> Iterator[Sequence[str | Path]]:
    yield "--ro-bind", "/", "/"
    yield "--dev", "/dev"
    yield "--proc", "/proc"
    for name in KERNEL_SETTINGS:  # root owns them and can write to them without capabilities
        yield "--ro-bind-try", f"/proc/{name}", f"/proc/{name}"
    hidden = [folder for folder in (*profile.hidden, SHARED_MEMORY) if folder.is_dir()]
    for folder in dict.fromkeys(hidden):
        # They are in memory, and together must not use all of it.
        share = 4 if folder == TEMPORARY else 4 * len(hidden)
        yield "--size", str(profile.limits.memory_bytes // share), "--perms", "0700", "--tmpfs", folder
    yield "--remount-ro", "/dev"
    if not any(profile.home.is_relative_to(folder) for folder in profile.writable):
        yield "--dir", profile.home
        yield "--bind", profile.cache, profile.home / ".cache"
    servers = NAME_SERVERS.resolve()
    if servers.exists():
        yield "--ro-bind", servers if profile.network else name_servers, servers
    yield from _shown_again(profile, empty_file, empty_folder)


def _shown_again(profile: SandboxProfile, empty_file: Path, empty_folder: Path) -> Iterator[Sequence[str | Path]]:
    """Exceptions from hidden and read-only folders, and exceptions from these."""
    for place in profile.readable:
        yield "--ro-bind-try", place, place
    for place in profile.writable:
        yield "--bind-try", place, place
    for place in _folders_to_pin(profile):
        yield "--bind", place, place
    for place in (*profile.protected, *profile.kept):
        if not place.is_symlink():  # a link can't be mounted over; its target has its own rules
            yield "--ro-bind-try", place, place
    for place in profile.masked:
        if place.is_dir():
            yield "--ro-bind", empty_folder, place
        elif place.exists():
            yield "--ro-bind", empty_file, place


def _folders_to_pin(profile: SandboxProfile) -> list[Path]:
    """A mount point can't be renamed: if such a folder were moved, paths in it would no longer be read-only or
    masked."""
    inside = (*profile.protected, *profile.kept, *profile.masked)
    found = {
        folder
        for place in inside
        for root in profile.writable
        if place.is_relative_to(root)
        for folder in place.relative_to(root).parents
    }
    pinned = {root / folder for root in profile.writable for folder in found if folder != Path()}
    return sorted(place for place in pinned if place.is_dir() and not place.is_symlink())


def _words(groups: Iterator[Sequence[str | Path]]) -> Iterator[str]:
    for group in groups:
        yield from map(str, group)
