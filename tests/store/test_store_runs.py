"""Fix runs: kept after every node, worked on by one process at a time."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.process_owner import STALE_AFTER, Owner, this_process
from mulligan.store.store import SqlStore, open_store
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.fixing import RunState
from tests.fixing.run_states import a_command_run, a_failed_run, a_run
from tests.store.conftest import ManualClock

PROJECT = "/projects/engine"
ME = this_process()
GONE = replace(ME, started="another boot/1")
ELSEWHERE = replace(ME, host="elsewhere")


async def hand_over(raw: Database, run_id: str, owner: Owner) -> None:
    await raw.execute("UPDATE fix_runs SET owner = :owner WHERE id = :id", id=run_id, owner=owner.to_json())


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(a_run(), id="one that has just begun"),
        pytest.param(a_failed_run(), id="one that has ended"),
        pytest.param(a_run(goal="caf\u00e9 \U0001f37b \0 \udcff \ud800"), id="a goal that is no text"),
        pytest.param(
            a_run(project="/projects/\udcff\udcfe 100%", files=("src/\udcff.py",)), id="names that are no text"
        ),
    ],
)
async def test_a_run_is_found_as_it_was_added(store: SqlStore, clock: ManualClock, state: RunState) -> None:
    await store.runs.add(state)
    kept = await store.runs.find(state.project, state.id[:4])
    assert kept.state == state
    assert (kept.running, kept.updated_at) == (True, clock.now)


async def test_what_commands_wrote_is_not_kept(store: SqlStore, raw: Database) -> None:
    run = a_command_run(1, stdout="a flood", stderr="a flood")
    await store.runs.add(a_run(runs=(run,)))
    row = await raw.fetch_one("SELECT state FROM fix_runs")
    assert row is not None
    assert "flood" not in row["state"]
    (kept,) = await store.runs.list(PROJECT)
    assert kept.state.runs == (a_command_run(1),)


async def test_a_saved_run_stands_as_it_was_saved(store: SqlStore, clock: ManualClock) -> None:
    await store.runs.add(a_run())
    clock.now += 5
    await store.runs.save(a_failed_run())
    kept = await store.runs.find(PROJECT, "ab")
    assert (kept.state, kept.updated_at) == (a_failed_run(), clock.now)


async def test_runs_of_a_project_are_listed_the_newest_first_whatever_the_clock_says(
    store: SqlStore, clock: ManualClock
) -> None:
    for number in range(3):
        clock.now -= 1
        await store.runs.add(a_run(id=f"run{number}"))
        await store.runs.add(a_run(id=f"other{number}", project="/elsewhere"))
    assert [kept.state.id for kept in await store.runs.list(PROJECT)] == ["run2", "run1", "run0"]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        pytest.param("zz", "no run 'zz' of this project: `mulligan runs list`", id="no such run"),
        pytest.param("e", "no run 'e'", id="a run of another project"),
        pytest.param("ab", r"several runs \(ab10000000, ab20000000\): type more", id="several"),
        pytest.param(" ", "no run was named", id="nothing typed"),
        pytest.param("%", "no run '%'", id="a wildcard of LIKE"),
    ],
)
async def test_what_names_no_single_run_is_explained(store: SqlStore, typed: str, words: str) -> None:
    for run_id in ("ab10000000", "ab20000000"):
        await store.runs.add(a_run(id=run_id))
    await store.runs.add(a_run(id="e000000000", project="/elsewhere"))
    with pytest.raises(ConfigurationError, match=words):
        await store.runs.find(PROJECT, typed)


@pytest.mark.parametrize(
    ("owner", "silence", "running"),
    [
        pytest.param(ME, 0.0, True, id="a live process"),
        pytest.param(ME, STALE_AFTER, True, id="a live process that is silent"),
        pytest.param(GONE, 0.0, False, id="a process that is gone"),
        pytest.param(ELSEWHERE, 0.0, True, id="a process on another host"),
        pytest.param(ELSEWHERE, STALE_AFTER, False, id="a silent one on another host"),
    ],
)
async def test_a_run_is_taken_over_only_if_its_process_will_not_go_on(
    store: SqlStore, raw: Database, clock: ManualClock, *, owner: Owner, silence: float, running: bool
) -> None:
    await store.runs.add(a_run())
    await hand_over(raw, "ab12cd34ef", owner)
    clock.now += silence
    assert (await store.runs.find(PROJECT, "ab")).running is running
    if running:
        with pytest.raises(ConfigurationError, match=rf"process {owner.pid} on {owner.host} works on run ab12cd34ef"):
            await store.runs.claim("ab12cd34ef")
    else:
        assert await store.runs.claim("ab12cd34ef") == a_run()
        assert (await store.runs.find(PROJECT, "ab")).running
        await store.runs.save(a_failed_run())


async def test_a_released_run_can_be_claimed(store: SqlStore) -> None:
    await store.runs.add(a_run())
    await store.runs.release("ab12cd34ef")
    assert not (await store.runs.find(PROJECT, "ab")).running
    assert await store.runs.claim("ab12cd34ef") == a_run()


async def test_a_run_that_is_not_there_can_not_be_claimed(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no run 'nonesuch'"):
        await store.runs.claim("nonesuch")


async def test_of_two_that_claim_at_once_exactly_one_gets_the_run(store: SqlStore, address: Path | str) -> None:
    await store.runs.add(a_run())
    await store.runs.release("ab12cd34ef")
    other = await open_store(address)
    outcomes = await asyncio.gather(*(each.runs.claim("ab12cd34ef") for each in (store, other)), return_exceptions=True)
    await other.close()
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConfigurationError", "RunState"]


async def test_a_process_that_lost_its_run_can_neither_save_nor_release_it(store: SqlStore, raw: Database) -> None:
    await store.runs.add(a_run())
    await hand_over(raw, "ab12cd34ef", ELSEWHERE)
    with pytest.raises(ConfigurationError, match="does not belong to this process"):
        await store.runs.save(a_failed_run())
    await store.runs.release("ab12cd34ef")
    kept = await store.runs.find(PROJECT, "ab")
    assert (kept.state, kept.running) == (a_run(), True)


async def test_a_run_of_a_newer_program_is_named_with_what_to_do(store: SqlStore, raw: Database) -> None:
    await store.runs.add(a_run())
    newer = json.dumps(a_run().model_dump() | {"mood": "sunny"})
    await raw.execute("UPDATE fix_runs SET state = :state", state=newer)
    with pytest.raises(StoreError, match=r"run ab12cd34ef can't be read: .* Upgrading Mulligan may help \(mood: "):
        await store.runs.list(PROJECT)


async def test_a_damaged_run_is_named(store: SqlStore, raw: Database) -> None:
    await store.runs.add(a_run())
    await raw.execute("UPDATE fix_runs SET state = 'no JSON'")
    with pytest.raises(StoreError, match="run ab12cd34ef can't be read"):
        await store.runs.find(PROJECT, "ab")


KEPT = """
{"id": "ab12cd34ef", "project": "/projects/engine", "goal": "make the tests pass", "profile": "fast",
 "agency": "guided", "model": "qwen2.5-coder-1.5b",
 "commands": [{"command": "pytest -q", "kind": "test", "why": "pytest.ini", "defined_in": ["pytest.ini"]}],
 "time_limit": 120.0, "started_at": 1800000000.0, "node": "done", "cycle": 2, "worktree_id": "wt", "chat_id": null,
 "base": "c0", "start": "c1", "made": "c2",
 "baseline": [{"command": "pytest -q", "passed": false, "kind": "test_failure", "summary": "test_a failed",
   "report": {"failing": [{"id": "t.py::test_a", "name": "test_a", "path": "t.py", "message": "no", "detail": "E"}],
     "blocked": ["u.py"], "counts": {"passed": 1, "failed": 1, "skipped": 0}}}],
 "standing": [{"command": "pytest -q", "passed": true, "kind": null, "summary": "",
   "report": {"failing": [], "blocked": [], "counts": null}}],
 "history": {"attempts": 1,
   "entries": [{"command": "pytest -q", "exit_code": null, "kind": "tooling_error", "summary": "stopped"}]},
 "summary": "1 left", "plan": {"next": "coder", "plan": [{"step": "fix it", "failure": "t.py::test_a"}],
   "reason": "why not", "by_mulligan": true},
 "taken_back": ["t.py"], "tried": ["a.py:1"], "files": ["a.py"],
 "spent": {"commands": 1, "tests": 1, "steps": 2, "checks": 3, "check_seconds": 4.5, "model_calls": 5,
   "usage": {"prompt_tokens": 6, "completion_tokens": 7, "cached_tokens": 8}},
 "runs": [{"number": 1, "cycle": 0, "purpose": "baseline", "command": "pytest -q", "exit_code": null,
   "timed_out": true, "seconds": 2.0, "passed": false, "kind": "unknown", "summary": "s", "log": "logs/01.log"}],
 "done": true, "verdict": "verified", "reason": "passed", "explanation": "It passes.", "ended_at": 1800000009.0}
"""
"""What the first version with runs wrote: it must always load."""


async def test_a_run_that_the_first_version_kept_still_loads(store: SqlStore, raw: Database) -> None:
    await store.runs.add(a_run())
    await raw.execute("UPDATE fix_runs SET state = :state", state=KEPT)
    (kept,) = await store.runs.list(PROJECT)
    written = json.loads(KEPT)
    renamed = {"cycle": "attempt", "standing": "current_checks", "taken_back": "restored_files"}
    renamed |= {"base": "base_snapshot", "start": "attempt_snapshot", "made": "coder_snapshot"}
    written |= {new: written.pop(old) for old, new in renamed.items()}
    written["runs"][0]["attempt"] = written["runs"][0].pop("cycle")
    loaded = json.loads(kept.state.model_dump_json(exclude={"runs": {"__all__": {"stdout", "stderr"}}}))
    assert {name: loaded[name] for name in written} == written


async def test_an_outcome_under_its_old_name_still_loads(store: SqlStore, raw: Database) -> None:
    written = a_failed_run()
    await store.runs.add(written)
    old = written.model_dump_json().replace('"discarded"', '"thrown_away"')
    await raw.execute("UPDATE fix_runs SET state = :state", state=old)
    (kept,) = await store.runs.list(PROJECT)
    assert {attempt.outcome for attempt in kept.state.attempts_made} == {"discarded"}
