"""Fit the table of priors: `python -m bench.fixes.fit --write` on the bugs that the recipe was tuned on.

Every cure is a choice among all the changes that operators make of the suspicious places. The weights are those under
which the cures are likeliest, kept small where there is little to go by.
"""

import argparse
import json
import math
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.fixes.ranks import brief_of, tokens, write
from bench.fixes.tasks import Task, load_tasks
from bench.harness import tell
from mulligan.core.program_repair import rank
from mulligan.core.program_repair.candidates import Slip, slips

SEEN, MADE = 0.5, 5.0
"""Cures and changes that every operator is given to begin with."""
OF_FEATURES, OF_SYMPTOMS = 20.0, 1000.0
"""Changes after which what was seen of a feature counts as much as what its operator is worth."""
MAX_OTHERS_LISTED = 500
"""Changes of a task that a cure is held against, drawn from a seed: all of them would take an hour."""
TABLE = Path(rank.__file__).with_name("priors.json")
SLACK = 6
"""Characters by which a cure may differ from the same one in another layout, spaces aside."""

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Choice:
    name: str
    right: tuple[Features, ...]
    others: tuple[Features, ...]
    weight: float = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fixes.fit", description=__doc__)
    parser.add_argument("--write", action="store_true", help="into the table that is shipped")
    asked = parser.parse_args()
    tasks = [*load_tasks("tuned"), *load_tasks("larger")]
    found = [each for task in tasks if task.runs_here for each in choices(task)]
    weights = fitted(found)
    ranks = sorted(_rank(each, weights) for each in found)
    tell(f"{len(found)} choices, median rank {ranks[len(ranks) // 2]}, first {sum(each == 1 for each in ranks)}")
    if asked.write:
        TABLE.write_text(written(weights), encoding="utf-8")


def written(weights: Mapping[str, float]) -> str:
    """A line for each family of operators, each with what makes it likelier or less likely, and for each symptom."""
    rows: dict[str, dict[str, float]] = {}
    for name, value in sorted(weights.items()):
        if abs(value) >= 0.005 and (parts := re.fullmatch(r"(\w+)(.*)", name)):
            rows.setdefault(parts[1], {})[parts[2]] = round(value, 2)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(features)}" for name, features in rows.items())
    return f"{{\n{lines}\n}}\n"


def choices(task: Task, weight: float = 1.0) -> Iterator[Choice]:
    """One for each cure; of several that only help together, one for all of them."""
    with tempfile.TemporaryDirectory(prefix="fit-") as made:
        folder = Path(made).resolve()
        write(task.files, folder)
        brief = brief_of(task, folder)
        files = {path: tuple(task.files[path].split("\n")) for path in (*brief.paths, *brief.references)}
        found = slips(brief, files)
    whole = dict(task.files)
    for path, old, new in task.cure:
        whole[path] = whole[path].replace(old, new)
    wanted = [(path, task.files[path].replace(old, new)) for path, old, new in task.cure]
    changed = {path for path, _, _ in task.cure}
    together = [(path, whole[path]) for path in changed] if len(changed) == 1 and len(wanted) > 1 else []
    right = [[slip for slip in found if is_cure(slip, path, text)] for path, text in wanted]
    if together and any(is_cure(slip, *together[0]) for slip in found):
        right = [[slip for slip in found if is_cure(slip, *together[0])]]
    for place, cures in enumerate(right):
        if not cures:
            tell(f"not made: {task.name} ({task.bug}): {task.cure[place][1]!r} → {task.cure[place][2]!r}"[:200])
            continue
        every = {id(slip) for each in right for slip in each}
        others = [slip.features for slip in found if id(slip) not in every]
        if len(others) > MAX_OTHERS_LISTED:
            others = random.Random(task.name).sample(others, MAX_OTHERS_LISTED)
        yield Choice(task.name, tuple(slip.features for slip in cures), tuple(others), weight)


def is_cure(slip: Slip, path: str, text: str) -> bool:
    if slip.tree.path != path:
        return False
    after = slip.edit.applied(slip.tree.text).decode()
    if abs(_size(after) - _size(text)) > SLACK + 30 * (text.count("#") != after.count("#")):
        return False
    return tokens(path, after.split("\n")) == tokens(path, text.split("\n"))


def _size(text: str) -> int:
    return sum(not each.isspace() for each in text)


def fitted(found: Sequence[Choice]) -> dict[str, float]:
    """How often a change of an operator is a cure, and how much more often where a feature or a symptom is there.

    An operator that was never seen to cure anything is not worth less than others unless it makes many changes: what
    fits seldom is seldom there by chance. What was seen seldom stays near what it is a part of.
    """
    cures: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for each in found:
        for row in each.right:
            cures.update({name: 1 / len(each.right) for name in row})
        for row in (*each.right, *each.others):
            made.update(row.keys())
    operators = [name for name in made if "." in name and " " not in name]
    rate = {name: (cures[name] + SEEN) / (made[name] + MADE) for name in operators}
    mean = sum(map(math.log, rate.values())) / len(rate)
    weights = {name: math.log(value) - mean for name, value in rate.items()}
    families: dict[str, list[str]] = {}
    for name in operators:
        families.setdefault(name.partition(".")[0], []).append(name)
    for name in made:
        operator, _, feature = name.partition(" ")
        family = name.rpartition(" & ")[2] if " & " in name else ""
        own, slack = ([operator], OF_FEATURES) if operator in rate else (families.get(family, []), OF_SYMPTOMS)
        if feature and own:
            # What every operator is given to begin with is spread over all that it makes.
            every = sum(made[each] for each in own)
            usual = (sum(cures[each] for each in own) + SEEN) / (every + MADE)
            share = made[name] / every
            seen = (cures[name] + SEEN * share + slack * usual) / (made[name] + MADE * share + slack)
            weights[name] = math.log(seen / usual)
    return {rank.RANK: _slope(found, weights), **weights}


def _slope(found: Sequence[Choice], weights: Mapping[str, float]) -> float:
    """How fast places become less likely with their rank: so that the cures are likeliest."""

    def likelihood(slope: float) -> float:
        table = {**weights, rank.RANK: slope}
        return sum(_log_chance(each, table) for each in found)

    return max((step / -20 for step in range(2, 31)), key=likelihood)


def _log_chance(choice: Choice, weights: Mapping[str, float]) -> float:
    right = [rank.score(each, weights) for each in choice.right]
    every = [*right, *(rank.score(each, weights) for each in choice.others)]
    return math.log(sum(map(math.exp, right)) / sum(map(math.exp, every)))


def _rank(choice: Choice, weights: Mapping[str, float]) -> int:
    best = max(rank.score(each, weights) for each in choice.right)
    return 1 + sum(rank.score(each, weights) > best for each in choice.others)


if __name__ == "__main__":
    main()
