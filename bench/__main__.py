"""Run the benches that are named, or all of them. Exit code 1 if a bound is missed."""

import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from bench import guards, overhead

BENCHES: dict[str, Callable[[], bool]] = {"guards": guards.main, "overhead": overhead.main}


def main() -> int:
    names = sys.argv[1:] or list(BENCHES)
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"there is no bench {', '.join(unknown)}; there are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    print(f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}\n")
    held = [BENCHES[name]() for name in names]
    return 0 if all(held) else 1


sys.exit(main())
