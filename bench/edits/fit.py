"""`python -m bench edits --fit`: the weights in `core/edits/evidence.py`, from a seed that no figure is taken from.

Each weight in turn is moved to where the loss is least, until none moves; a step that wins less than `GAIN` is noise
and is not taken. The weights in the code are what this gives: it starts from them, moves none, and prints the loss
around each, so that everybody sees which of them matter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from bench.edits.corpus import Example, examples
from bench.edits.drifts import kinds
from bench.edits.judging import tried
from bench.harness import tell
from bench.results import Table
from mulligan.core.edits import apply_edit, evidence

SEED = 1
ROUNDS = 30
"""Edits of each kind."""
STEPS = (0.0, 0.7, 1.4, 2.0)
"""What a weight is multiplied by."""
GAIN = 3
"""What a step has to win: less is noise."""
WRONG = 40
"""What a wrong edit costs, in edits that are refused without need."""


def fitted() -> Iterator[Table]:
    edits = [edit for _, edit in examples(kinds(), SEED, ROUNDS * len(kinds()))]
    edits = [edit for edit in edits if _needs_evidence(edit)]
    least = _loss(edits)
    tell(f"{len(edits):,} edits hang on the weights; the loss is {least} to begin with")
    moved = True
    losses: dict[str, list[int]] = {}
    while moved:
        moved = False
        for name in asdict(evidence.weights):
            kept = evidence.weights
            tries = [replace(kept, **{name: round(getattr(kept, name) * step, 2)}) for step in STEPS]
            losses[name] = [_loss_with(weights, edits) for weights in tries]
            best = min(losses[name])
            if best <= least - GAIN:
                least, moved, evidence.weights = best, True, tries[losses[name].index(best)]
            tell(f"{name}: {getattr(evidence.weights, name)}, {least}; {losses[name]}")
    rows = tuple((name, value, least, *losses[name]) for name, value in asdict(evidence.weights).items())
    columns = ("weight", "bits", "loss", *(f"x {step:g}" for step in STEPS))
    yield Table(f"Weights fitted to {len(edits):,} edits of seed {SEED}, and the loss around them", columns, rows)


def _needs_evidence(edit: Example) -> bool:
    """Whether the weights make a difference: tried with some that believe nothing, and some that believe all."""
    kept = evidence.weights
    verdicts = set[str]()
    for weights in (replace(kept, place=1e9), replace(kept, known=1e6, letter=1e6, margin=-1e9, place=-1e9)):
        evidence.weights = weights
        verdicts.add(tried(apply_edit, edit).verdict)
    evidence.weights = kept
    return len(verdicts) > 1


def _loss_with(weights: evidence.Weights, edits: Sequence[Example]) -> int:
    kept, evidence.weights = evidence.weights, weights
    loss = _loss(edits)
    evidence.weights = kept
    return loss


def _loss(edits: Sequence[Example]) -> int:
    verdicts = [tried(apply_edit, edit).verdict for edit in edits]
    return verdicts.count("refused") + WRONG * verdicts.count("wrong")
