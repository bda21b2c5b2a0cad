"""Run the benches that are named, or all quick ones. Exit code 1 if a bound is missed."""

import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from bench import compaction, delegate, guards, overhead, questions, server
from bench.checkpoints import run as checkpoints
from bench.codecontext import run as codecontext
from bench.edits import run as edits
from bench.fixes import run as fixes

BENCHES: dict[str, Callable[[], bool]] = {
    "compaction": compaction.main,
    "guards": guards.main,
    "overhead": overhead.main,
}
BY_NAME: dict[str, Callable[[], bool]] = {
    "checkpoints": checkpoints.main,
    "codecontext": codecontext.main,
    "delegate": delegate.main,
    "edits": edits.main,
    "fixes": fixes.main,
    "questions": questions.main,
    "server": server.main,
}
"""Only if asked for: `questions` and `fixes` take half an hour and the embedded model, the others some minutes."""
WITH_OPTIONS: dict[str, Callable[[list[str]], bool]] = {
    "checkpoints": checkpoints.main,
    "edits": edits.main,
    "fixes": fixes.main,
    "server": server.main,
}
"""Those that take options, and so stand alone."""


def main() -> int:
    words = sys.argv[1:]
    if words and words[0] in WITH_OPTIONS:
        return _held([lambda: WITH_OPTIONS[words[0]](words[1:])])
    names = words or list(BENCHES)
    known = BENCHES | BY_NAME
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"there is no bench {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    return _held([known[name] for name in names])


def _held(benches: list[Callable[[], bool]]) -> int:
    print(f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}\n")
    held = [bench() for bench in benches]
    return 0 if all(held) else 1


sys.exit(main())
