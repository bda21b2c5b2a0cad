"""The tables over the drill's outcomes."""

from bench import peers
from bench.guards import SAME_FAULT, beside_peers, faults_table
from mulligan.drill.fault import Outcome


def outcome(name: str, did: str = "answered, exit 0", *, holds: bool = True) -> Outcome:
    problems = () if holds else ("it did not",)
    return Outcome(
        name=name, title=f"Of {name}", group="loops", did=did, requests=4, holds=holds, problems=problems, seconds=1.5
    )


def test_mulligan_stands_first_among_others_with_requests_and_how_it_ended() -> None:
    outcomes = {name: outcome(name, "gave a recovery note; mistakes, exit 3") for name in SAME_FAULT.values()}
    table = beside_peers(outcomes)
    assert table.columns == ("agent", *peers.FAULTS)
    assert table.rows[0] == ("**Mulligan**", *["4, mistakes, exit 3"] * len(peers.FAULTS))
    assert [row[0] for row in table.rows[1:]] == list(peers.GUARDS)


def test_every_fault_has_a_row_that_says_whether_it_held() -> None:
    table = faults_table([outcome("a"), outcome("b", holds=False)])
    assert [(row[1], row[-1]) for row in table.rows] == [("Of a", True), ("Of b", False)]
