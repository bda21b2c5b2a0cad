"""A process that parses files for another: batches come in on its input, one line each, results go out.

It ends when its input does, so it never outlives the process that started it.
"""

import contextlib
import gc
import json
import resource
import signal
import sys
from pathlib import Path

from mulligan.codecontext.examined_file import Job, examine

MOST_MEMORY = 2 << 30
"""Bytes."""


def main() -> None:
    # Ctrl-C reaches the whole group; whoever started this one decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A parser that takes more than this would take all there is.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    # What is made here has no cycles, and a look for them costs a twentieth of the time.
    gc.set_threshold(100_000, 50, 50)
    root = Path(sys.argv[1])
    for line in sys.stdin:
        for path, known in json.loads(line):
            found = examine(root, Job(path, known))
            # One by one: whoever waits for it ends this process where one of them takes too long.
            sys.stdout.write(json.dumps(found) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # Nobody reads any more. Python would complain while it closes what it can't write to.
        sys.stderr.close()
