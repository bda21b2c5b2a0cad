"""`python -m bench edits`: the corpus through `apply_edit`, what came out right, and how long it took."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence

from bench.edits import baselines
from bench.edits.corpus import examples
from bench.edits.drifts import Kind, kinds
from bench.edits.judging import Apply, Outcome, tried
from bench.edits.report import (
    COLUMNS,
    Outcomes,
    must_refuse,
    percent,
    percentile,
    print_example,
    rows_of,
    should_apply,
    summary,
)
from bench.edits.stress import big_file_examples, hard_inputs, timed
from bench.harness import print_table

SHOWN_AT_MOST = 20

BASELINE_ROUNDS = 3
"""Examples of every kind that the baselines are tried on: difflib is slow."""


def main(words: Sequence[str] = ()) -> bool:
    from mulligan.core.edits import apply_edit

    options = _options(words)
    chosen = [kind for kind in kinds() if options.kind in kind.name]
    outcomes = _outcomes(apply_edit, chosen, options)
    print_table(f"Edits: {options.count:,} of seed {options.seed}", COLUMNS, rows_of(outcomes))
    if options.kind:
        return True
    _print_baselines(apply_edit, chosen, options.seed)
    big = [tried(apply_edit, edit) for edit in big_file_examples(options.seed)]
    print_table("A file of 50,000 lines", COLUMNS, [summary("several", big, applied=False)])
    worst = _print_hard_inputs(apply_edit)
    return _print_bounds(outcomes, big, worst)


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench edits", description=__doc__)
    parser.add_argument("--seed", type=int, default=2, help="another seed is another corpus")
    parser.add_argument("--count", type=int, default=12_000, help="how many edits")
    parser.add_argument("--kind", default="", help="only kinds whose name contains this")
    parser.add_argument("--show", choices=("wrong", "refused"), help=f"print up to {SHOWN_AT_MOST} such edits")
    options = parser.parse_args(words)
    if not any(options.kind in kind.name for kind in kinds()):
        parser.error(f"there is no such kind; there are: {'; '.join(kind.name for kind in kinds())}")
    return options


def _outcomes(apply: Apply, chosen: Sequence[Kind], options: argparse.Namespace) -> Outcomes:
    outcomes: dict[Kind, list[Outcome]] = defaultdict(list)
    shown = 0
    for number, (kind, edit) in enumerate(examples(chosen, options.seed, options.count), 1):
        outcome = tried(apply, edit)
        if outcome.verdict == options.show and shown < SHOWN_AT_MOST:
            shown += 1
            print_example(edit, outcome)
        outcomes[kind].append(outcome)
        if number % 500 == 0:
            print(f"{number:,} of {options.count:,}", file=sys.stderr)
    return outcomes


def _print_baselines(apply: Apply, chosen: Sequence[Kind], seed: int) -> None:
    edits = list(examples(chosen, seed, BASELINE_ROUNDS * len(chosen)))
    appliers = {"mulligan": apply, "plain ladder, windows from 0.66": baselines.ladder, "exact": baselines.exact}
    rows: list[tuple[object, ...]] = []
    for name, applier in appliers.items():
        outcomes = [(kind, tried(applier, edit)) for kind, edit in edits]
        right = percent(outcome.verdict == "right" for kind, outcome in outcomes if kind.expects == "applied")
        wrong = percent(outcome.verdict == "wrong" for _, outcome in outcomes)
        rows.append(
            (name, len(edits), f"{right:.1f}", f"{wrong:.1f}", f"{percentile([o for _, o in outcomes], 50):.2f}")
        )
    print_table("Beside simple ways", ("applier", "edits", "applied right %", "wrong %", "median ms"), rows)


def _print_hard_inputs(apply: Apply) -> float:
    found = [timed(apply, hard) for hard in hard_inputs()]
    rows = [(one.name, one.result, f"{one.seconds * 1000:.0f}") for one in found]
    print_table("Text that is made to be hard", ("what", "result", "ms"), rows)
    return max(one.seconds for one in found)


def _print_bounds(outcomes: Outcomes, big: Sequence[Outcome], worst_hard: float) -> bool:
    apply, refuse = should_apply(outcomes), must_refuse(outcomes)
    everything = [*apply, *refuse]
    slowest = max(worst_hard, *(outcome.seconds for outcome in (*everything, *big)))
    wrong = sum(outcome.verdict == "wrong" for outcome in everything)
    at_least = (
        ("right, %", percent(outcome.verdict == "right" for outcome in apply), 97),
        ("byte exact, %", percent(outcome.exact for outcome in apply), 93),
    )
    at_most = (
        ("wrong, in 2,000", wrong * 2_000 / len(everything), 1),
        ("median, ms", percentile(everything, 50), 1.5),
        ("99th percentile, ms", percentile(everything, 99), 60),
        ("50,000 lines, median ms", percentile(big, 50), 150),
        ("slowest of all, ms", slowest * 1000, 2_000),
    )
    rows = [
        (name, f"{value:.2f}", f"at least {bound}", "yes" if value >= bound else "NO")
        for name, value, bound in at_least
    ]
    rows += [
        (name, f"{value:.2f}", f"at most {bound}", "yes" if value <= bound else "NO") for name, value, bound in at_most
    ]
    print_table("Bounds", ("what", "measured", "bound", "holds"), rows)
    return all(row[-1] == "yes" for row in rows)
