"""Confinement by Landlock and a system call filter: needs no rights and no namespaces.

Landlock confines a thread and all that it starts, permanently. So each command gets a thread that confines itself,
starts the command, and ends. Nothing runs between fork and exec, and the rest of Mulligan is not confined.
"""

import ctypes
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR

from mulligan.types.sandbox import SandboxProfile
from mulligan.workspace.sandbox.seccomp import AF_INET, AF_INET6, AF_NETLINK, filter_program

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ABI_QUESTION = 1
PATH_BENEATH = 1
OLDEST_ABI = 3
"""The first that can forbid truncation, since Linux 6.2. Before it, every file could be emptied."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHARACTER, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
ALL_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
ALL = (1 << 16) - 1
"""From ABI 5 on."""
SCOPES = 0b11
"""Abstract sockets and signals, from ABI 6 on."""
READING = EXECUTE | READ_FILE | READ_DIR
DEVICE_RIGHTS = IOCTL_DEVICE | MAKE_CHARACTER | MAKE_BLOCK
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE

OPENED = frozenset({AF_INET, AF_INET6, AF_NETLINK})
"""Socket families allowed with the network. Without it, no socket can have an address: path rules don't keep a command
from sockets of the user's own services, such as an agent that holds keys. Pairs of sockets still work."""

DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "shm")
"""No terminals: the user's own are among them. `stdin` and the like are links to what the command has anyway; a rule
for one would allow what Mulligan itself has."""

NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER_MODE = 38, 22, 2
DROP_FROM_BOUND, AMBIENT, CLEAR_ALL = 24, 47, 4
CAPABILITY_VERSION = 0x20080522
MAX_CAPABILITIES = 64


@cache
def landlock_abi() -> int:
    """0 if the kernel has no Landlock, or it is turned off."""
    try:
        return max(0, _libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ABI_QUESTION))
    except (OSError, AttributeError):
        return 0


Rule = tuple[str, int]
"""A path, and what may be done to it and everything below it."""


def rules_for(profile: SandboxProfile) -> tuple[Rule, ...]:
    """Computed once for many commands: listing folders takes longer than everything else."""
    return tuple(_rules(profile))


def _rules(profile: SandboxProfile) -> Iterator[Rule]:
    for place in readable_siblings(Path("/"), (*profile.hidden, Path("/dev"))):
        yield str(place), READING
    for name in DEVICES:
        yield f"/dev/{name}", ALL & ~DEVICE_RIGHTS
    yield "/dev/null", ALL
    for place in profile.readable:
        within = [each for each in profile.masked if each.is_relative_to(place)]
        for part in readable_siblings(place, within) if within else (place,):
            yield str(part), READING
    for place in (*profile.writable, profile.cache):
        yield str(place), ALL & ~DEVICE_RIGHTS


class LandlockConfinement:
    """The rules for one command, made before its thread begins. `enter` confines the calling thread."""

    def __init__(self, rules: Iterable[Rule], *, network: bool, private: Path) -> None:
        """`private` is the folder that stands in for home and temporary files. Raises `OSError`."""
        self._ruleset = _new_ruleset()
        self._filter = filter_program(sockets=OPENED if network else frozenset[int](), see_others=True)
        try:
            for place, rights in (*rules, (str(private), ALL & ~DEVICE_RIGHTS)):
                self._rule(place, rights)
        except BaseException:
            self.close()
            raise

    def _rule(self, place: str, rights: int) -> None:
        """A missing path needs no rule."""
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
            try:
                kept = rights if S_ISDIR(os.fstat(opened).st_mode) else rights & OF_A_FILE
                rule = struct.pack("=QI", kept & ALL_BY_ABI.get(landlock_abi(), ALL), opened)
                _checked(_libc().syscall(ADD_RULE, self._ruleset, PATH_BENEATH, ctypes.c_char_p(rule), 0))
            finally:
                os.close(opened)

    def enter(self) -> None:
        """Can't be undone. If it raises `OSError`, the thread must exit."""
        libc = _libc()
        _checked(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _drop_capabilities(libc)
        _checked(libc.syscall(RESTRICT_SELF, self._ruleset, 0))
        program = ctypes.create_string_buffer(self._filter, len(self._filter))
        argument = struct.pack("@HxxxxxxP", len(self._filter) // 8, ctypes.addressof(program))
        _checked(libc.prctl(SET_SECCOMP, FILTER_MODE, ctypes.c_char_p(argument), 0, 0))

    def close(self) -> None:
        os.close(self._ruleset)


def readable_siblings(folder: Path, hidden: Iterable[Path]) -> Iterator[Path]:
    """Entries of a folder, except hidden ones: rules can give rights, and never take them away again."""
    hidden = tuple(hidden)
    with suppress(OSError):
        for place in sorted(folder.iterdir()):
            if place in hidden or place.is_symlink():
                continue
            if any(each.is_relative_to(place) for each in hidden):
                yield from readable_siblings(place, hidden)
            else:
                yield place


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Root has rights that no rule about files holds: devices, the clock, other programs' memory. A thread can give
    them up for itself, and what it starts does not get them back."""
    for number in range(MAX_CAPABILITIES):
        if libc.prctl(DROP_FROM_BOUND, number, 0, 0, 0) < 0:  # the last one was before it, or there are none to drop
            break
    libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    _checked(libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24))))


def _new_ruleset() -> int:
    abi = landlock_abi()
    handled = struct.pack("=QQQ", ALL_BY_ABI.get(abi, ALL), 0, SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return _checked(_libc().syscall(CREATE_RULESET, ctypes.c_char_p(handled), ctypes.c_size_t(size), 0))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
