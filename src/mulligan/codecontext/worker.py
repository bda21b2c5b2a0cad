"""A process that parses files for another: reads batches from its input, one per line, and writes results.

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

MAX_MEMORY_BYTES = 2 << 30


def main() -> None:
    # Ctrl-C reaches the whole process group; the parent decides when to end this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A parser that needs more would use up all memory.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    # Parsing creates no reference cycles, and collecting them costs a twentieth of the time.
    gc.set_threshold(100_000, 50, 50)
    root = Path(sys.argv[1])
    for line in sys.stdin:
        for path, known in json.loads(line):
            found = examine(root, Job(path, known))
            # One by one: the parent kills this process if a file takes too long.
            sys.stdout.write(json.dumps(found) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The parent is gone. Python would print an error when it closes the broken pipe.
        sys.stderr.close()
