"""What the sandbox promises is attacked, under every way that is said to hold it."""

import re

import pytest

from mulligan.core.sandbox.promises import PROMISES, Promise
from mulligan.drill.fault import Fault, Outcome
from mulligan.drill.gallery.sandbox import ESCAPES, SANDBOX
from mulligan.drill.gallery.sandbox.escape import ATTEMPT
from mulligan.drill.player import play_all
from mulligan.types.sandbox import SandboxMechanism
from mulligan.workspace.sandbox import find_sandbox

MECHANISMS: tuple[SandboxMechanism, ...] = ("bubblewrap", "landlock")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("promise", PROMISES, ids=[promise.name for promise in PROMISES])
def test_a_promise_is_attacked_where_it_is_held_and_only_there(promise: Promise, mechanism: SandboxMechanism) -> None:
    attacked = any(fault.promise == promise.name and fault.mechanism == mechanism for fault in SANDBOX)
    assert attacked == (getattr(promise, mechanism).level in ("held", "partly"))


def test_every_escape_names_a_promise() -> None:
    assert {escape.promise for escape in ESCAPES} == {promise.name for promise in PROMISES}


def test_a_promise_that_is_not_kept_in_full_says_why() -> None:
    assert not [
        promise.name
        for promise in PROMISES
        for kept in (promise.bubblewrap, promise.landlock)
        if kept.level != "held" and not kept.note
    ]


def test_no_two_attempts_of_an_escape_have_one_name() -> None:
    for escape in ESCAPES:
        names = ATTEMPT.findall(escape.program + escape.later)
        assert len(names) == len(set(names)), escape.name
        assert len(names) == len(re.findall(r"\battempt\(", escape.program + escape.later)), escape.name


def test_there_are_at_least_45() -> None:
    assert len(ESCAPES) >= 45


async def test_an_escape_is_not_played_where_its_way_does_not_work() -> None:
    """It would do what it tries. Seatbelt works on no machine that the drill is tested on."""
    assert find_sandbox("seatbelt").mechanism == "none"
    started: list[Fault] = []
    outcomes: list[Outcome] = []
    fault = next(fault for fault in SANDBOX)
    elsewhere = Fault(fault.name, fault.title, fault.steps, fault.claims, mechanism="seatbelt")
    end = await play_all([elsewhere], on_start=started.append, on_end=outcomes.append)
    assert [(each.played, each.requests) for each in outcomes] == [(False, 0)]
    assert (end.faults, end.held, end.exit_code) == (0, 0, 0)
