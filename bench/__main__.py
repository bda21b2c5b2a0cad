"""Run the benches that are named, or all quick ones. Exit code 1 if a bound is missed."""

import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from bench import guards, overhead, questions

BENCHES: dict[str, Callable[[], bool]] = {"guards": guards.main, "overhead": overhead.main}
BY_NAME: dict[str, Callable[[], bool]] = {"questions": questions.main}
"""Only if asked for: it takes half an hour, and downloads the embedded model."""


def main() -> int:
    names = sys.argv[1:] or list(BENCHES)
    known = BENCHES | BY_NAME
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"there is no bench {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    print(f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}\n")
    held = [known[name]() for name in names]
    return 0 if all(held) else 1


sys.exit(main())
