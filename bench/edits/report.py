"""What the bench prints: tables of outcomes, and single edits for whoever wants to know what went wrong."""

import difflib
import statistics
from collections.abc import Iterable, Mapping, Sequence

from bench.edits.corpus import Example
from bench.edits.drifts import Kind
from bench.edits.judging import Outcome

COLUMNS = ("kind", "edits", "right %", "byte exact %", "wrong", "refused", "median ms", "p99 ms")

Outcomes = Mapping[Kind, Sequence[Outcome]]


def rows_of(outcomes: Outcomes) -> list[tuple[object, ...]]:
    """A row a kind, and the totals of what should apply and of what must not."""
    return [
        *(summary(kind.name, of_kind, applied=kind.expects == "applied") for kind, of_kind in outcomes.items()),
        summary("**all that should apply**", should_apply(outcomes)),
        summary("**all that must be refused**", must_refuse(outcomes), applied=False),
    ]


def summary(name: str, outcomes: Sequence[Outcome], *, applied: bool = True) -> tuple[object, ...]:
    return (
        name.replace("|", "\\|"),
        len(outcomes),
        f"{percent(outcome.verdict == 'right' for outcome in outcomes):.1f}",
        f"{percent(outcome.exact for outcome in outcomes):.1f}" if applied else "-",
        sum(outcome.verdict == "wrong" for outcome in outcomes),
        sum(outcome.result is None for outcome in outcomes),
        f"{percentile(outcomes, 50):.2f}",
        f"{percentile(outcomes, 99):.1f}",
    )


def should_apply(outcomes: Outcomes) -> list[Outcome]:
    return [outcome for kind, of_kind in outcomes.items() if kind.expects == "applied" for outcome in of_kind]


def must_refuse(outcomes: Outcomes) -> list[Outcome]:
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


def print_example(example: Example, outcome: Outcome) -> None:
    """Invisible characters are written out."""
    print(f"### {example.kind}, {example.source}: {outcome.verdict}\n")
    for name, text in (("old", example.old), ("new", example.new)):
        print(f"{name}:")
        print("\n".join(f"    {_visible(line)}" for line in text.split("\n")))
    names = ("as it should be", "as it came out") if outcome.result is not None else ("the file", "as it should be")
    texts = (example.expected, outcome.result) if outcome.result is not None else (example.content, example.expected)
    one, other = ((text or "").split("\n") for text in texts)
    for line in difflib.unified_diff(one, other, *names, n=1, lineterm=""):
        print(f"    {_visible(line)}")
    print()


def _visible(line: str) -> str:
    shown = line.replace("\t", "→   ").replace("\r", "␍")
    return "".join(character if character.isprintable() else f"<{ord(character):04x}>" for character in shown)
