"""What the bench tells: figures and tables of outcomes, and single edits for whoever wants to know what went wrong."""

import difflib
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.edits.corpus import Example
from bench.edits.drifts import Kind
from bench.edits.judging import Outcome
from bench.edits.second.cases import Family
from bench.edits.stress import Timed
from bench.results import Cell, Figure, Table, at_least, at_most

Outcomes = Mapping[Kind, Sequence[Outcome]] | Mapping[Family, Sequence[Outcome]]


ASKED = {"one wrong letter": 97, "three wrong letters": 95, "line invented": 95}
"""Kinds that both corpora have, and the percentage that has to come out right."""


def bounded(outcomes: Outcomes, second: Outcomes, big: Sequence[Outcome], slowest_hard: float) -> Iterator[Figure]:
    """What is asked of both corpora, of a big file, and of text that is made to be hard."""
    yield from _of_corpus("", outcomes)
    yield from _of_corpus("second corpus: ", second)
    everything = [outcome for corpus in (outcomes, second) for of_kind in corpus.values() for outcome in of_kind]
    slowest = max(slowest_hard, *(outcome.seconds for outcome in (*everything, *big)))
    yield Figure("an edit, median", percentile(everything, 50), "ms", at_most(1.5), note="of the processor's time")
    yield Figure("an edit, 99th percentile", percentile(everything, 99), "ms", at_most(60))
    yield Figure("in a file of 50,000 lines, median", percentile(big, 50), "ms", at_most(150), note=f"{len(big)} edits")
    yield Figure("the slowest of all", slowest * 1000, "ms", at_most(2_000))


def _of_corpus(named: str, outcomes: Outcomes) -> Iterator[Figure]:
    apply, refuse = _should_apply(outcomes), _must_refuse(outcomes)
    count = len(apply) + len(refuse)
    wrong = sum(outcome.verdict == "wrong" for outcome in (*apply, *refuse))
    ways = f"{len(apply):,} edits in {sum(kind.expects == 'applied' for kind in outcomes)} ways"
    yield Figure(f"{named}right", percent(each.verdict == "right" for each in apply), "%", at_least(97), note=ways)
    yield Figure(f"{named}right to the byte", percent(each.exact for each in apply), "%", at_least(93))
    refused = percent(each.verdict == "right" for each in refuse)
    ways = f"{len(refuse):,} edits in {sum(kind.expects != 'applied' for kind in outcomes)} ways"
    yield Figure(f"{named}refused, of what must be", refused, "%", at_least(100), note=ways)
    yield Figure(f"{named}wrong", wrong * 2_000 / count, "in 2,000", at_most(1), note=f"{wrong} of {count:,}")
    for kind, of_kind in outcomes.items():
        if kind.name in ASKED:
            right = percent(each.verdict == "right" for each in of_kind)
            yield Figure(f"{named}{kind.name}", right, "%", at_least(ASKED[kind.name]), note=f"{len(of_kind):,} edits")


def kinds_table(title: str, outcomes: Outcomes) -> Table:
    """A row a kind, and the totals of what should apply and of what must not."""
    rows = (
        _summary("all that should apply", _should_apply(outcomes)),
        _summary("all that must be refused", _must_refuse(outcomes), applied=False),
        *(_summary(kind.name, of_kind, applied=kind.expects == "applied") for kind, of_kind in outcomes.items()),
    )
    columns = ("kind", "edits", "right %", "byte exact %", "wrong", "refused", "median ms", "p99 ms")
    return Table(title, columns, rows)


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
