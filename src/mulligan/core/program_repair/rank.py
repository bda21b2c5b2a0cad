"""How likely a change is: by its operator, its features, its location, and the symptoms of the failure.

The weights are in one table, which `python -m bench.fixes.fit` computes from the bugs that the recipe was tuned on.
"""

from collections.abc import Mapping
from functools import cache
from math import log2

from mulligan.core.program_repair.symptoms import Symptom
from mulligan.runtime.packaged_data import packaged_json
from mulligan.syntax.code_edits import Edit

RANK = "rank of the place"
Features = Mapping[str, float]


def features_of(edit: Edit, rank: int, symptoms: frozenset[Symptom]) -> dict[str, float]:
    """The features of a change at the place with this rank of suspicion, from 0."""
    found = {RANK: log2(1 + rank), edit.operator: 1.0}
    for each in edit.features:
        found[f"{edit.operator} {each}"] = 1.0
    family = edit.operator.partition(".")[0]
    for symptom in sorted(symptoms):
        found[f"{symptom} & {family}"] = 1.0
    return found


def score(features: Features, weights: Mapping[str, float] | None = None) -> float:
    """Higher is likelier: the logarithm of a probability, up to a constant."""
    table = weights if weights is not None else priors()
    return sum(table.get(name, 0.0) * value for name, value in features.items())


@cache
def priors() -> Mapping[str, float]:
    table: Mapping[str, Mapping[str, float]] = packaged_json("mulligan.core.program_repair", "priors.json")
    return {f"{family}{rest}": value for family, row in table.items() for rest, value in row.items()}
