"""Edits that cost time: in a file of 50,000 lines, and in text that is made to be hard."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench.edits import languages
from bench.edits.corpus import Example, example
from bench.edits.drifts import kinds
from bench.edits.judging import Apply
from bench.edits.sources import Source, sources
from mulligan.types.errors import EditRefused

BIG = 50_000

BIG_FILE_KINDS = (
    "none", "trailing spaces", "over-indented block", "curly double quotes", "blank line dropped", "one typo",
    "two typos", "line made up", "line numbers, colon", "middle elided", "sibling + typo", "absent", "only a sibling",
)  # fmt: skip

BLOCK = "def visit(self, node):\n    count = self.count + 1\n    return self.walk(node, count)\n\n"


@dataclass(frozen=True, slots=True)
class Hard:
    name: str
    content: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Timed:
    name: str
    result: str
    seconds: float


def big_file_examples(seed: int, a_kind: int = 3) -> Iterator[Example]:
    lines = itertools.chain.from_iterable(source.lines for source in sources()["python"] if source.indent == "    ")
    big = Source("50,000 lines", languages.PYTHON, tuple(itertools.islice(lines, BIG)), "    ")
    for kind in kinds():
        if kind.name in BIG_FILE_KINDS:
            yield from (example(kind, seed, number, big) for number in range(a_kind))


def hard_inputs() -> Iterator[Hard]:
    words = " ".join(f"item{number % 977} = other{number % 991};" for number in range(40_000))
    line = words[:1_000_000]
    part = line[500_000:500_300]
    yield Hard("a line of 1 MB, a part of it", line + "\n", line[400_000:400_200], "x = 1;")
    yield Hard("a line of 1 MB, a part with typos", line + "\n", part.replace("other", "ohter"), "x = 1;")
    yield Hard(
        "a line of 1 MB, all of it with a typo",
        f"a = 1\n{line}\nb = 2\n",
        f"a = 1\n{line[:-9]}X{line[-9:]}\nb = 2",
        "a = 1\n",
    )
    yield Hard("no newline at all, 1 MB", line, f"{part}\n{part[:90]}", "x = 1;")
    yield Hard(
        "one line 50,000 times", "    count += 1\n" * BIG, "    count += 1\n    count += 1\n", "    count += 2\n"
    )
    yield Hard(
        "one line 50,000 times, a typo",
        "    count += 1\n" * BIG,
        "    count += 1\n    cuont += 1\n    count += 1\n",
        "    count += 2\n",
    )
    yield Hard(
        "one line 50,000 times, 2,000 of it with a typo",
        "    count += 1\n" * BIG,
        "    cuont += 1\n" * 2_000,
        "    count += 2\n",
    )
    yield Hard("50,000 blank lines", "\n" * BIG, "\n\nx = 1\n\n", "x = 2\n")
    yield Hard("two lines in turn, a typo", "{\n}\n" * (BIG // 2), "{\n}}\n{\n}\n" * 20, "{}\n")
    copies = "".join(BLOCK.replace("count", f"count{number}") for number in range(BIG // 4))
    yield Hard(
        "12,500 siblings, one wanted", copies, BLOCK.replace("count", "count7777").replace("walk", "wlak"), "pass\n"
    )
    yield Hard("12,500 siblings, none wanted", copies, BLOCK.replace("count", "total"), "pass\n")
    yield Hard(
        "12,500 siblings, elided",
        copies,
        "def visit(self, node):\n    ...\n    return self.walk(node, count9)\n",
        "pass\n",
    )
    yield Hard(
        "old as long as the file, typos", copies, copies.replace("count99", "cuont99"), copies.replace("walk", "run")
    )
    yield Hard("old longer than the file", copies[:100_000], copies, "pass\n")
    yield Hard("new of 50,000 lines", copies, BLOCK.replace("count", "count7777"), copies.replace("walk", "run"))
    yield Hard("200,000 spaces at a line's start", " " * 200_000 + "x = 1\n", "\t" * 9 + "x = 1", "x = 2")
    yield Hard("10,000 ellipses", copies, "...\n" * 10_000, "...\n")
    yield Hard(
        "10,000 line numbers",
        copies,
        "".join(f"{number}: {text}\n" for number, text in enumerate(copies.splitlines()[:10_000], 1)),
        "pass\n",
    )
    yield Hard("100,000 literal newlines", copies, "x\\n" * 100_000, "pass\n")
    yield Hard("marks of every kind", copies, "> 1: + ```\n" * 20_000, "pass\n")


def timed(apply: Apply, hard: Hard) -> Timed:
    started = time.process_time()
    try:
        apply(hard.content, hard.old, hard.new)
        result = "applied"
    except EditRefused as refusal:
        result = f"refused: {refusal.report.reason}"
    return Timed(hard.name, result, time.process_time() - started)
