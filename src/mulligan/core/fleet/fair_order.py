"""Who is next: among jobs that wait for a worker, and among calls that wait for a model server.

A label that has many jobs must not keep the others waiting. Jobs get a number when they are submitted, as packets do in
fair queueing: a label's next job comes after its last one, and not before the one that is being begun now. The queue is
then read in the order of one index, however many jobs and labels there are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CLASS_ROOM = 100_000_000
"""Numbers between two priorities: so many jobs of one label may wait before the order of the newest is lost."""


def queue_numbers(
    labels: Sequence[str], last: Mapping[str, int], front: int | None
) -> tuple[list[int], dict[str, int]]:
    """The numbers of new jobs of one priority, in order, and each label's newest number.

    `front` is the lowest number that waits; None where nothing does, and then all begin anew.
    """
    newest = dict(last) if front is not None else {}
    numbers: list[int] = []
    for label in labels:
        number = max(newest.get(label, -1) + 1, front or 0)
        newest[label] = min(number, CLASS_ROOM - 1)
        numbers.append(newest[label])
    return numbers, newest


def queue_priority(priority: int, number: int) -> int:
    """As the queue sorts: the highest first. It fits into 32 bits."""
    return priority * CLASS_ROOM - number


def class_bounds(priority: int) -> tuple[int, int]:
    """The lowest and the highest `queue_priority` of a priority."""
    return priority * CLASS_ROOM - CLASS_ROOM + 1, priority * CLASS_ROOM


@dataclass(frozen=True, slots=True)
class SlotClaim:
    """A call that has a slot of a model server, or waits for one. In the order in which they came."""

    id: str
    label: str
    granted: bool


def next_grants(slots: int, claims: Sequence[SlotClaim]) -> list[str]:
    """Which waiting calls get a slot now: each time one of the label that has the fewest, the longest waiting first."""
    held = Counter(claim.label for claim in claims if claim.granted)
    waiting = [claim for claim in claims if not claim.granted]
    grants: list[str] = []
    for _ in range(min(slots - held.total(), len(waiting))):
        chosen = min(waiting, key=lambda claim: held[claim.label])
        waiting.remove(chosen)
        held[chosen.label] += 1
        grants.append(chosen.id)
    return grants
