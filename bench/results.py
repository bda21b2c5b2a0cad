"""A bench and its results: figures with their bounds, tables, and the versions it used."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Cell = str | bool | int | float | None


@dataclass(frozen=True, slots=True)
class Bound:
    word: Literal["at most", "at least"]
    limit: float
    of: Literal["value", "ratio"] = "value"
    """A ratio to something timed in the same run means the same on a fast and on a busy machine."""

    def holds(self, measured: float) -> bool:
        return measured <= self.limit if self.word == "at most" else measured >= self.limit


def at_most(limit: float, *, of: Literal["value", "ratio"] = "value") -> Bound:
    return Bound("at most", limit, of)


def at_least(limit: float) -> Bound:
    return Bound("at least", limit)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Something simpler, measured in the same run."""

    what: str
    value: float
    """In the figure's unit."""


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    unit: str
    """Such as `ms`, or `of 20`."""
    bound: Bound | None = None
    baseline: Baseline | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """To the baseline."""
        return self.value / self.baseline.value if self.baseline and self.baseline.value else None

    @property
    def holds(self) -> bool | None:
        """None if there is no bound."""
        if self.bound is None:
            return None
        measured = self.value if self.bound.of == "value" else self.ratio
        return measured is not None and self.bound.holds(measured)


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """Version of something that only this bench uses."""

    name: str
    value: str


Yielded = Figure | Table | Version


@dataclass(frozen=True, slots=True)
class Machine:
    cpu: str
    cores: int
    memory_gb: float
    system: str


@dataclass(frozen=True, slots=True)
class Result:
    """One run of one bench, with everything needed to judge its figures."""

    bench: str
    arguments: tuple[str, ...]
    """Options from the command line, if it was not the usual run."""
    date: str
    commit: str
    machine: Machine
    load: float
    """The load average of the minute before: above 0, other work slowed the measurement."""
    versions: dict[str, str]
    seconds: float
    """Duration of the bench itself."""
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]

    @property
    def missed(self) -> tuple[Figure, ...]:
        """Figures whose bound does not hold."""
        return tuple(figure for figure in self.figures if figure.holds is False)


class BenchFailed(Exception):
    """Nothing could be measured. The message says why."""


def _no_options(_parser: ArgumentParser) -> None:
    """Most benches take none."""


@dataclass(frozen=True, slots=True)
class Bench:
    name: str
    title: str
    about: str
    """What is measured and how, for readers of the page."""
    measure: Callable[[Namespace], Iterator[Yielded]]
    add_options: Callable[[ArgumentParser], None] = field(default=_no_options)
    asks_model: bool = False
    """It needs the embedded model and half an hour."""
    takes_long: bool = False
    """It takes half an hour on any machine."""
    needs_others: bool = False
    """It needs files or programs of others, which are not part of this project."""
