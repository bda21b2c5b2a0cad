"""What a command started ends with it, and with Mulligan: even where Mulligan is killed and can do nothing itself.

Two things reach it. A signal to the command's process group, anywhere. And a mark in its environment, which every
descendant inherits, so that those who left the group are found too, where the system shows environments in `/proc`.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from secrets import token_hex

MARK = "MULLIGAN_COMMAND"

LOOKS = 100
"""How often to look at most: one that no signal can end, as it is stuck in the kernel, must not keep us for ever."""
EMPTY_LOOKS = 5
"""In a row, after which all are gone. One look may miss somebody: while a process becomes another program, its
environment is empty."""

WATCH = """
read -r group
read -r never
[ -n "$group" ] && kill -s KILL -- "-$group"
looks=0 empty=0
while [ "$looks" -lt "$2" ] && [ "$empty" -lt "$3" ]; do
    looks=$((looks + 1)) empty=$((empty + 1))
    for place in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do
        empty=0 place=${place#/proc/}
        kill -s KILL "${place%/environ}"
    done
done
"""
"""Waits for the end of its input, which comes when the process that holds the other end is gone, whatever ended it."""


class Watchdog:
    """A shell that ends a command's processes if Mulligan is gone before the command."""

    def __init__(self) -> None:
        """Raises `OSError` if it can't be started."""
        # Looks like an address, since those are left out where the results of two calls are compared.
        self.mark = f"0x{token_hex(8)}"
        """To be set as `MARK` in the command's environment."""
        self._shell = subprocess.Popen(  # noqa: S603  a script of our own
            ["/bin/sh", "-c", WATCH, "sh", f"{MARK}={self.mark}", str(LOOKS), str(EMPTY_LOOKS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Not ours: in there might be the mark of a command that Mulligan itself was started by.
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,
            bufsize=0,
        )

    def watch(self, group: int) -> None:
        """From now on this process group is watched; what carries the mark was from the start."""
        if self._shell.stdin:
            with suppress(BrokenPipeError):  # somebody ended it
                self._shell.stdin.write(b"%d\n" % group)

    def dismiss(self) -> None:
        """All has ended. It goes first, and its input after it: it must not take that for our end."""
        self._shell.kill()
        self._shell.wait()
        if self._shell.stdin:
            self._shell.stdin.close()


def end_marked(mark: str) -> None:
    """End all processes that carry a mark. Where the first look finds none, that is all: this is on every command's
    way, and few leave their group."""
    sign = os.fsencode(f"{MARK}={mark}\0")
    empty = EMPTY_LOOKS - 1
    for _ in range(LOOKS):
        found = list(_carrying(sign))
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        empty = 0 if found else empty + 1
        if empty == EMPTY_LOOKS:
            return


def _carrying(sign: bytes) -> Iterator[int]:
    with suppress(FileNotFoundError), os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdecimal():
                # Others' may not be read, and one may be gone by now. Of a zombie there is nothing to read.
                with suppress(OSError), open(f"/proc/{entry.name}/environ", "rb", buffering=0) as file:  # noqa: PTH123  many, and often
                    if sign in file.read():
                        yield int(entry.name)
