"""One try of a job, on a real database and a real repository."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.fleet.job_try import ChosenServer, JobTry, WorkerContext, WorkerFailed
from mulligan.store.database import Database, open_database
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.store.fleet.jobs import TakenJob
from mulligan.types.errors import BackendError
from mulligan.types.fleet import FleetJob, JobSpec
from mulligan.workspace.repository_cache import RepositoryCache
from tests.patience import PATIENCE
from tests.store.test_store_fleet import take_next, worker_of_queue
from tests.workspace.test_repository_cache import make_repository


@dataclass(frozen=True)
class Tries:
    store: FleetStore
    raw: Database
    folder: Path
    repository: str

    async def take(self, **fields: Any) -> TakenJob:
        given = {"repository": self.repository, "goal": "make the tests pass", **fields}
        await self.store.jobs.submit([JobSpec.model_validate(given)])
        return await take_next(self.store, self.raw, await worker_of_queue(self.raw))

    def context(self, program: Sequence[str] | None = None) -> WorkerContext:
        context = WorkerContext(
            store=self.store,
            repositories=RepositoryCache.of_home(self.folder / "home"),
            worker="w",
            home=self.folder / "home",
            folder=self.folder / "tries",
            environ=dict(os.environ),
            settings={},
            memory=1 << 30,
            processes=64,
            network=False,
            unsandboxed=True,
        )
        return replace(context, program=program) if program else context

    async def run(self, taken: TakenJob, *program: str, server: str = "") -> FleetJob:
        await JobTry(self.context(program), taken, ChosenServer(server)).run()
        return await self.store.reading.find(taken.job.id)


@pytest.fixture
async def tries(postgres_url: str, tmp_path: Path) -> AsyncGenerator[Tries]:
    store, raw = await open_fleet_store(postgres_url), await open_database(postgres_url)
    yield Tries(store, raw, tmp_path, make_repository(tmp_path / "repository"))
    await raw.close()
    await store.close()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("ref", "--upload-pack=touch escaped", id="an option of git"),
        pytest.param("repository", "ext::touch escaped", id="a helper of git"),
    ],
)
async def test_a_row_is_checked_before_git_is_asked_for_what_it_names(tries: Tries, field: str, value: str) -> None:
    taken = await tries.take()
    bad = taken.job.model_copy(update={"spec": taken.job.spec.model_copy(update={field: value})})
    job = await tries.run(TakenJob(bad, taken.token, "", ""))
    assert (job.state, job.reason) == ("failed", "refused")
    assert f"{field} is invalid" in job.explanation


def shell(script: str) -> tuple[str, ...]:
    """A process that reads its order and then does this."""
    return "sh", "-c", f"read -r order; {script}"


def says(what: str, **fields: object) -> str:
    return f"echo '{json.dumps({'fleet': what, **fields})}'"


RESULT = says("result", state="verified", reason="passed", explanation="", patch="", report="", end="")


async def until(seen: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await seen():  # noqa: ASYNC110  a database tells nobody
            await asyncio.sleep(0.05)


async def test_waiting_for_a_slot_does_not_use_up_the_time_of_a_job(tries: Tries) -> None:
    """Its time is a second, and it waits for more than two."""
    servers = tries.store.servers
    await servers.register("http://m/v1", models=[], slots=1)
    assert await servers.claim("another call", "http://m/v1", label="", worker="other")
    taken = await tries.take(time_limit=1)
    asks = shell(f"{says('slot', number=1)}; read -r answer; {RESULT}")
    running = asyncio.create_task(tries.run(taken, *asks, server="http://m/v1"))
    waited = "SELECT id FROM fleet_jobs WHERE server != '' AND started_at < fleet_now() - 2.5"
    await until(lambda: tries.raw.fetch_all(waited))
    await servers.free("another call")
    assert (await running).state == "verified"


async def test_a_job_that_takes_too_long_ends(tries: Tries) -> None:
    job = await tries.run(await tries.take(time_limit=1), *shell("sleep 600"))
    assert (job.state, job.reason) == ("failed", "time_limit")
    assert job.explanation == "it took longer than 1 seconds"


@pytest.mark.parametrize(
    ("waits", "state", "told"),
    [
        pytest.param(4, "queued", "its model server does not answer: 500", id="few"),
        pytest.param(5, "failed", "its model server failed for it 6 times in a row: 500", id="too many"),
    ],
)
async def test_a_job_does_not_wait_for_ever_for_a_server_that_nobody_else_uses(
    tries: Tries, waits: int, state: str, told: str
) -> None:
    """The list of servers is empty, so nothing shows whether the server works for others."""
    taken = replace(await tries.take(max_tries=1), waits=waits)
    job = await tries.run(taken, *shell(says("server_down", error="500", answered=True, status=500)))
    assert job.state == state
    assert told in job.note + job.explanation


async def test_a_job_whose_work_is_too_large_to_keep_ends_and_says_what_to_do(tries: Tries) -> None:
    job = await tries.run(await tries.take(), *shell("head -c 68000000 /dev/zero | tr '\\0' x; echo; sleep 600"))
    assert (job.state, job.reason) == ("failed", "refused")
    assert "exceed 64 MB: leave out generated files" in job.explanation


async def test_the_last_piece_of_a_log_is_kept_though_the_process_ends_while_it_is_written(
    tries: Tries, tmp_path: Path
) -> None:
    """The table is locked, so that the piece is under way when the process ends."""
    go, number = tmp_path / "go", tmp_path / "number"
    note = json.dumps({"type": "run_note", "run_id": "r", "text": "the last words"})
    waits = f"until [ -e '{go}' ]; do sleep 0.05; done"
    talks = shell(f"echo $$ > '{number}'; echo '{note}'; {waits}; {RESULT}; sleep 600")
    taken = await tries.take()
    async with tries.raw.transaction() as queries:
        await queries.execute("LOCK TABLE fleet_log IN ACCESS EXCLUSIVE MODE")
        running = asyncio.create_task(tries.run(taken, *talks))
        await until(lambda: queries.fetch_all("SELECT pid FROM pg_locks WHERE NOT granted"))
        go.touch()
        await until(lambda: asyncio.sleep(0, not Path("/proc", number.read_text().strip()).exists()))
    assert (await running).state == "verified"
    assert [piece.frames for piece in await tries.store.reading.log(taken.job.id)] == [note]


FULL_DISK = ("sh", "-c", 'ulimit -f 0; exec "$0" -P -m mulligan.fleet.job_process', sys.executable)


async def test_a_disk_that_is_full_is_no_fault_of_the_job(tries: Tries) -> None:
    taken = await tries.take()
    with pytest.raises(WorkerFailed, match="database"):
        await tries.run(taken, *FULL_DISK)
    assert (await tries.store.reading.find(taken.job.id)).state == "running", "its worker gives it back"


async def test_a_process_that_can_not_be_started_is_no_fault_of_the_job(tries: Tries) -> None:
    taken = await tries.take()
    with pytest.raises(BackendError, match="could not be started"):
        await tries.run(taken, "/nowhere/python")
    assert (await tries.store.reading.find(taken.job.id)).state == "running"
