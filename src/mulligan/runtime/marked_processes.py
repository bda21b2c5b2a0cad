"""Finds processes that must not outlive the program that started them, by a mark in their environment.

Signals reach a process group on every system. A process that left its group still has the mark, which every descendant
inherits, and is found where `/proc` shows environments. On other systems these functions find nothing.
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

SCAN_ROUNDS = 100
"""Most scans for processes: one that is stuck in the kernel, where no signal ends it, must not block us forever."""
EMPTY_ROUNDS = 5
"""After so many empty scans in a row, all are gone. One scan may miss a process: during `exec`, its environment is
empty."""
POLL_SECONDS = 0.003


@frozen
class MarkedProcess:
    pid: int
    started: int
    """In ticks since the machine started. Distinguishes it from a later process with the same pid."""
    parent: int = field(compare=False)
    """Changes when the parent ends."""


def marked(mark: str) -> frozenset[MarkedProcess]:
    """The processes that have the mark, `NAME=value`, now."""
    return frozenset(_carrying(os.fsencode(f"{mark}\0")))


def end_marked(
    mark: str, *, spare: frozenset[MarkedProcess] = frozenset(), one_look_will_do: bool = False
) -> frozenset[MarkedProcess]:
    """Kill all processes with the mark, except those to spare, until several scans in a row find none. Returns them.

    With `one_look_will_do`, an empty first scan is enough: for code that runs with every command.
    """
    ended: set[MarkedProcess] = set()
    empty = EMPTY_ROUNDS - 1 if one_look_will_do else 0
    for _ in range(SCAN_ROUNDS):
        found = marked(mark) - spare
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        ended |= found
        empty = 0 if found else empty + 1
        if empty == EMPTY_ROUNDS:
            break
        time.sleep(POLL_SECONDS)
    return frozenset(ended)


class Watchdog:
    """A shell that kills marked processes and their group if Mulligan ends before them, even if it was killed."""

    def __init__(self, mark: str) -> None:
        """Raises `OSError` if the shell can't be started."""
        self._shell = subprocess.Popen(  # noqa: S603  a script of our own
            ["/bin/sh", "-c", _WATCH, "sh", mark, str(SCAN_ROUNDS), str(EMPTY_ROUNDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Not our own environment, which may contain a mark that Mulligan itself was started with.
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,
            bufsize=0,
        )

    def watch(self, group: int) -> None:
        """Watch this process group, too. Marked processes are watched from the start."""
        if self._shell.stdin:
            with suppress(BrokenPipeError):  # the shell was killed
                self._shell.stdin.write(b"%d\n" % group)

    def dismiss(self) -> None:
        """Stop watching: all processes have ended. Closing the shell's input first would look like Mulligan's end."""
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
"""Waits for the end of its input, which comes when the process at the other end is gone, however it ended."""


def _carrying(sign: bytes) -> Iterator[MarkedProcess]:
    with suppress(FileNotFoundError), os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdecimal():
                # Those of other users can't be read, and a process may be gone by now. A zombie has none.
                with suppress(OSError), open(f"/proc/{entry.name}/environ", "rb", buffering=0) as file:  # noqa: PTH123  many, and often
                    if sign in file.read():
                        yield _described(int(entry.name))


def _described(pid: int) -> MarkedProcess:
    # The name, in parentheses, is chosen by the process and may contain anything; fields 3 and on follow it.
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return MarkedProcess(pid, started=int(fields[19]), parent=int(fields[1]))
