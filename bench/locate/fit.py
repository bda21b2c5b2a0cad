"""Fit what the evidence of a traced run counts: `python -m bench.locate.fit --root DIR`, on the tuned packages alone.

Every bug is planted and traced once. Then each weight in turn is made larger and smaller, and what lets the wrong
functions stand highest is kept: by the mean of 1 / rank. It says what it found, which is rounded into
`core/fault_localisation/ranking.py` by a person: only ratios matter, and few bugs tell only so much.
"""

import argparse
import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.harness import MULLIGAN, environ_with, tell
from bench.locate.locating import Located, brief_of
from bench.locate.packages import PACKAGES
from bench.locate.planting import Planted
from bench.locate.run import noticed_bugs
from mulligan.core.fault_localisation import ranking
from mulligan.types.fixing import Check

TIMES = (0.0, 0.33, 0.67, 1.5, 3.0)
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class TracedBug:
    folder: Path
    bug: Planted
    check: Check
    traces: Sequence[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.locate.fit", description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="a folder for packages")
    parser.add_argument("--only", default="", help="a part of a package's name")
    parser.add_argument("--bugs", type=int, default=6, help="in each package")
    parser.add_argument("--seed", default="fit", help="another one than the bench plants by")
    asked = parser.parse_args()
    path = f"{MULLIGAN.parent}{os.pathsep}{os.environ['PATH']}"
    with environ_with(PATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"), tempfile.TemporaryDirectory() as scratch:
        asyncio.run(_fit(asked, Path(scratch)))


async def _fit(asked: argparse.Namespace, scratch: Path) -> None:
    bugs: list[TracedBug] = []
    for package in PACKAGES:
        if package.half == "tuned" and asked.only in package.name:
            async for each in noticed_bugs(package, asked.root.resolve(), asked.bugs, asked.seed):
                traces = await each.tested.traces(each.check, each.took)
                folder = shutil.copytree(each.folder, scratch / f"{package.name}-{len(bugs)}")
                bugs.append(TracedBug(folder, each.bug, each.check, traces))
                tell(f"{package.name}: {each.bug.what}")
    best, height = ranking.WEIGHTS, await _height(bugs, ranking.WEIGHTS)
    tell(f"{len(bugs)} bugs, mean of 1 / rank {height:.3f} by {best}, as it is")
    for _ in range(ROUNDS):
        before = best
        for place, weight in enumerate(best):
            for times in TIMES:
                tried = (*best[:place], round(weight * times, 3), *best[place + 1 :])
                if (found := await _height(bugs, tried)) > height:
                    best, height = tried, found
                    tell(f"{height:.3f} by {best}")
        if best == before:
            break
    tell(f"found: {best}, mean of 1 / rank {height:.3f}")


async def _height(bugs: Sequence[TracedBug], weights: tuple[float, ...]) -> float:
    ranking.WEIGHTS = weights
    total = 0.0
    for each in bugs:
        brief = await brief_of(each.folder, each.check, each.traces)
        rank = Located(brief, 0, 0).rank_of(each.bug.path, each.bug.line)
        total += 1 / rank if rank else 0
    return total / len(bugs)


if __name__ == "__main__":
    main()
