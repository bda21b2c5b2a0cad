"""Results for tests of how they are kept and shown."""

from argparse import Namespace
from collections.abc import Iterator

from bench.results import Baseline, Bench, Figure, Machine, Result, Table, Yielded, at_least, at_most

MACHINE = Machine("Some Processor", 2, 7.6, "Linux x86_64")

FAST = Figure("first request", 0.312345, "s", at_most(0.35), Baseline("bare client", 0.1), note="median")
SLOW = Figure("gap", 12.0, "ms", at_most(10))
RIGHT = Figure("right", 99.958, "%", at_least(97))
PLAIN = Figure("requests", 1234.0, "")
ROWS = Table("Rows", ("what", "ms", "holds"), (("a | b", 1.23456, True), ("c", None, False)), "A note.")


def result(bench: str, *figures: Figure, tables: tuple[Table, ...] = (), arguments: tuple[str, ...] = ()) -> Result:
    return Result(
        bench=bench,
        arguments=arguments,
        date="2026-11-16",
        commit="abc",
        machine=MACHINE,
        load=0.1,
        versions={"Python": "3.11", "git": "2.39"},
        seconds=12.345,
        figures=figures,
        tables=tables,
    )


def bench_of(name: str, *yielded: Yielded, asks_model: bool = False) -> Bench:
    def measure(_asked: Namespace) -> Iterator[Yielded]:
        yield from yielded

    return Bench(name, f"The {name}", f"How {name} is measured.", measure, asks_model=asks_model)
