"""What goes wrong with a fleet, on real processes and a real PostgreSQL: every job has one result, whatever dies."""

import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

from mulligan.models.scripted.model import Script
from mulligan.store.embedded_postgres import EmbeddedPostgres
from tests.e2e.fix_project import PLAN, RIGHT, VERIFY, say
from tests.fleet.small_fleet import SmallFleet
from tests.patience import PATIENCE
from tests.scripted_server import running

HANGS: dict[str, Any] = {"hang": 0, "text": "…"}
DONE = say("Done.")
FIXED = "+    return sum(items)\n"

WAITS_ON_FIRST = f"""
case $PWD in *'home of first'*) grep -q 'sum(items)$' totals.py && sleep 600;; esac
{VERIFY}
"""
"""A command that judges; with the right edit it does not end on the first worker. It sees no file but its own, so the
path tells where it runs."""
SKEW = """
import time
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + 7200
time.time_ns = lambda: _time_ns() + 7200 * 10**9
"""
"""Python's own clock is two hours ahead, in the worker and in all that it starts."""


def script(*replies: dict[str, Any]) -> Script:
    return Script.model_validate({"replies": replies})


def test_what_a_killed_worker_had_made_goes_on_elsewhere_though_clocks_differ(
    fleet: SmallFleet, tmp_path: Path
) -> None:
    """It is killed while the verifier tests its edit, and the model is not asked for it again."""
    skewed = tmp_path / "skewed"
    skewed.mkdir()
    (skewed / "sitecustomize.py").write_text(SKEW)
    with running(script(PLAN, RIGHT, DONE)) as server:
        job_id = fleet.submit(server=server.base_url, verify=(WAITS_ON_FIRST,))
        fleet.start("first")
        fleet.wait("the verifier", lambda: '"node": "verifier"' in fleet.frames(job_id))
        fleet.workers["first"].kill()
        fleet.start("second", environ={"PYTHONPATH": str(skewed)})
        job = fleet.wait_for_state(job_id, "verified")
    assert (job.worker, job.tries) == ("second", 2)
    assert FIXED in fleet.patch(job_id)
    assert '"resumed": true' in fleet.frames(job_id)
    assert fleet.frames(job_id).count('"node": "coder"') == 1, "what was done was not done again"


def test_a_worker_that_was_stopped_and_comes_back_writes_nothing(fleet: SmallFleet) -> None:
    with running(script(PLAN, RIGHT, DONE)) as server:
        job_id = fleet.submit(server=server.base_url, verify=(WAITS_ON_FIRST,))
        fleet.start("first")
        fleet.wait("the verifier", lambda: '"node": "verifier"' in fleet.frames(job_id))
        fleet.signal("first", signal.SIGSTOP)
        fleet.start("second")
        job = fleet.wait_for_state(job_id, "verified")
        fleet.signal("first", signal.SIGCONT)
        fleet.wait("the loss", lambda: f"{job_id} is another worker's by now" in fleet.told("first"))
    assert fleet.job(job_id) == job
    assert (job.worker, job.tries) == ("second", 2)


def test_a_row_that_can_not_be_read_stops_neither_heartbeats_nor_the_recovery_of_others(fleet: SmallFleet) -> None:
    with running(script(HANGS, HANGS, PLAN, RIGHT, DONE)) as server:
        broken, whole = fleet.submit(server=server.base_url, slots=4), fleet.submit_again()
        fleet.start("first", "--slots", "2")
        for job_id in (broken, whole):
            fleet.wait("the planner", lambda job_id=job_id: '"node": "planner"' in fleet.frames(job_id))
        fleet.workers["first"].kill()
        fleet.fetch("UPDATE fleet_jobs SET spec = 'no JSON' WHERE id = :id", id=broken)
        fleet.start("second")
        job = fleet.wait_for_state(whole, "verified")
    assert job.worker == "second"
    assert "can't be recovered: JSONDecodeError" in fleet.told("second")
    assert [each.name for each in fleet.ask(lambda store: store.reading.workers()) if not each.silent]


def test_a_restart_of_postgresql_is_waited_for(tmp_path: Path) -> None:
    folder = Path("/tmp") / f"mulligan-{tmp_path.name}"  # noqa: S108  root's own folders are closed to PostgreSQL
    database = EmbeddedPostgres(folder, tmp_path / "lock")
    fleet = SmallFleet(database.start(), tmp_path)
    try:
        with running(script(PLAN, RIGHT, {**DONE, "delay": 2.0})) as server:
            job_id = fleet.submit(server=server.base_url)
            fleet.start("only")
            fleet.wait("an edit", lambda: "edit_file" in fleet.frames(job_id))
            assert database.stop()
            database.start()
            job = fleet.wait_for_state(job_id, "verified")
        assert (job.tries, fleet.workers["only"].code.done()) == (1, False)
        assert FIXED in fleet.patch(job_id)
    finally:
        fleet.stop()
        database.stop()
        database.delete()


def test_another_worker_gets_what_one_can_not_fetch_and_it_ends_after_its_tries(fleet: SmallFleet) -> None:
    """Only the second can reach the repository; the other job may be tried once."""
    address = "http://127.0.0.1:1/engine.git"
    reachable = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{fleet.folder / 'repository'}.insteadOf",
        "GIT_CONFIG_VALUE_0": address,
    }
    with running(script(PLAN, RIGHT, DONE)) as server:
        job_id = fleet.submit(server=server.base_url, repository=address, max_tries=9)
        once = fleet.submit_again(repository=address, max_tries=1)
        fleet.start("first", "--slots", "2")
        fleet.wait("the note", lambda: f"first failed: {address}" in fleet.job(job_id).note)
        ended = fleet.wait_for_state(once, "failed")
        fleet.workers["first"].kill()
        fleet.skip_pauses()
        fleet.start("second", environ=reachable)
        job = fleet.wait_for_state(job_id, "verified")
    assert job.worker == "second"
    assert (ended.reason, "can't be fetched" in ended.explanation) == ("poisoned", True)


def test_jobs_wait_for_a_model_server_that_is_down(fleet: SmallFleet) -> None:
    with running(script(PLAN, RIGHT, DONE)) as server:
        up = server.base_url
        job_id = fleet.submit(server="http://127.0.0.1:1/v1")
        fleet.start("only")
        fleet.wait("the note", lambda: "does not answer" in fleet.job(job_id).note)
        assert fleet.job(job_id).tries == 0
        fleet.ask(lambda store: store.servers.register(up, models=["scripted"], slots=1))
        fleet.skip_pauses()
        assert fleet.wait_for_state(job_id, "verified").server == up


def test_a_worker_without_a_model_server_does_not_rush_through_the_queue(fleet: SmallFleet) -> None:
    """Each job comes back so many seconds after it was given back: a second lies between two of them."""
    fleet.submit(server="http://127.0.0.1:1/v1", model="scripted")
    for _ in range(2):
        fleet.submit_again(model="scripted")
    fleet.start("only", "--until-empty", "--server", "http://127.0.0.1:2/v1")
    assert fleet.workers["only"].code.result(PATIENCE) == 0, fleet.told("only")
    rows = fleet.fetch("SELECT extract(epoch FROM scheduled_at)::float AS back FROM procrastinate_jobs ORDER BY 1")
    backs = [row["back"] for row in rows]
    assert all(later - earlier > 0.9 for earlier, later in pairwise(backs)), backs
    assert fleet.told("only").count("wait: no model server for it") == 1


def test_a_job_waits_for_a_model_server_that_answers_with_errors_and_is_charged_no_take(fleet: SmallFleet) -> None:
    """It may be begun once. In the middle of its run the server answers 503 to a call and to its two repetitions."""
    with running(script(PLAN, {"status": 503, "times": 3}, RIGHT, DONE)) as server:
        job_id = fleet.submit(server=server.base_url, max_tries=1)
        fleet.start("only")
        fleet.wait("the note", lambda: "can't answer now (503)" in fleet.job(job_id).note)
        (listed,) = fleet.ask(lambda store: store.reading.servers())
        assert (listed.failures, listed.down_for > 0) == (1, True)
        fleet.skip_pauses()
        job = fleet.wait_for_state(job_id, "verified")
        (listed,) = fleet.ask(lambda store: store.reading.servers())
    assert (job.tries, listed.failures) == (1, 0)
    assert FIXED in fleet.patch(job_id)


def test_a_job_that_breaks_its_model_server_ends_and_does_not_keep_it_from_others(fleet: SmallFleet) -> None:
    """The server answers 500 to whatever the first job sends, and works for the other."""
    replies = [
        {"when": {"contains": "unbearable"}, "status": 500},
        {"when": {"contains": "Edited totals.py"}, **DONE},
        {"when": {"tools": True}, **RIGHT},
        {"when": {"tools": False}, **PLAN},
    ]
    with running(script(*replies)) as server:
        bad = fleet.submit(server=server.base_url, goal="an unbearable goal", max_tries=1)
        good = fleet.submit_again()
        fleet.start("only")
        fleet.wait("the note", lambda: "does not answer" in fleet.job(bad).note)
        fleet.skip_pauses(good)
        fleet.wait_for_state(good, "verified")
        fleet.skip_pauses()
        ended = fleet.wait_for_state(bad, "failed")
    assert (ended.reason, ended.tries) == ("poisoned", 1)
    assert "works, but not for its requests" in ended.explanation
    assert fleet.job(good).state == "verified"


def test_a_running_job_is_cancelled_and_ctrl_c_gives_one_back(fleet: SmallFleet) -> None:
    with running(script(HANGS, HANGS)) as server:
        job_id = fleet.submit(server=server.base_url)
        fleet.start("first")
        fleet.wait("the planner", lambda: '"node": "planner"' in fleet.frames(job_id))
        fleet.signal("first", signal.SIGINT)
        fleet.wait("its end", fleet.workers["first"].code.done)
        assert fleet.workers["first"].code.result() == 0
        job = fleet.job(job_id)
        assert (job.state, job.tries, job.note) == ("queued", 0, "its worker was stopped")
        fleet.start("second")
        fleet.wait_for_state(job_id, "running")
        fleet.ask(lambda store: store.jobs.cancel(job_id))
        assert fleet.wait_for_state(job_id, "cancelled").worker == "second"
