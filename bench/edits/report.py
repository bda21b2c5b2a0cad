"""What the bench tells: figures and tables of outcomes, and single edits for whoever wants to know what went wrong."""

import difflib
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.edits.corpus import Example
from bench.edits.drifts import Kind
from bench.edits.judging import Outcome
from bench.edits.stress import Timed
from bench.results import Cell, Figure, Table, at_least, at_most

Outcomes = Mapping[Kind, Sequence[Outcome]]


def bounded(outcomes: Outcomes, big: Sequence[Outcome], slowest_hard: float) -> Iterator[Figure]:
    """What is asked of the whole corpus, of a big file, and of text that is made to be hard."""
    apply, refuse = _should_apply(outcomes), _must_refuse(outcomes)
    everything = [*apply, *refuse]
    ways = f"{len(apply):,} edits in {sum(kind.expects == 'applied' for kind in outcomes)} ways"
    wrong = sum(outcome.verdict == "wrong" for outcome in everything)
    slowest = max(slowest_hard, *(outcome.seconds for outcome in (*everything, *big)))
    yield Figure("right", percent(each.verdict == "right" for each in apply), "%", at_least(97), note=ways)
    yield Figure("right to the byte", percent(each.exact for each in apply), "%", at_least(93))
    refused = percent(each.verdict == "right" for each in refuse)
    ways = f"{len(refuse):,} edits in {sum(kind.expects != 'applied' for kind in outcomes)} ways"
    yield Figure("refused, of what must be", refused, "%", note=ways)
    yield Figure(
        "wrong", wrong * 2_000 / len(everything), "in 2,000", at_most(1), note=f"{wrong} of {len(everything):,}"
    )
    yield Figure("an edit, median", percentile(everything, 50), "ms", at_most(1.5))
    yield Figure("an edit, 99th percentile", percentile(everything, 99), "ms", at_most(60))
    yield Figure("in a file of 50,000 lines, median", percentile(big, 50), "ms", at_most(150), note=f"{len(big)} edits")
    yield Figure("the slowest of all", slowest * 1000, "ms", at_most(2_000))


def kinds_table(count: int, seed: int, outcomes: Outcomes) -> Table:
    """A row a kind, and the totals of what should apply and of what must not."""
    rows = (
        _summary("all that should apply", _should_apply(outcomes)),
        _summary("all that must be refused", _must_refuse(outcomes), applied=False),
        *(_summary(kind.name, of_kind, applied=kind.expects == "applied") for kind, of_kind in outcomes.items()),
    )
    columns = ("kind", "edits", "right %", "byte exact %", "wrong", "refused", "median ms", "p99 ms")
    return Table(f"Each kind of drift: {count:,} edits of seed {seed}", columns, rows)


def appliers_table(by_applier: Mapping[str, Sequence[tuple[Kind, Outcome]]]) -> Table:
    rows = tuple(
        (
            name,
            len(outcomes),
            percent(outcome.verdict == "right" for kind, outcome in outcomes if kind.expects == "applied"),
            percent(outcome.verdict == "wrong" for _, outcome in outcomes),
            percentile([outcome for _, outcome in outcomes], 50),
        )
        for name, outcomes in by_applier.items()
    )
    return Table("Beside simple ways", ("applier", "edits", "applied right %", "wrong %", "median ms"), rows)


def hard_table(hard: Sequence[Timed]) -> Table:
    rows = tuple((each.name, each.result, each.seconds * 1000) for each in hard)
    return Table("Text that is made to be hard", ("what", "result", "ms"), rows)


def _summary(name: str, outcomes: Sequence[Outcome], *, applied: bool = True) -> tuple[Cell, ...]:
    return (
        name,
        len(outcomes),
        percent(outcome.verdict == "right" for outcome in outcomes),
        percent(outcome.exact for outcome in outcomes) if applied else None,
        sum(outcome.verdict == "wrong" for outcome in outcomes),
        sum(outcome.result is None for outcome in outcomes),
        percentile(outcomes, 50),
        percentile(outcomes, 99),
    )


def _should_apply(outcomes: Outcomes) -> list[Outcome]:
    return [outcome for kind, of_kind in outcomes.items() if kind.expects == "applied" for outcome in of_kind]


def _must_refuse(outcomes: Outcomes) -> list[Outcome]:
    return [outcome for kind, of_kind in outcomes.items() if kind.expects != "applied" for outcome in of_kind]


def percent(hits: Iterable[bool]) -> float:
    found = list(hits)
    return 100 * sum(found) / len(found) if found else 100.0


def percentile(outcomes: Sequence[Outcome], part: int) -> float:
    """In milliseconds."""
    seconds = [outcome.seconds for outcome in outcomes]
    if len(seconds) < 2:
        return sum(seconds) * 1000
    return statistics.quantiles(seconds, n=100, method="inclusive")[part - 1] * 1000


def shown_example(example: Example, outcome: Outcome) -> str:
    """Invisible characters are written out."""
    shown = [f"{example.kind}, {example.source}: {outcome.verdict}"]
    for name, text in (("old", example.old), ("new", example.new)):
        shown += [f"{name}:", *(f"    {_visible(line)}" for line in text.split("\n"))]
    names = ("as it should be", "as it came out") if outcome.result is not None else ("the file", "as it should be")
    texts = (example.expected, outcome.result) if outcome.result is not None else (example.content, example.expected)
    one, other = ((text or "").split("\n") for text in texts)
    shown += [f"    {_visible(line)}" for line in difflib.unified_diff(one, other, *names, n=1, lineterm="")]
    return "\n".join(shown)


def _visible(line: str) -> str:
    shown = line.replace("\t", "→   ").replace("\r", "␍")
    return "".join(character if character.isprintable() else f"<{ord(character):04x}>" for character in shown)
