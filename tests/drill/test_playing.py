"""Whatever a fault brings about, playing it tells of it and goes on."""

from collections.abc import AsyncGenerator, Sequence

import pytest
import pytest_asyncio

from mulligan.drill.claims import exits
from mulligan.drill.commands import WarmCommands, loaded
from mulligan.drill.fault import CommandStep, Fault, FolderStep
from mulligan.drill.observed import FinishedCommand, Observation
from mulligan.drill.player import play

LISTED = CommandStep(("changes", "list"))


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def commands() -> AsyncGenerator[WarmCommands]:
    async with loaded() as started:
        yield started


def odd(seen: Observation) -> str | None:
    return seen.last.last["no such field"]


async def test_a_claim_that_trips_over_what_was_printed_is_broken_and_the_others_are_still_checked(
    commands: WarmCommands,
) -> None:
    outcome = await play(Fault("odd", "odd frames", (LISTED,), (odd, exits(0), exits(7))), commands)
    assert outcome.problems == (
        "what was printed is not what it should be: KeyError: 'no such field'",
        "exit code 0, not 7",
    )
    assert not outcome.holds


async def test_a_step_that_can_not_be_made_from_what_was_seen_is_a_broken_fault(commands: WarmCommands) -> None:
    def words(before: Sequence[FinishedCommand]) -> Sequence[str]:
        return ("ask", "--chat", before[0].last["chat_id"])

    outcome = await play(Fault("odd", "no chat", (CommandStep(words),), ()), commands)
    assert outcome.problems == ("it could not be played: IndexError: list index out of range",)
    assert (outcome.did, outcome.holds) == ("was not played", False)


async def test_a_deed_that_fails_is_a_broken_fault(commands: WarmCommands) -> None:
    fault = Fault("odd", "a missing file", (FolderStep(lambda project: (project / "missing").unlink()),), ())
    outcome = await play(fault, commands)
    assert outcome.problems[0].startswith("it could not be played: FileNotFoundError")
