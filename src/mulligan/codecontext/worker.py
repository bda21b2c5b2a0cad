"""A process that parses files for another: batches come in on its input, one line each, results go out.

It ends when its input does, so it never outlives the process that started it.
"""

import json
import signal
import sys
from pathlib import Path

from mulligan.codecontext.examine import Job, examine
from mulligan.codecontext.records import to_json


def main() -> None:
    # Ctrl-C reaches the whole group; whoever started this one decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    root = Path(sys.argv[1])
    for line in sys.stdin:
        for path, known in json.loads(line):
            found = examine(root, Job(path, known))
            parsed = None if found.parsed is None else to_json(found.parsed)
            sys.stdout.write(json.dumps((found.path, found.hash, parsed)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # Nobody reads any more. Python would complain while it closes what it can't write to.
        sys.stderr.close()
