"""The drill's gallery of faults: requests spent, what Mulligan did, and whether it held. Beside it, what others did."""

import asyncio
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bench import peers
from bench.harness import tell
from bench.results import Figure, Table, Yielded, at_least, at_most
from mulligan.drill.fault import Outcome
from mulligan.drill.gallery import GALLERY
from mulligan.drill.player import play_all

MAX_SECONDS = 120.0
"""For the whole drill on two cores."""

SAME_FAULT = {
    "same call for ever": "same-call",
    "failing calls, mixed": "mixed-failures",
    "unknown tool": "unknown-tool",
    "failing edits, varied": "failing-edits",
    "failing test again and again": "failing-test-again",
    "empty replies": "empty-replies",
    "stream cut twice": "cut-twice",
}
"""The fault of the gallery that is the same as one of the peers' was."""


def measure(_asked: Namespace) -> Iterator[Yielded]:
    by_name: dict[str, Outcome] = {}

    def ended(outcome: Outcome) -> None:
        by_name[outcome.name] = outcome
        _tell_of(outcome)

    end = asyncio.run(play_all(GALLERY, on_start=lambda _fault: None, on_end=ended))
    yield Figure("faults that held", end.held, f"of {end.faults}", at_least(end.faults))
    yield Figure("the whole drill", end.seconds, "s", at_most(MAX_SECONDS))
    yield Figure("requests to the model, over all faults", end.requests, "")
    yield beside_peers(by_name)
    yield faults_table([by_name[fault.name] for fault in GALLERY])


def beside_peers(by_name: Mapping[str, Outcome]) -> Table:
    """The same faults as others met them."""
    ours = tuple(_met(by_name[SAME_FAULT[fault]]) for fault in peers.FAULTS)
    rows = (("**Mulligan**", *ours), *((agent, *met) for agent, met in peers.GUARDS.items()))
    note = f"Requests until it stopped, and the exit code; 60+: it never did. The others are {peers.QUOTED}."
    return Table("The same faults, and others", ("agent", *peers.FAULTS), rows, note)


def faults_table(outcomes: Sequence[Outcome]) -> Table:
    rows = tuple((each.group, each.title, each.did, each.requests, each.seconds, each.holds) for each in outcomes)
    columns = ("group", "the model or the world", "Mulligan", "requests", "seconds", "holds")
    return Table(
        "Each fault", columns, rows, "Several are played at a time, so seconds add up to more than the drill took."
    )


def _met(outcome: Outcome) -> str:
    """The last of what Mulligan did is how it ended."""
    return f"{outcome.requests}, {outcome.did.rpartition('; ')[2]}"


def _tell_of(outcome: Outcome) -> None:
    tell(f"{'held  ' if outcome.holds else 'BROKEN'} {outcome.seconds:5.1f} s  {outcome.name}: {outcome.did}")
    for problem in outcome.problems:
        tell(f"       {problem}")
