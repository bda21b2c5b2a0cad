"""Results as Markdown: what a bench prints, and the page in the documents. Pure."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.results import Bench, Cell, Figure, Result, Table

FOLDED_FROM = 25
"""Rows. Longer tables are folded, so that the page can be read."""

INTRODUCTION = """# What was measured

`make bench` and `make bench-model` generate this page from `bench/results.json`. Don't edit either by hand. If
something simpler could be measured in the same run, it is shown next to the figure. The ratio then says more than the
figure itself, since a busy or slow machine slows down both. A missed bound fails the command.
"""


def page(results: Sequence[Result], benches: Sequence[Bench]) -> str:
    """The page of all benches, including those not run."""
    by_name = {result.bench: result for result in results}
    sections = [section(by_name[bench.name], bench) for bench in benches if bench.name in by_name]
    return "\n".join([INTRODUCTION, _overview(by_name, benches), *sections])


def section(result: Result, bench: Bench) -> str:
    """One bench."""
    parts = [f"## {bench.title}\n", f"{bench.about}\n", f"{_provenance(result)}\n"]
    if result.figures:
        parts.append(_figures(result.figures))
    return "\n".join([*parts, *(_titled(table) for table in result.tables)])


def _overview(by_name: Mapping[str, Result], benches: Sequence[Bench]) -> str:
    rows = [(_linked(bench, by_name), f"`{bench.name}`", *_held(by_name.get(bench.name))) for bench in benches]
    return _table(("what", "bench", "bounds that hold", "measured"), rows)


def _linked(bench: Bench, by_name: Mapping[str, Result]) -> str:
    """A link to its section, if it was run."""
    return f"[{bench.title}](#{_anchor(bench.title)})" if bench.name in by_name else bench.title


def _held(result: Result | None) -> tuple[str, str]:
    if result is None:
        return "-", "not yet"
    bounded = sum(figure.holds is not None for figure in result.figures)
    # A run with options may be partial, and must not pass for a full one.
    measured = f"{result.date}, with options" if result.arguments else result.date
    return f"{bounded - len(result.missed)} of {bounded}", measured


def _anchor(title: str) -> str:
    """The anchor that code hosts give a heading."""
    kept = "".join(character for character in title.lower() if character.isalnum() or character in " -")
    return kept.replace(" ", "-")


def _provenance(result: Result) -> str:
    machine = result.machine
    ran = shlex.join(["python", "-m", "bench", result.bench, *result.arguments])
    versions = ", ".join(f"{name} {value}" for name, value in result.versions.items())
    return (
        f"`{ran}`, {result.date}, at commit {result.commit}, in {_number(result.seconds)} s. {machine.cpu}, "
        f"{machine.cores} cores, {_number(machine.memory_gb)} GB, {machine.system}; load before the run: "
        f"{_number(result.load)}. {versions}."
    )


def _figures(figures: Sequence[Figure]) -> str:
    """A table without empty columns."""
    columns = ("figure", "measured", "beside it", "ratio", "bound", "holds", "note")
    rows = [_figure(figure) for figure in figures]
    used = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    return _table([columns[place] for place in used], [[row[place] for place in used] for row in rows])


def _figure(figure: Figure) -> tuple[str, ...]:
    beside = figure.baseline
    return (
        figure.name,
        _measured(figure.value, figure.unit),
        f"{_measured(beside.value, figure.unit)} ({beside.what})" if beside else "",
        "" if figure.ratio is None else _number(figure.ratio),
        _bound(figure),
        "" if figure.holds is None else _cell(figure.holds),
        figure.note,
    )


def _bound(figure: Figure) -> str:
    match figure.bound:
        case None:
            return ""
        case bound if bound.of == "ratio":
            return f"{bound.word} {_number(bound.limit)} times"
        case bound:
            return f"{bound.word} {_number(bound.limit)}"


def _measured(value: float, unit: str) -> str:
    # A percentage near 100 says nothing without its decimals.
    return f"{value:.2f} %" if unit == "%" else f"{_number(value)} {unit}".rstrip()


def _titled(table: Table) -> str:
    note = f"{table.note}\n\n" if table.note else ""
    body = _table(table.columns, [[_cell(cell) for cell in row] for row in table.rows])
    if len(table.rows) < FOLDED_FROM:
        return f"### {table.title}\n\n{note}{body}"
    return f"### {table.title}\n\n{note}<details><summary>{len(table.rows)} rows</summary>\n\n{body}\n</details>\n"


def _cell(cell: Cell) -> str:
    match cell:
        case None:
            return "-"
        case bool():
            return "yes" if cell else "**NO**"
        case str():
            return cell
        case _:
            return _number(cell)


def _number(value: float) -> str:
    """Three significant digits, and never fewer than before the decimal point."""
    if float(value).is_integer() or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    return "".join(_lines(columns, rows))


def _lines(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = list(columns)
    yield f"| {' | '.join(names)} |\n"
    yield f"|{'---|' * len(names)}\n"
    for row in rows:
        yield f"| {' | '.join(_on_a_line(cell) for cell in row)} |\n"


def _on_a_line(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
