"""`python -m bench edits`: the corpus through `apply_edit`, what came out right, and how long it took."""

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from bench.edits import baselines
from bench.edits.corpus import Example, examples
from bench.edits.drifts import Kind, kinds
from bench.edits.fit import fitted
from bench.edits.judging import Apply, Outcome, tried
from bench.edits.report import appliers_table, bounded, hard_table, kinds_table, shown_example
from bench.edits.second.cases import Family, cases, families
from bench.edits.stress import big_file_examples, hard_inputs, timed
from bench.harness import tell
from bench.results import BenchFailed, Table, Yielded

MAX_SHOWN = 20

A_SECOND = 3
"""The second corpus has one edit for so many of the first."""

KindOrFamily = TypeVar("KindOrFamily", Kind, Family)

BASELINE_ROUNDS = 3
"""Examples of every kind that the baselines are tried on: difflib is slow."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=8, help="another seed is another corpus")
    parser.add_argument("--count", type=int, default=12_000, help="how many edits")
    parser.add_argument("--kind", default="", help="only kinds whose name contains this, and nothing else")
    parser.add_argument("--fit", action="store_true", help="fit the weights of the evidence, and measure nothing")
    parser.add_argument("--show", choices=("wrong", "refused"), help=f"up to {MAX_SHOWN} such edits, as they went")


def measure(asked: Namespace) -> Iterator[Yielded]:
    from mulligan.core.edits import apply_edit

    if asked.fit:
        yield from fitted()
        return
    chosen = [kind for kind in kinds() if asked.kind in kind.name]
    others = [family for family in families() if asked.kind in family.name]
    if not chosen and not others:
        raise BenchFailed(
            f"there is no such kind; there are: {'; '.join(each.name for each in (*kinds(), *families()))}"
        )
    outcomes = _outcomes(apply_edit, examples(chosen, asked.seed, asked.count), asked) if chosen else {}
    tables = (
        [kinds_table(f"Each kind of drift: {asked.count:,} edits of seed {asked.seed}", outcomes)] if chosen else []
    )
    second: dict[Family, list[Outcome]] = {}
    if others:
        count = asked.count if asked.kind else asked.count // A_SECOND
        tell("the second corpus")
        second = _outcomes(apply_edit, cases(asked.seed, count, others), asked)
        tables.append(kinds_table(f"The second corpus: {count:,} edits of seed {asked.seed}", second))
    if asked.kind:
        yield from tables
        return
    tell("simple ways, on a part of them")
    beside = _beside(apply_edit, chosen, asked.seed)
    tell("a file of 50,000 lines, and text that is made to be hard")
    big = [tried(apply_edit, edit) for edit in big_file_examples(asked.seed)]
    hard = [timed(apply_edit, each) for each in hard_inputs()]
    yield from bounded(outcomes, second, big, max(each.seconds for each in hard))
    yield beside
    yield hard_table(hard)
    yield from tables


def _outcomes(
    apply: Apply, edits: Iterable[tuple[KindOrFamily, Example]], asked: Namespace
) -> dict[KindOrFamily, list[Outcome]]:
    outcomes: dict[KindOrFamily, list[Outcome]] = defaultdict(list)
    shown = 0
    for number, (kind, edit) in enumerate(edits, 1):
        outcome = tried(apply, edit)
        if outcome.verdict == asked.show and shown < MAX_SHOWN:
            shown += 1
            tell(shown_example(edit, outcome))
        outcomes[kind].append(outcome)
        if number % 1000 == 0:
            tell(f"{number:,} edits")
    return outcomes


def _beside(apply: Apply, chosen: Sequence[Kind], seed: int) -> Table:
    edits = list(examples(chosen, seed, BASELINE_ROUNDS * len(chosen)))
    appliers = {"mulligan": apply, "plain ladder, windows from 0.66": baselines.ladder, "exact": baselines.exact}
    return appliers_table(
        {name: [(kind, tried(each, edit)) for kind, edit in edits] for name, each in appliers.items()}
    )
