"""Which job gets the next worker, and which call the next slot of a model server.

A label with many jobs must not keep the others waiting. Jobs get a number when they are submitted, like packets in fair
queueing: a label's next job comes after its last one, and not before the one that starts now. So the queue is read in
the order of one index, however many jobs and labels there are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NUMBERS_PER_PRIORITY = 100_000_000
"""Numbers per priority. If more jobs of one label wait, the newest are no longer ordered."""


def queue_numbers(
    labels: Sequence[str], last: Mapping[str, int], front: int | None
) -> tuple[list[int], dict[str, int]]:
    """The numbers of new jobs of one priority, in order, and each label's newest number.

    `front` is the lowest waiting number. None if nothing waits: then numbering starts over.
    """
    newest = dict(last) if front is not None else {}
    numbers: list[int] = []
    for label in labels:
        number = max(newest.get(label, -1) + 1, front or 0)
        newest[label] = min(number, NUMBERS_PER_PRIORITY - 1)
        numbers.append(newest[label])
    return numbers, newest


def queue_priority(priority: int, number: int) -> int:
    """The priority in the queue, which takes the highest first. Fits into 32 bits."""
    return priority * NUMBERS_PER_PRIORITY - number


def priority_bounds(priority: int) -> tuple[int, int]:
    """The lowest and the highest `queue_priority` of a priority."""
    return priority * NUMBERS_PER_PRIORITY - NUMBERS_PER_PRIORITY + 1, priority * NUMBERS_PER_PRIORITY


@dataclass(frozen=True, slots=True)
class SlotClaim:
    """A call that has a slot of a model server, or waits for one."""

    id: str
    label: str
    granted: bool


def next_grants(slots: int, claims: Sequence[SlotClaim]) -> list[str]:
    """The waiting calls that get a slot now: the label with the fewest slots first, of one label the longest waiting.

    `claims` are in order of arrival.
    """
    held = Counter(claim.label for claim in claims if claim.granted)
    waiting = [claim for claim in claims if not claim.granted]
    grants: list[str] = []
    for _ in range(min(slots - held.total(), len(waiting))):
        chosen = min(waiting, key=lambda claim: held[claim.label])
        waiting.remove(chosen)
        held[chosen.label] += 1
        grants.append(chosen.id)
    return grants
