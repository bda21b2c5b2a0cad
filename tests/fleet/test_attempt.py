"""One try of a job, on a real database and a real repository."""

import os
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.fleet.attempt import Attempt, ChosenServer, Place, WorkerFailed
from mulligan.store.database import Database, open_database
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.store.fleet.jobs import TakenJob
from mulligan.types.errors import BackendError
from mulligan.types.fleet import FleetJob, JobSpec
from mulligan.workspace.repository_cache import RepositoryCache
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

    def place(self, program: Sequence[str] | None = None) -> Place:
        place = Place(
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
        return replace(place, program=program) if program else place

    async def run(self, taken: TakenJob, *program: str, server: str = "") -> FleetJob:
        await Attempt(self.place(program), taken, ChosenServer(server)).run()
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
    assert f"{field} is not right" in job.explanation


FULL_DISK = ("sh", "-c", 'ulimit -f 0; exec "$0" -P -m mulligan.fleet.attempt_process', sys.executable)


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
