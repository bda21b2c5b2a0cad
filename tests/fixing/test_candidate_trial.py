"""Which tested changes are kept."""

from pathlib import Path

import pytest

from mulligan.core.program_repair.candidates import Candidate
from mulligan.fixing.candidate_trial import CandidateTrial
from tests.fixing.test_guided_questions import ADDS, EARLY, FINES, MULTIPLIES, Bench

BREAKING = tuple(FINES.replace(ADDS, MULTIPLIES).replace(EARLY, "return days >= 0").rstrip("\n").split("\n"))
"""Of the two tests that fail, none does any more; one that passed does."""


@pytest.mark.parametrize("fills_stub", [False, True])
async def test_only_what_was_missing_may_fail_a_test_that_passed(tmp_path: Path, fills_stub: bool) -> None:
    bench = Bench(tmp_path)
    trial = CandidateTrial(bench, await bench.run(), {}, floor=0)
    written = Candidate("fines.py", BREAKING, "fines.py: fine_for written", fills_stub=fills_stub)
    assert await trial.failing_with(written) == 0
    assert await trial.try_to_keep(written) == fills_stub


async def test_a_text_with_another_quote_in_it_is_another_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    trial = CandidateTrial(bench, await bench.run(), {}, floor=0)
    one, other = (Candidate("fines.py", (f"MARK = {quoted}",), "a mark") for quoted in ('"\'"', "'\"'"))
    await trial.failing_with(one)
    assert not trial.is_new(one, ())
    assert trial.is_new(other, ())
