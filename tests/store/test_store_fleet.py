"""Jobs of a fleet in PostgreSQL: queued fairly, written by whoever has them, and found by indexes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from mulligan.store.database import Database, Value, open_database
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.store.fleet.jobs import JobLost, TakenJob, new_token
from mulligan.store.fleet.reading import IN_RANGE, listing
from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import JobResult, JobSpec, JobState


def job(label: str = "", **fields: object) -> JobSpec:
    labels = (label,) if label else ()
    return JobSpec.model_validate({"repository": "/r", "goal": "g", "labels": labels, **fields})


@pytest.fixture
async def fleet(postgres_url: str) -> AsyncGenerator[FleetStore]:
    store = await open_fleet_store(postgres_url)
    yield store
    await store.close()


@pytest.fixture
async def raw(fleet: FleetStore, postgres_url: str) -> AsyncGenerator[Database]:  # noqa: ARG001 - it migrates first
    database = await open_database(postgres_url)
    yield database
    await database.close()


async def worker_of_queue(raw: Database) -> int:
    row = await raw.fetch_one("SELECT worker_id FROM procrastinate_register_worker_v1()")
    assert row
    return row["worker_id"]


async def take_next(fleet: FleetStore, raw: Database, worker_id: int) -> TakenJob:
    """As the queue hands it out."""
    row = await raw.fetch_one("SELECT * FROM procrastinate_fetch_job_v2(NULL, :worker)", worker=worker_id)
    assert row
    job_id = (await raw.fetch_all("SELECT args->>'job' AS job FROM procrastinate_jobs WHERE id = :id", id=row["id"]))[0]
    taken = await fleet.jobs.take(job_id["job"], row["id"], worker=f"w{worker_id}", token=new_token())
    assert taken
    return taken


async def die(raw: Database, worker_id: int) -> int:
    """The worker gives no sign of life any more. The number of its job in the queue."""
    await raw.execute(
        "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour' WHERE id = :id", id=worker_id
    )
    rows = await raw.fetch_all("SELECT id FROM procrastinate_jobs WHERE worker_id = :id", id=worker_id)
    return rows[0]["id"]


async def in_queue(raw: Database) -> int:
    return (await raw.fetch_all("SELECT COUNT(*) AS n FROM procrastinate_jobs"))[0]["n"]


async def test_many_may_bring_both_schemas_up_to_date_at_once(postgres_url: str) -> None:
    stores = await asyncio.gather(*(open_fleet_store(postgres_url) for _ in range(4)))
    assert await stores[0].jobs.submit([job()])
    for store in stores:
        await store.close()


async def test_a_database_that_is_no_postgresql_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="a fleet needs PostgreSQL"):
        await open_fleet_store("sqlite:///x")


async def test_a_label_with_few_jobs_does_not_wait_for_one_with_many(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job("many") for _ in range(20)])
    me = await worker_of_queue(raw)
    for _ in range(5):
        await take_next(fleet, raw, me)
    await fleet.jobs.submit([job("few") for _ in range(3)])
    order = [(await take_next(fleet, raw, me)).job.spec.label for _ in range(6)]
    assert order == ["many", "few", "many", "few", "many", "few"]


async def test_a_higher_priority_comes_first(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job("a"), job("b"), job("c", priority=1)])
    assert (await take_next(fleet, raw, await worker_of_queue(raw))).job.spec.label == "c"


async def test_what_a_dead_worker_had_is_gone_on_with_and_its_ghost_writes_nothing(
    fleet: FleetStore, raw: Database
) -> None:
    (job_id,) = await fleet.jobs.submit([job()])
    first, second = await worker_of_queue(raw), await worker_of_queue(raw)
    ghost = await take_next(fleet, raw, first)
    await fleet.jobs.save(ghost, run_state='{"node": "coder"}', work="w")
    queue_id = await die(raw, first)
    assert await fleet.jobs.recover(queue_id, silence=60)
    assert not await fleet.jobs.recover(queue_id, silence=60), "once is enough"
    taken = await take_next(fleet, raw, second)
    assert (taken.run_state, taken.work, taken.job.tries) == ('{"node": "coder"}', "w", 2)
    assert await fleet.jobs.lost([ghost, taken]) == {ghost.token}
    for write in (
        lambda: fleet.jobs.save(ghost, run_state="x", work="x"),
        lambda: fleet.jobs.log(ghost, "{}"),
        lambda: fleet.jobs.began(ghost, server="x", commit="x"),
        lambda: fleet.jobs.give_back(ghost, pause=0, note="x", counted=False),
        lambda: fleet.jobs.finish(ghost, "failed", "x", "x"),
    ):
        with pytest.raises(JobLost):
            await write()
    await fleet.jobs.finish(taken, "verified", "passed", "it passes", JobResult(patch="cA==", report="r", end="{}"))
    assert await fleet.jobs.lost([ghost, taken]) == {ghost.token}, "what one ended oneself is not lost"
    found = await fleet.reading.find(job_id)
    assert (found.state, found.worker) == ("verified", f"w{second}")
    assert await fleet.reading.result(job_id) == JobResult(patch="cA==", report="r", end="{}")
    assert await in_queue(raw) == 0, "what has ended does not lie in the queue"


async def test_an_end_whose_answer_was_lost_may_be_told_again(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job()])
    taken = await take_next(fleet, raw, await worker_of_queue(raw))
    for _ in range(2):
        await fleet.jobs.finish(taken, "verified", "passed", "", JobResult(patch="cA=="))
    assert (await fleet.reading.status()).of("verified") == 1


async def test_a_job_that_ends_its_workers_stops_after_its_takes(fleet: FleetStore, raw: Database) -> None:
    (job_id,) = await fleet.jobs.submit([job(max_tries=2)])
    for _ in range(2):
        me = await worker_of_queue(raw)
        await take_next(fleet, raw, me)
        assert await fleet.jobs.recover(await die(raw, me), silence=60)
    found = await fleet.reading.find(job_id)
    assert (found.state, found.reason) == ("failed", "poisoned")
    assert "failed every time it was started (2 times)" in found.explanation
    assert await in_queue(raw) == 0


async def test_who_lives_is_not_robbed(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job()])
    me = await worker_of_queue(raw)
    taken = await take_next(fleet, raw, me)
    (row,) = await raw.fetch_all("SELECT id FROM procrastinate_jobs WHERE status = 'doing'")
    assert not await fleet.jobs.recover(row["id"], silence=60)
    assert await fleet.workers.taken_unknown(me, [row["id"]]) == []
    assert await fleet.workers.taken_unknown(me, []) == [row["id"]]
    assert await fleet.jobs.lost([taken]) == set()


async def test_a_job_that_waits_for_a_server_is_not_counted_and_comes_later(fleet: FleetStore, raw: Database) -> None:
    (job_id,) = await fleet.jobs.submit([job(max_tries=1)])
    me = await worker_of_queue(raw)
    taken = await take_next(fleet, raw, me)
    await fleet.jobs.give_back(taken, pause=3600, note="its model server does not answer", counted=False)
    found = await fleet.reading.find(job_id)
    assert (found.state, found.tries, found.note) == ("queued", 0, "its model server does not answer")
    row = await raw.fetch_one("SELECT id FROM procrastinate_fetch_job_v2(NULL, :worker)", worker=me)
    assert row is not None
    assert row["id"] is None, "not before its time"


async def test_what_a_worker_gave_back_is_lost_to_it_only_once_another_has_it(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job()])
    me, other = await worker_of_queue(raw), await worker_of_queue(raw)
    taken = await take_next(fleet, raw, me)
    await fleet.jobs.give_back(taken, pause=0, note="no model", counted=False)
    assert await fleet.jobs.lost([taken]) == set()
    await take_next(fleet, raw, other)
    assert await fleet.jobs.lost([taken]) == {taken.token}


async def test_waits_for_a_server_add_up_until_the_run_gets_further(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job()])
    me = await worker_of_queue(raw)
    for waits in (0, 1):
        taken = await take_next(fleet, raw, me)
        assert taken.waits == waits
        await fleet.jobs.give_back(taken, pause=0, note="503", counted=False, waited=True)
    taken = await take_next(fleet, raw, me)
    await fleet.jobs.save(taken, run_state="{}", work="")
    await fleet.jobs.give_back(taken, pause=0, note="stopped", counted=False)
    assert (await take_next(fleet, raw, me)).waits == 0


async def test_a_server_works_as_long_as_its_last_call_was_answered(fleet: FleetStore) -> None:
    await fleet.servers.register("http://m/v1", models=[], slots=1)
    seen = [await fleet.servers.works("http://m/v1")]
    await fleet.servers.failed("http://m/v1", "500")
    seen.append(await fleet.servers.works("http://m/v1"))
    await fleet.servers.answered("http://m/v1")
    seen.append(await fleet.servers.works("http://m/v1"))
    assert seen == [True, False, True]
    assert not await fleet.servers.works("http://other/v1")


async def test_a_waiting_job_is_cancelled_at_once_and_may_be_retried(fleet: FleetStore, raw: Database) -> None:
    (job_id,) = await fleet.jobs.submit([job("a")])
    assert await fleet.jobs.cancel(job_id) == "cancelled"
    assert await in_queue(raw) == 0
    assert await fleet.jobs.cancel(job_id) == "cancelled"
    assert await fleet.jobs.retry(job_id)
    assert not await fleet.jobs.retry(job_id), "it has not ended"
    assert (await take_next(fleet, raw, await worker_of_queue(raw))).job.id == job_id


async def test_a_cancelled_job_of_a_dead_worker_does_not_come_back(fleet: FleetStore, raw: Database) -> None:
    (job_id,) = await fleet.jobs.submit([job()])
    me = await worker_of_queue(raw)
    await take_next(fleet, raw, me)
    assert await fleet.jobs.cancel(job_id) == "running"
    assert await fleet.jobs.recover(await die(raw, me), silence=60)
    assert (await fleet.reading.find(job_id)).state == "cancelled"
    assert await in_queue(raw) == 0


async def test_a_job_that_was_stored_with_an_old_name_of_a_field_loads(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job()])
    for priority in (1, 12):  # today's rules refuse the second
        spec = f'{{"repository": "/r", "goal": "g", "priority": {priority}, "most_takes": 7}}'
        await raw.execute("UPDATE fleet_jobs SET spec = :spec", spec=spec)
        (listed,) = await fleet.reading.list()
        assert (listed.spec.priority, listed.spec.max_tries) == (priority, 7)


FUTURE = '{"repository": "/a::b", "goal": "g", "labels": ["a"], "priority": 12, "reviewer": "somebody"}'
"""A job that this version would refuse: by its rules, and for a field that it does not know."""


async def test_a_job_that_another_version_wrote_is_listed_recovered_cancelled_and_retried(
    fleet: FleetStore, raw: Database
) -> None:
    (job_id,) = await fleet.jobs.submit([job("a")])
    await raw.execute("UPDATE fleet_jobs SET spec = :spec", spec=FUTURE)
    (listed,) = await fleet.reading.list()
    assert (listed.spec.repository, listed.spec.labels, listed.spec.priority) == ("/a::b", ("a",), 12)
    assert listed.spec.max_tries == 3, "what it does not say is as always"
    me = await worker_of_queue(raw)
    assert (await take_next(fleet, raw, me)).job.spec == listed.spec
    assert await fleet.jobs.recover(await die(raw, me), silence=60)
    assert await fleet.jobs.cancel(job_id) == "cancelled"
    assert await fleet.jobs.retry(job_id)
    assert listed.model_dump_json()


async def test_a_log_is_read_from_where_one_was(fleet: FleetStore, raw: Database) -> None:
    await fleet.jobs.submit([job()])
    taken = await take_next(fleet, raw, await worker_of_queue(raw))
    for frames in ("1", "2\n3"):
        await fleet.jobs.log(taken, frames)
    first, second = await fleet.reading.log(taken.job.id)
    assert (first.frames, second.frames) == ("1", "2\n3")
    assert await fleet.reading.log(taken.job.id, after=first.id) == [second]


async def test_old_jobs_are_pruned_with_all_that_belongs_to_them(fleet: FleetStore, raw: Database) -> None:
    old, new = await fleet.jobs.submit([job(), job()])
    me = await worker_of_queue(raw)
    for _ in range(2):
        taken = await take_next(fleet, raw, me)
        await fleet.jobs.log(taken, "{}")
        await fleet.jobs.finish(taken, "verified", "passed", "", JobResult(patch="cA=="))
    await raw.execute("UPDATE fleet_jobs SET ended_at = ended_at - 90000 WHERE id = :id", id=old)
    assert await fleet.jobs.prune(older_than=86_400) == 1
    assert [each.id for each in await fleet.reading.list()] == [new]
    left = await raw.fetch_all("SELECT job_id FROM fleet_log UNION SELECT job_id FROM fleet_results")
    assert [row["job_id"] for row in left] == [new]


async def test_slots_of_a_server_are_shared_and_come_back_from_the_dead(fleet: FleetStore, raw: Database) -> None:
    await fleet.servers.register("http://m/v1", models=["q"], slots=1)

    async def claim(name: str) -> bool:
        return await fleet.servers.claim(name, "http://m/v1", label=name[0], worker="w")

    assert await claim("a1")
    assert not await claim("a2")
    assert not await claim("b1")
    (server,) = await fleet.reading.servers()
    assert (server.busy, server.waiting, server.models) == (1, 2, ("q",))
    await fleet.servers.free("a1")
    await fleet.servers.register("http://m/v1", models=["q"], slots=2)
    assert await claim("b1"), "whoever asks shares out for all"
    assert await claim("a2")
    await raw.execute("UPDATE fleet_slots SET expires_at = 0 WHERE id = 'a2'")
    await fleet.servers.renew(["b1"])
    assert await claim("c1"), "nobody renewed the other"
    assert await fleet.servers.remove("http://m/v1")
    assert await claim("d1"), "nobody shares it out any more"


async def test_a_server_that_is_down_is_left_alone_for_longer_each_time(fleet: FleetStore, raw: Database) -> None:
    await fleet.servers.register("http://m/v1", models=[], slots=1)
    assert await fleet.servers.failed("http://m/v1", "refused") == 5.0
    assert 0 < await fleet.servers.failed("http://m/v1", "refused") <= 5.0, "calls that fail together count once"
    await raw.execute("UPDATE fleet_servers SET down_until = 0")
    assert await fleet.servers.failed("http://m/v1", "refused") == 10.0
    (server,) = await fleet.reading.servers()
    assert (server.failures, server.error, server.down_for > 0) == (2, "refused", True)
    await fleet.servers.answered("http://m/v1")
    (server,) = await fleet.reading.servers()
    assert (server.failures, server.down_for) == (0, 0)


async def test_a_worker_is_silent_after_a_while(fleet: FleetStore, raw: Database) -> None:
    await fleet.workers.beat("w", slots=3, labels=["a"], sandbox="bubblewrap")
    (worker,) = await fleet.reading.workers()
    assert (worker.slots, worker.labels, worker.silent, worker.busy) == (3, ("a",), False, 0)
    await raw.execute("UPDATE fleet_workers SET seen_at = seen_at - 60")
    assert [each.silent for each in await fleet.reading.workers()] == [True]
    assert (await fleet.reading.status()).workers == 0
    await fleet.workers.leave("w")
    assert list(await fleet.reading.workers()) == []


FETCH = (
    "SELECT jobs.id FROM procrastinate_jobs AS jobs WHERE jobs.status = 'todo'"
    " AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now()) ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1"
)
"""What the queue's function looks for, whose plan PostgreSQL does not show."""


async def plan(raw: Database, sql: str, **values: Value) -> str:
    return "\n".join(row["QUERY PLAN"] for row in await raw.fetch_all(f"EXPLAIN {sql}", **values))


@pytest.fixture
async def many(fleet: FleetStore, raw: Database) -> FleetStore:
    """2,000 jobs that wait, and 20,000 that have ended, of nine labels."""
    await fleet.jobs.submit([job("a") for _ in range(2000)])
    await raw.execute(
        "INSERT INTO fleet_jobs (id, spec, label, model, state, created_at, started_at, ended_at)"
        " SELECT 'x' || n, (SELECT spec FROM fleet_jobs LIMIT 1), 'l' || n % 9, 'm', 'verified', n, n, n"
        " FROM generate_series(1, 20000) AS n"
    )
    await raw.execute("INSERT INTO fleet_log (job_id, frames) SELECT id, '{}' FROM fleet_jobs")
    for table in ("fleet_jobs", "fleet_log", "procrastinate_jobs"):
        await raw.execute(f"ANALYZE {table}")
    return fleet


@pytest.mark.parametrize("far", [False, True], ids=["the first page", "a later page"])
@pytest.mark.parametrize(
    ("state", "label", "indexes"),
    [
        pytest.param(None, None, {"fleet_jobs_newest"}, id="all"),
        pytest.param("failed", None, {"fleet_jobs_of_state"}, id="of a state that few have"),
        pytest.param("verified", None, {"fleet_jobs_of_state", "fleet_jobs_newest"}, id="of a state that most have"),
        pytest.param(None, "l3", {"fleet_jobs_of_label"}, id="of a label"),
        pytest.param("verified", "l3", {"fleet_jobs_of_state", "fleet_jobs_of_label"}, id="of both"),
        pytest.param("failed", "l3", {"fleet_jobs_of_state", "fleet_jobs_of_label"}, id="of both, and few"),
    ],
)
async def test_a_page_of_jobs_is_read_by_an_index_however_far_down(
    many: FleetStore, raw: Database, state: JobState | None, label: str | None, indexes: set[str], *, far: bool
) -> None:
    last = await many.reading.find("x10000") if far else None
    sql, values = listing(state, label, last)
    shown = await plan(raw, sql, most=50, **values)
    assert any(index in shown for index in indexes), f"{sql}\n{shown}"
    assert "Seq Scan" not in shown, f"{sql}\n{shown}"


async def test_a_great_many_jobs_are_found_by_indexes(many: FleetStore, raw: Database) -> None:  # noqa: ARG001
    asked: Sequence[tuple[str, str]] = (
        (FETCH, "procrastinate_jobs_priority_idx_v1"),
        ("SELECT COUNT(*) FROM fleet_jobs WHERE ended_at > fleet_now() - 600", "fleet_jobs_ended"),
        (
            "SELECT id FROM fleet_jobs WHERE ended_at < fleet_now() - 1e12 ORDER BY ended_at LIMIT 5000",
            "fleet_jobs_ended",
        ),
        ("SELECT * FROM fleet_jobs WHERE queue_id = 7 AND state = 'running'", "fleet_jobs_running"),
        ("SELECT * FROM fleet_log WHERE job_id = 'x7' AND id > 3 ORDER BY id LIMIT 200", "fleet_log_of_job"),
    )
    for sql, index in asked:
        assert index in (shown := await plan(raw, sql)), f"{sql}\n{shown}"
        assert "Seq Scan" not in shown, f"{sql}\n{shown}"


async def test_a_job_is_found_by_the_start_of_its_id_by_an_index(many: FleetStore, raw: Database) -> None:
    sql = f"SELECT * FROM fleet_jobs WHERE substr(id, 1, :length) = :typed AND {IN_RANGE} ORDER BY id LIMIT 4"  # noqa: S608
    assert "fleet_jobs_prefix" in (shown := await plan(raw, sql, length=5, typed="x1234")), shown
    (submitted,) = await many.jobs.submit([job()])
    assert (await many.reading.find(submitted[:9])).id == submitted
    with pytest.raises(ConfigurationError, match="several jobs"):
        await many.reading.find("x")
