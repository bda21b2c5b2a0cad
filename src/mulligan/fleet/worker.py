"""A worker: takes jobs from the queue, as many at once as it has slots, until it is told to stop."""

import asyncio
import fcntl
import logging
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mulligan.core.byte_sizes import format_size
from mulligan.core.fleet.pacing import server_pause, trouble_pause
from mulligan.core.fleet.server_choice import ServerChoice, WaitForServer, choose_server
from mulligan.core.pruning import UNUSED_DAYS
from mulligan.fleet.job_try import ChosenServer, JobTry, WorkerContext
from mulligan.fleet.queue import open_queue
from mulligan.fleet.retrying import retry_until_available
from mulligan.runtime.memory_tuning import tune_gc_for_server
from mulligan.runtime.own_secrets import OWN, whole_environment, without_secrets
from mulligan.store.database import StoreUnreachable
from mulligan.store.fleet.fleet_store import FleetStore
from mulligan.store.fleet.jobs import DEFAULT_QUEUE, TASK, JobLost, TakenJob, new_token
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.settings import Settings
from mulligan.workspace.repository_cache import RepositoryCache
from mulligan.workspace.sandbox import NoSandbox, Sandbox

if TYPE_CHECKING:
    from procrastinate import App
    from procrastinate.job_context import JobContext
    from procrastinate.worker import Worker as QueueWorker

POLL_SECONDS = 2.0
"""How often to poll the queue: for jobs that waited for their time, or come back from a dead worker."""
RESTART_PAUSE = 1.0
TIDY_EVERY = 60.0
"""Minimum seconds between two checks of the repository cache."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    name: str
    slots: int = 1
    labels: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    """Addresses of those that it may use; all, if empty."""
    cache_bytes: int = 20 * 10**9
    """Bytes of repositories to keep for the next jobs."""
    memory: int = 4 << 30
    processes: int = 512
    heartbeat: float = 5.0
    silence: float = 20.0
    """Seconds without a heartbeat after which a worker's jobs go to others."""
    network: bool = False
    """Whether commands of jobs have network access."""
    unsandboxed: bool = False
    until_empty: bool = False


def default_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


async def require_sandbox(settings: Settings, *, unsandboxed: bool) -> str:
    """How commands are confined. Raises `ConfigurationError` if they can't be, and nobody has agreed to that, or if
    something is missing that every job needs."""
    from mulligan.workspace.files.ripgrep import find_ripgrep

    find_ripgrep(settings.home)
    if unsandboxed:
        return "none"
    status = await Sandbox(settings.sandbox, settings.home, home=settings.home).status()
    if status.mechanism == "none":
        raise ConfigurationError(
            f"this worker takes no jobs: there is no sandbox for their commands ({status.missing}). Install "
            "bubblewrap; --unsandboxed lets the commands of any repository run with your rights"
        )
    return status.mechanism


@dataclass(slots=True)
class FleetWorker:
    store: FleetStore
    settings: Settings
    options: WorkerOptions
    sandbox: str
    tell: Callable[..., None]
    """Reports progress: text for people, and for programs the `id` and the `state` of the job."""
    running: "dict[int, tuple[TakenJob, asyncio.Task[Any]]]" = field(
        default_factory=dict[int, tuple[TakenJob, asyncio.Task[Any]]]
    )
    """Jobs and their tasks, by the jobs' ids in the queue."""
    unknown: set[int] = field(default_factory=set[int])
    stopping: bool = False
    queue_worker: "QueueWorker | None" = None
    tidied_at: float = -TIDY_EVERY
    troubles: int = 0
    """How many jobs in a row failed because of this worker."""
    waits_for: str = ""
    """The last reported reason why jobs can't start."""

    @property
    def repositories(self) -> RepositoryCache:
        return RepositoryCache.of_home(self.settings.home)

    async def run(self) -> None:
        """Until it is stopped, or optionally until nothing is left to do."""
        for name in ("asyncpg", "procrastinate", "psycopg.pool"):  # we report the important parts ourselves
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        folder = self.settings.home / "fleet"
        for name in ("tries", "attempts"):  # older versions used the second
            _sweep(folder / name)
        with _own_folder(folder / "tries", self.options.name) as mine:
            context = self._context(mine)
            queue = open_queue(self.store.url)
            self._define_task(queue, context)
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.stop)
            beating = asyncio.create_task(self._beat(queue))
            tune_gc_for_server()
            try:
                async with queue.open_async():
                    await self._work(queue)
            finally:
                beating.cancel()
                await asyncio.gather(beating, return_exceptions=True)
                with suppress(StoreUnreachable):
                    await self.store.workers.leave(self.options.name)

    def stop(self) -> None:
        """Returns running jobs to the queue, which continue from their last node elsewhere. Immediately, if called
        twice."""
        if self.stopping:
            os._exit(130)
        self.stopping = True
        if self.queue_worker:
            self.queue_worker.shutdown_graceful_timeout = 0.0
            self.queue_worker.stop()

    async def _work(self, queue: "App") -> None:
        """A worker that others have given up on, because it was stopped for long, restarts under another number."""
        from procrastinate.exceptions import ProcrastinateException
        from procrastinate.worker import Worker

        options = self.options
        while not self.stopping:
            self.queue_worker = Worker(
                queue,
                queues=[label or DEFAULT_QUEUE for label in options.labels] or None,
                name=options.name,
                concurrency=options.slots,
                wait=not options.until_empty,
                fetch_job_polling_interval=POLL_SECONDS,
                shutdown_graceful_timeout=None if options.until_empty else 0.0,
                install_signal_handlers=False,
                update_heartbeat_interval=options.heartbeat,
                stalled_worker_timeout=options.silence * 10,
            )
            try:
                await self.queue_worker.run()
            except ProcrastinateException as error:
                self.tell(f"the queue failed, and is asked again: {error.__cause__ or error}")
            if options.until_empty:
                return
            if not self.stopping:
                await asyncio.sleep(RESTART_PAUSE)

    def _define_task(self, queue: "App", context: WorkerContext) -> None:
        async def fix(job_context: "JobContext", job: str) -> None:
            rest = await self._try_job(job_context, context, job)
            await self._tidy()
            await asyncio.sleep(rest)

        queue.task(name=TASK, pass_context=True)(fix)

    async def _try_job(self, job_context: "JobContext", context: WorkerContext, job_id: str) -> float:
        """Returns for how many seconds its slot should take no other job."""
        from procrastinate.job_context import AbortReason

        queue_id, token, jobs = job_context.job.id or 0, new_token(), self.store.jobs
        taken = await retry_until_available(lambda: jobs.take(job_id, queue_id, worker=self.options.name, token=token))
        if taken is None:
            return 0.0
        task = asyncio.current_task()
        if task:
            self.running[queue_id] = taken, task
        try:
            server = await self._server_for(taken)
            if isinstance(server, WaitForServer):
                return server.next_take
            self.tell(f"{job_id} begins: {taken.job.spec.repository}", id=job_id, state="running")
            await JobTry(context, taken, server).run()
            self.troubles = 0
            job = await retry_until_available(lambda: self.store.reading.find(job_id))
            why = "" if job.state == "verified" else job.explanation or job.note
            self.tell(f"{job_id} {job.state}{f': {why}' if why else ''}", id=job_id, state=job.state)
        except JobLost:
            self.tell(f"{job_id} is another worker's by now", id=job_id, state="lost")
        except asyncio.CancelledError:
            asked = job_context.abort_reason() == AbortReason.USER_REQUEST
            await asyncio.shield(self._let_go(taken, cancelled=asked))
            raise
        except Exception as error:  # noqa: BLE001  a disk that is full, no network, a fault of ours: the worker lives on
            why = str(error) if isinstance(error, MulliganError) else repr(error)
            self.tell(f"{job_id} failed here: {why}", id=job_id)
            pause, note = server_pause(taken.job.tries), f"{self.options.name} failed: {why}"[:500]
            counted = not isinstance(error, NoSandbox)
            with suppress(JobLost):
                await retry_until_available(lambda: jobs.give_back(taken, pause=pause, note=note, counted=counted))
            self.troubles += 1
            return trouble_pause(self.troubles)
        finally:
            self.running.pop(queue_id, None)
        return 0.0

    async def _let_go(self, taken: TakenJob, *, cancelled: bool) -> None:
        jobs = self.store.jobs
        try:
            if cancelled:
                await retry_until_available(lambda: jobs.finish(taken, "cancelled", "cancelled", ""))
            else:
                await retry_until_available(
                    lambda: jobs.give_back(taken, pause=0, note="its worker was stopped", counted=False)
                )
        except JobLost:
            self.tell(f"{taken.job.id} is another worker's by now", id=taken.job.id, state="lost")

    async def _tidy(self) -> None:
        """Jobs leave repositories behind; deletes those that were not used for long, and those that exceed the
        limit."""
        now = time.monotonic()
        if now - self.tidied_at > TIDY_EVERY:
            self.tidied_at = now
            cache, most = self.repositories, self.options.cache_bytes
            gone = await asyncio.to_thread(lambda: cache.prune(days=UNUSED_DAYS, most_bytes=most))
            if gone:
                size = format_size(sum(each.size for each in gone))
                self.tell(f"{size} of repositories that no job needs now were deleted")

    async def _server_for(self, taken: TakenJob) -> ChosenServer | WaitForServer:
        """A job that has to wait is given back. If the list has no server, the worker's own settings decide who
        answers."""
        listed = await retry_until_available(self.store.reading.servers)
        if not listed:
            return ChosenServer(api_key=self._key_for(self.settings.base_url or ""))
        chosen = choose_server(listed, taken.job.spec.model, self.options.servers)
        if isinstance(chosen, ServerChoice):
            self.waits_for = ""
            return ChosenServer(chosen.url, chosen.model, self._key_for(chosen.url))
        pause, note = chosen.seconds, chosen.reason
        if note != self.waits_for:  # once: every waiting job comes here
            self.waits_for = note
            self.tell(f"{taken.job.id} and others wait: {note}", id=taken.job.id, state="queued")
        await retry_until_available(lambda: self.store.jobs.give_back(taken, pause=pause, note=note, counted=False))
        return chosen

    def _key_for(self, url: str) -> str:
        """The worker's own key, if it belongs to this server, or to none; else that of the service, from the
        environment."""
        from mulligan.app.ready_models import api_key_for
        from mulligan.app.server_address import same_server

        settings = self.settings
        if settings.base_url and not same_server(url, settings.base_url):
            settings = settings.model_copy(update={"api_key": None})
        return api_key_for(url, settings, whole_environment()) or ""

    async def _beat(self, queue: "App") -> None:
        """Heartbeats, and cleanup after dead workers: each worker checks, and one is enough."""
        options = self.options
        while True:
            try:
                await self.store.workers.beat(
                    options.name, slots=options.slots, labels=options.labels, sandbox=self.sandbox
                )
                await self._recover(queue)
            except StoreUnreachable:
                pass  # whoever needs it waits for its return
            except Exception as error:  # noqa: BLE001  a worker without heartbeats loses its jobs
                self.tell(f"could not send a heartbeat: {error.__cause__ or error!r}")
            await asyncio.sleep(options.heartbeat)

    async def _recover(self, queue: "App") -> None:
        worker_id = self.queue_worker.worker_id if self.queue_worker else None
        if worker_id is None:
            return
        # The queue's own worker sends none while it waits for its last jobs.
        await queue.job_manager.update_heartbeat(worker_id)
        jobs, silence = self.store.jobs, self.options.silence
        lost = await jobs.lost([taken for taken, _ in self.running.values()])
        for taken, task in list(self.running.values()):
            if taken.token in lost and not task.cancelling():  # once: it has to clean up
                task.cancel()
        for stalled in await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=silence):
            if stalled.id and await self._recovered(stalled.id):
                job_id = stalled.task_kwargs.get("job")
                self.tell(f"{job_id} comes back from a worker that is gone", id=job_id, state="queued")
        found = set(await self.store.workers.taken_unknown(worker_id, list(self.running)))
        for queue_id in found & self.unknown:  # seen twice: taking a job is quick
            await self._recovered(queue_id, worker_id=worker_id)
        self.unknown = found

    async def _recovered(self, queue_id: int, worker_id: int | None = None) -> bool:
        """A row that can't be recovered does not stop the recovery of others."""
        try:
            return await self.store.jobs.recover(queue_id, silence=self.options.silence, worker_id=worker_id)
        except StoreUnreachable:
            raise
        except Exception as error:  # noqa: BLE001  whatever is wrong with it
            self.tell(f"row {queue_id} of the queue can't be recovered: {error!r}")
            return False

    def _context(self, mine: Path) -> WorkerContext:
        settings = {
            name: value
            for name, value in os.environ.items()
            if name.startswith("MULLIGAN_") and name not in (*OWN, "MULLIGAN_HOME")
        }
        clean = without_secrets(os.environ)
        return WorkerContext(
            store=self.store,
            repositories=self.repositories,
            worker=self.options.name,
            home=self.settings.home,
            folder=mine,
            # Git's settings by variables are left out whole: some look like secrets, and git refuses the others alone.
            environ={name: value for name, value in clean.items() if not name.startswith("GIT_CONFIG")},
            settings=settings,
            memory=self.options.memory,
            processes=self.options.processes,
            network=self.options.network,
            unsandboxed=self.options.unsandboxed,
        )


@contextmanager
def _own_folder(folder: Path, name: str) -> Generator[Path]:
    """A folder for this worker's tries, and the lock that shows that it is alive."""
    mine = folder / "".join(char if char.isalnum() or char in "-_" else "_" for char in name)
    mine.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = folder / f"{mine.name}.lock"
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigurationError(
                f"a worker named {name} runs here already: give this one another --name"
            ) from error
        yield mine
        shutil.rmtree(mine, ignore_errors=True)
        lock.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Folders of workers that are gone."""
    for lock in folder.glob("*.lock"):
        with lock.open("w") as file, suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
