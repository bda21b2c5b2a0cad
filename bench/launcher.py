"""Start a command from a process that is small, and tell what it cost.

Linux counts to a child's peak memory what its parent held when it began. So the parent has to be smaller than whatever
is measured, and this file imports next to nothing.
"""

import os
import sys
import time


def main(told_at: str, program: str, *arguments: str) -> None:
    """Run it with this process's own streams, and write exit code, start, seconds, CPU seconds and peak KB."""
    started = time.monotonic()
    pid = os.posix_spawnp(program, [program, *arguments], os.environ)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - started
    code = os.waitstatus_to_exitcode(status)
    with open(told_at, "w") as file:  # noqa: PTH123 - pathlib is large
        file.write(f"{code} {started} {seconds} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")


main(*sys.argv[1:])
