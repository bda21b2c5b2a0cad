"""System calls that no command in a sandbox needs, refused by a filter in the kernel (seccomp).

The filter is a program for the kernel's classic BPF machine: a jump table over the number of the call. It refuses what
would reach around the sandbox: keys of the user kept in the kernel, other programs' memory, input pushed into a
terminal, `io_uring` (whose requests no filter sees), files by handle, and kinds of sockets.
"""

import errno
import platform
import struct
from functools import cache

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

CALLS = {
    "x86_64": {
        "socket": 41, "ioctl": 16, "ptrace": 101, "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321,
        "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "open_by_handle_at": 304, "name_to_handle_at": 303, "process_vm_readv": 310,
        "process_vm_writev": 311, "kexec_load": 246, "init_module": 175, "finit_module": 313, "delete_module": 176,
        "mount": 165, "umount2": 166, "pivot_root": 155, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "setns": 308, "acct": 163, "swapon": 167, "reboot": 169, "quotactl": 179, "pidfd_getfd": 438, "syslog": 103,
        "unshare": 272, "clone": 56, "clone3": 435, "prlimit64": 302, "shmget": 29, "msgget": 68, "semget": 64,
        "mq_open": 240, "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452,
    },
    "aarch64": {
        "socket": 198, "ioctl": 29, "ptrace": 117, "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280,
        "perf_event_open": 241, "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "open_by_handle_at": 265, "name_to_handle_at": 264, "process_vm_readv": 270,
        "process_vm_writev": 271, "kexec_load": 104, "init_module": 105, "finit_module": 273, "delete_module": 106,
        "mount": 40, "umount2": 39, "pivot_root": 41, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "setns": 268, "acct": 89, "swapon": 224, "reboot": 142, "quotactl": 60, "pidfd_getfd": 438, "syslog": 116,
        "unshare": 97, "clone": 220, "clone3": 435, "prlimit64": 261, "shmget": 194, "msgget": 186, "semget": 190,
        "mq_open": 180, "fchmod": 52, "fchmodat": 53, "fchmodat2": 452,
    },
}  # fmt: skip

NEVER = (
    "add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "open_by_handle_at", "kexec_load", "init_module", "finit_module", "delete_module", "mount",
    "umount2", "pivot_root", "open_tree", "move_mount", "fsopen", "setns", "acct", "swapon", "reboot", "quotactl",
    "syslog",
)  # fmt: skip
OTHER_MEMORY = (
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "shmget", "msgget", "semget", "mq_open",
)  # fmt: skip
"""Refused where other processes can be seen, and memory that they share can be reached by a number."""
NEW_USER = 0x10000000
"""A user namespace: within it a program has all rights over parts of the kernel that hardly anybody tests."""
TERMINAL_REQUESTS = (0x5412, 0x541C)
"""TIOCSTI types for the user, TIOCLINUX pastes for them."""

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
X32_BIT = 0x40000000

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER_AT, _ARCH_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24

_THIRD_ARGUMENT_AT = 32

RUNS_AS_ITS_OWNER = 0o4000
"""A program with this mode would run with the user's rights for whoever starts it, outside of any sandbox."""
MODE_ARGUMENTS = {
    "chmod": _SECOND_ARGUMENT_AT,
    "fchmod": _SECOND_ARGUMENT_AT,
    "fchmodat": _THIRD_ARGUMENT_AT,
    "fchmodat2": _THIRD_ARGUMENT_AT,
}

Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


def supported() -> bool:
    return platform.machine() in CALLS


@cache
def filter_program(*, sockets: frozenset[int], see_others: bool) -> bytes:
    """The filter as the kernel takes it. `sockets` are the address families that may be used; with `see_others` the
    command shares the machine's process ids, so other programs' memory is out of bounds too."""
    machine = platform.machine()
    calls = CALLS[machine]
    refused = (*NEVER, *(OTHER_MEMORY if see_others else ()))
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if machine == "x86_64":  # the same calls under other numbers
        program += [(_JUMP_AT_LEAST, 0, 1, X32_BIT), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for name in refused:
        program += [(_JUMP_EQUAL, 0, 1, calls[name]), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    # Its flags lie in memory, where no filter sees them; the C library goes back to `clone`.
    program += [(_JUMP_EQUAL, 0, 1, calls["clone3"]), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for name in ("clone", "unshare"):
        program += _unless_set(calls[name], _FIRST_ARGUMENT_AT, NEW_USER)
    for name, argument_at in MODE_ARGUMENTS.items():
        if name in calls:
            program += _unless_set(calls[name], argument_at, RUNS_AS_ITS_OWNER)
    if see_others:  # a limit of 0 seconds ends a program as well as a signal
        program += _when(calls["prlimit64"], _FIRST_ARGUMENT_AT, (0,), matching=0, others=errno.EPERM)
    program += _when(calls["ioctl"], _SECOND_ARGUMENT_AT, TERMINAL_REQUESTS, matching=errno.EPERM, others=0)
    program += _when(calls["socket"], _FIRST_ARGUMENT_AT, tuple(sorted(sockets)), matching=0, others=errno.ENETDOWN)
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *each) for each in program)


def _unless_set(call: int, argument_at: int, bit: int) -> list[Instruction]:
    """For one call: it passes unless a bit of an argument is set."""
    return [
        (_JUMP_EQUAL, 0, 4, call),
        (_LOAD, 0, 0, argument_at),
        (_JUMP_SET, 0, 1, bit),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _when(call: int, argument_at: int, values: tuple[int, ...], *, matching: int, others: int) -> list[Instruction]:
    """For one call: the error for these values of an argument, and for all others; 0 lets it pass."""
    body: list[Instruction] = [(_LOAD, 0, 0, argument_at)]
    for index, value in enumerate(values):
        body.append((_JUMP_EQUAL, len(values) - index, 0, value))
    body += [(_RETURN, 0, 0, _answer(others)), (_RETURN, 0, 0, _answer(matching))]
    return [(_JUMP_EQUAL, 0, len(body), call), *body]


def _answer(error: int) -> int:
    return _ERRNO | error if error else _ALLOW
