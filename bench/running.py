"""Run benches: progress to stderr, results to stdout, and optionally into a file."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench import surroundings
from bench.markdown import section
from bench.results import Bench, BenchFailed, Figure, Result, Table, Version
from bench.stored import from_json, merged, to_json


def run(
    benches: Sequence[Bench], words: Sequence[str], *, order: Sequence[str], into: Path | None, as_json: bool
) -> int:
    """The exit code: 1 if a bound is missed or a bench fails. `words` are the options of a single bench."""
    results: list[Result] = []
    for bench in benches:
        print(f"{bench.name}: {bench.title}", file=sys.stderr, flush=True)
        try:
            result = _measured(bench, words)
        except BenchFailed as failure:
            print(f"{bench.name} failed: {failure}", file=sys.stderr)
            continue
        results.append(result)
        if not as_json:
            print(section(result, bench), flush=True)
        if into:
            # After each bench, so that an interrupted run keeps the earlier results.
            earlier = from_json(into.read_text(encoding="utf-8")) if into.exists() else []
            into.write_text(to_json(merged(earlier, [result], order)), encoding="utf-8")
    if as_json:
        print(to_json(results), end="")
    missed = [f"{result.bench}: {figure.name}" for result in results for figure in result.missed]
    for name in missed:
        print(f"bound missed: {name}", file=sys.stderr)
    return 1 if missed or len(results) < len(benches) else 0


def _measured(bench: Bench, words: Sequence[str]) -> Result:
    parser = argparse.ArgumentParser(prog=f"python -m bench {bench.name}", description=bench.about)
    bench.add_options(parser)
    asked = parser.parse_args(words)
    load, commit, started = surroundings.load(), surroundings.commit(), time.monotonic()
    yielded = list(bench.measure(asked))
    return Result(
        bench=bench.name,
        arguments=tuple(words),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        commit=commit,
        machine=surroundings.this_machine(),
        load=load,
        versions=surroundings.versions() | {each.name: each.value for each in yielded if isinstance(each, Version)},
        seconds=time.monotonic() - started,
        figures=tuple(each for each in yielded if isinstance(each, Figure)),
        tables=tuple(each for each in yielded if isinstance(each, Table)),
    )
