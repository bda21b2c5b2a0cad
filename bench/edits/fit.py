"""`python -m bench edits --fit`: the weights in `core/edits/evidence.py`, from a seed that no figure is taken from."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from bench.edits.corpus import Example, examples
from bench.edits.drifts import kinds
from bench.edits.judging import tried
from bench.harness import tell
from bench.results import Table
from mulligan.core.edits import apply_edit, evidence

SEED = 1
ROUNDS = 12
"""Edits of each kind."""
STEPS = (0.6, 0.85, 1.2, 1.6)
"""What a weight is multiplied by; one that is near zero is moved by ten times as many bits."""
GAIN = 2
"""Edits that a step has to win: less is noise."""
WRONG = 40
"""Edits that would have to come out right for a wrong one."""


def fitted() -> Iterator[Table]:
    """One weight after the other is moved to where the corpus comes out best."""
    edits = [edit for _, edit in examples(kinds(), SEED, ROUNDS * len(kinds()))]
    edits = [edit for edit in edits if _needs_evidence(edit)]
    best = _worth(edits)
    tell(f"{len(edits):,} edits hang on the weights; {best} to begin with")
    for name in asdict(evidence.weights):
        kept = evidence.weights
        for value in _tried_values(getattr(kept, name)):
            evidence.weights = replace(kept, **{name: value})
            worth = _worth(edits)
            if worth >= best + GAIN:
                best, kept = worth, evidence.weights
        evidence.weights = kept
        tell(f"{name}: {getattr(kept, name)}, {best}")
    rows = tuple((name, value) for name, value in asdict(evidence.weights).items())
    yield Table(f"Weights fitted to {len(edits):,} edits of seed {SEED}", ("weight", "bits"), rows)


def _tried_values(value: float) -> list[float]:
    if abs(value) < 2:
        return [round(value + 10 * (step - 1), 2) for step in STEPS]
    return [round(value * step, 2) for step in STEPS]


def _needs_evidence(edit: Example) -> bool:
    """Whether the weights make a difference: tried with some that believe nothing, and some that believe all."""
    kept = evidence.weights
    verdicts = set[str]()
    for weights in (replace(kept, place=1e9), replace(kept, known=1e6, letter=1e6, margin=-1e9, place=-1e9)):
        evidence.weights = weights
        verdicts.add(tried(apply_edit, edit).verdict)
    evidence.weights = kept
    return len(verdicts) > 1


def _worth(edits: Sequence[Example]) -> int:
    verdicts = [tried(apply_edit, edit).verdict for edit in edits]
    return verdicts.count("right") - WRONG * verdicts.count("wrong")
