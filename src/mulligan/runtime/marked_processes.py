"""Processes that must not outlive what started them, wherever they went: found by a mark in their environment.

A signal reaches a process group, anywhere. Who left the group still carries the mark that every descendant inherits,
and is found where the system shows environments in `/proc`. Elsewhere these functions find nobody.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from mulligan.types.frozen import frozen

LOOKS = 100
"""How often to look at most: one that no signal can end, as it is stuck in the kernel, must not keep us for ever."""
EMPTY_LOOKS = 5
"""In a row, after which all are gone. One look may miss somebody: while a process becomes another program, its
environment is empty."""
BETWEEN_LOOKS = 0.003


@frozen
class MarkedProcess:
    pid: int
    started: int
    """In ticks since the machine started. Tells it from a later process with the same pid."""
    parent: int = field(compare=False)
    """Another one, once the parent has ended."""


def marked(mark: str) -> frozenset[MarkedProcess]:
    """Who carries the mark, `NAME=value`, now."""
    return frozenset(_carrying(os.fsencode(f"{mark}\0")))


def end_marked(
    mark: str, *, spare: frozenset[MarkedProcess] = frozenset(), one_look_will_do: bool = False
) -> frozenset[MarkedProcess]:
    """End all who carry the mark, but those to spare, until several looks in a row find none. Who they were.

    Where one look will do, an empty first one is the end: that is for what stands on every command's way.
    """
    ended: set[MarkedProcess] = set()
    empty = EMPTY_LOOKS - 1 if one_look_will_do else 0
    for _ in range(LOOKS):
        found = marked(mark) - spare
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        ended |= found
        empty = 0 if found else empty + 1
        if empty == EMPTY_LOOKS:
            break
        time.sleep(BETWEEN_LOOKS)
    return frozenset(ended)


class Watchdog:
    """A shell that ends marked processes and their group if Mulligan is gone before them, even if it was killed."""

    def __init__(self, mark: str) -> None:
        """Raises `OSError` if it can't be started."""
        self._shell = subprocess.Popen(  # noqa: S603  a script of our own
            ["/bin/sh", "-c", _WATCH, "sh", mark, str(LOOKS), str(EMPTY_LOOKS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Not ours: in there might be a mark that Mulligan itself was started with.
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


_WATCH = """
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


def _carrying(sign: bytes) -> Iterator[MarkedProcess]:
    with suppress(FileNotFoundError), os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdecimal():
                # Others' may not be read, and one may be gone by now. Of a zombie there is nothing to read.
                with suppress(OSError), open(f"/proc/{entry.name}/environ", "rb", buffering=0) as file:  # noqa: PTH123  many, and often
                    if sign in file.read():
                        yield _described(int(entry.name))


def _described(pid: int) -> MarkedProcess:
    # The name, in parentheses, is the process's own choice and may hold anything; fields 3 and on follow it.
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return MarkedProcess(pid, started=int(fields[19]), parent=int(fields[1]))
