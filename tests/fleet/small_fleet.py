"""A fleet with one small repository: workers that may be killed, with homes of their own, and what is seen of them."""

import asyncio
import base64
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from mulligan.store.database import Row, Value, open_database
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.types.fleet import FleetJob, JobResult, JobSpec
from tests.e2e.fix_project import CODE, TESTS, VERIFY
from tests.forked_command import Forked, start_forked
from tests.patience import PATIENCE

Result = TypeVar("Result")
LOADED = ("mulligan.fleet.worker", "procrastinate", "psycopg")
LOOK_AGAIN = 0.1
QUEUE_ID = "SELECT queue_id FROM fleet_jobs WHERE id = :id"
COMES_BACK = "UPDATE procrastinate_jobs SET scheduled_at = clock_timestamp() WHERE status = 'todo'"


@dataclass
class SmallFleet:
    """Each worker has a home folder of its own, and no disk that it shares with another but the repository's."""

    url: str
    folder: Path
    workers: dict[str, Forked] = field(default_factory=dict[str, Forked])

    def make_repository(self) -> None:
        repository = self.folder / "repository"
        repository.mkdir()
        (repository / "totals.py").write_text(CODE)
        (repository / "test_totals.py").write_text(TESTS)
        identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "as it was"]):
            subprocess.run(["git", *identity, *words], cwd=repository, check=True)

    def submit(self, *, server: str | None = None, slots: int = 1, **fields: object) -> str:
        """A job for the repository, which is made; the model server is put on the list."""
        self.make_repository()
        if server:
            self.ask(lambda store: store.servers.register(server, models=["scripted"], slots=slots))
        return self.submit_again(**fields)

    def submit_again(self, **fields: object) -> str:
        given = {"repository": str(self.folder / "repository"), "goal": "make the tests pass", "verify": (VERIFY,)}
        spec = JobSpec.model_validate({**given, **fields})
        (job_id,) = self.ask(lambda store: store.jobs.submit([spec]))
        return job_id

    def start(self, name: str, *options: str, environ: dict[str, str] | None = None) -> Forked:
        files = self.folder / f"files of {name}"
        files.mkdir()
        for stream in ("stdin", "stdout", "stderr"):
            (files / stream).touch()
        clean = {key: value for key, value in os.environ.items() if not key.startswith("MULLIGAN_")}
        env = {
            **clean,
            "MULLIGAN_DISCOVERY": "no",
            "MULLIGAN_DOWNLOADS": "no",
            "MULLIGAN_HOME": str(self.folder / f"home of {name}"),
            "MULLIGAN_DATABASE_URL": self.url,
            **(environ or {}),
        }
        words = ["fleet", "work", "--name", name, "--heartbeat", "0.3", "--silence", "2", *options]
        self.workers[name] = start_forked(words, cwd=self.folder, env=env, files=files, loaded=LOADED)
        return self.workers[name]

    def told(self, name: str) -> str:
        return (self.folder / f"files of {name}" / "stderr").read_text()

    def signal(self, name: str, number: signal.Signals) -> None:
        """To the worker alone, not to the processes that it started."""
        os.kill(self.workers[name].pid.result(PATIENCE), number)

    def stop(self) -> None:
        for name, worker in self.workers.items():
            if not worker.code.done():
                self.signal(name, signal.SIGCONT)
                worker.kill()

    def ask(self, question: Callable[[FleetStore], Awaitable[Result]]) -> Result:
        async def answered() -> Result:
            store = await open_fleet_store(self.url)
            try:
                return await question(store)
            finally:
                await store.close()

        return asyncio.run(answered())

    def fetch(self, sql: str, **values: Value) -> Sequence[Row]:
        """For what no method of the store would do."""

        async def fetched() -> Sequence[Row]:
            database = await open_database(self.url)
            rows = await database.fetch_all(sql, **values)
            await database.close()
            return rows

        return asyncio.run(fetched())

    def skip_pauses(self, *job_ids: str) -> None:
        """As if the time were over for which jobs, or these jobs, and the model servers are left alone.

        Workers look for such jobs every two seconds; they are told to look now, as when one is submitted.
        """
        self.fetch("UPDATE fleet_servers SET down_until = 0")
        for queue_id in [self.fetch(QUEUE_ID, id=each)[0]["queue_id"] for each in job_ids] or [None]:
            self.fetch(f"{COMES_BACK} {'' if queue_id is None else f'AND id = {queue_id}'}")
        self.fetch('SELECT pg_notify(\'procrastinate_any_queue_v1\', \'{"type": "job_inserted", "job_id": 0}\')')

    def job(self, job_id: str) -> FleetJob:
        return self.ask(lambda store: store.reading.find(job_id))

    def result(self, job_id: str) -> JobResult | None:
        return self.ask(lambda store: store.reading.result(job_id))

    def patch(self, job_id: str) -> str:
        result = self.result(job_id)
        return base64.b64decode(result.patch).decode() if result else ""

    def frames(self, job_id: str) -> str:
        return "\n".join(piece.frames for piece in self.ask(lambda store: store.reading.log(job_id)))

    def wait(self, what: str, seen: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not seen():
            words = {name: self.told(name) for name in self.workers}
            assert time.monotonic() < deadline, f"{what} never came: {words}"
            time.sleep(LOOK_AGAIN)

    def wait_for_state(self, job_id: str, state: str) -> FleetJob:
        self.wait(state, lambda: self.job(job_id).state == state)
        return self.job(job_id)
