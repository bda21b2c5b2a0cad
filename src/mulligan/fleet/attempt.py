"""One try of a job, as its worker sees it: the checkout, the process, its requests, and its result."""

import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from mulligan.core.fleet.failed_calls import FailedCall, at_fault, pause_after
from mulligan.core.fleet.pacing import crash_pause, server_pause
from mulligan.core.fleet.submissions import job_of
from mulligan.fleet.orders import Order
from mulligan.runtime.child_process import LINE_LIMIT, ChildProcess, describe_exit
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.store.database import StoreUnreachable
from mulligan.store.fleet.fleet_store import FleetStore
from mulligan.store.fleet.jobs import AttemptLost, TakenJob
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.fleet import JobResult
from mulligan.workspace.repository_cache import FetchedCommit, RepositoryCache, Unfetchable
from mulligan.workspace.sandbox import NoSandbox

LOG_EVERY = 0.7
"""Seconds. The delay for somebody who follows a job's log."""
LOG_BYTES = 4_000_000
"""Bytes of all frames of a try. What comes later is in the report."""
SLOT_PAUSE = 0.1
LONGEST_SLOT_PAUSE = 1.0
RENEW_EVERY = 10.0
STORE_PAUSE = 0.2
LONGEST_STORE_PAUSE = 2.0
TOO_LARGE = f"its changes exceed {LINE_LIMIT >> 20} MB: leave out generated files by .gitignore, or ask for less"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Place:
    """What all tries of one worker share."""

    store: FleetStore
    repositories: RepositoryCache
    worker: str
    home: Path
    folder: Path
    """Where tries have theirs."""
    environ: Mapping[str, str]
    """For their processes: no secrets."""
    settings: Mapping[str, str]
    """`MULLIGAN_*` that the worker was started with, without those that are only for its user."""
    memory: int
    processes: int
    """Limits of each command."""
    network: bool
    unsandboxed: bool
    program: Sequence[str] = (sys.executable, "-P", "-m", "mulligan.fleet.attempt_process")
    """The process of a try."""


@dataclass(frozen=True, slots=True)
class ChosenServer:
    """Empty: as in the worker's settings."""

    url: str = ""
    model: str = ""
    api_key: str = ""


class WorkerFailed(MulliganError):
    """This worker can't run the job now; another one may."""


class Ended(Exception):
    """How a try ended without a result: the job's reason, and a message for people."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


async def lasting(ask: Callable[[], Awaitable[Result]]) -> Result:
    """Ask the store until it is available again."""
    pause = STORE_PAUSE
    while True:
        try:
            return await ask()
        except StoreUnreachable:
            await asyncio.sleep(pause)
            pause = min(LONGEST_STORE_PAUSE, pause * 2)


@dataclass(slots=True)
class Attempt:
    place: Place
    taken: TakenJob
    server: ChosenServer
    slot: str = ""
    """The claim on a slot of the server, while there is one."""
    frames: list[str] = field(default_factory=list[str])
    logged: int = 0
    limit: asyncio.Timeout = field(init=False)

    async def run(self) -> None:
        """Take the job as far as it goes, and record the result. If cancelled, nothing is recorded: the caller decides
        what that means. Raises `AttemptLost` if the job is no longer ours, and whatever keeps this worker from it."""
        job, jobs = self.taken.job, self.place.store.jobs
        folder = self.place.folder / f"{job.id}-{token_hex(4)}"
        try:
            self._check()
            async with self.place.repositories.using(job.spec.repository):
                fetched = await self._fetch(folder)
                url = self.server.url
                await lasting(lambda: jobs.began(self.taken, server=url, commit=fetched.commit))
                await self._work(folder, fetched)
        except Unfetchable as error:
            await self._finish("failed", "refused", str(error))
        except Ended as error:
            await self._finish("failed", error.reason, str(error))
        finally:
            await asyncio.shield(self._leave(folder))

    def _check(self) -> None:
        """The row may come from another version, or from somebody who checks nothing."""
        try:
            job_of(vars(self.taken.job.spec), where="the job")
        except ConfigurationError as error:
            raise Ended("refused", str(error)) from error

    async def _fetch(self, folder: Path) -> FetchedCommit:
        spec, repositories = self.taken.job.spec, self.place.repositories
        wanted = self.taken.job.commit if self.taken.run_state else ""
        fetched = await repositories.fetch(spec.repository, spec.ref, commit=wanted)
        if wanted and fetched.commit != wanted:
            # The progress so far belongs to a commit that is gone.
            self.taken = replace(self.taken, run_state="", work="")
        await repositories.check_out(fetched, folder / "project")
        return fetched

    async def _work(self, folder: Path, fetched: FetchedCommit) -> None:
        child, seconds = await self._start(folder, fetched), self.taken.job.spec.time_limit
        side = [asyncio.create_task(self._keep_slot()), asyncio.create_task(self._write_log())]
        reading = asyncio.create_task(self._read(child))
        try:
            async with asyncio.timeout(seconds) as self.limit:
                done, _ = await asyncio.wait([reading, *side], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {reading}:
                await task  # the job is no longer ours
            result = await reading
        except TimeoutError as error:
            raise Ended("time_limit", f"it took longer than {seconds:.0f} seconds") from error
        finally:
            for task in (reading, *side):
                task.cancel()
            await child.end(end_of_input=0, terminate=0.5)
            await asyncio.gather(reading, *side, return_exceptions=True)
        await self._flush()
        await self._settle(result, child)

    async def _start(self, folder: Path, fetched: FetchedCommit) -> ChildProcess:
        place, taken = self.place, self.taken
        order = Order(
            spec=taken.job.spec,
            folder=str(folder),
            project=str(folder / "project"),
            objects=str(fetched.objects),
            home=str(place.home),
            environ=dict(place.settings),
            server=self.server.url,
            model=self.server.model or taken.job.spec.model or "",
            api_key=self.server.api_key,
            shared=bool(self.server.url),
            run_state=taken.run_state,
            work=taken.work,
            network=place.network,
            unsandboxed=place.unsandboxed,
            memory=place.memory,
            processes=place.processes,
        )
        child = await ChildProcess.start(
            place.program,
            name="the job's process",
            cwd=folder,
            env=place.environ,
            mark=token_hex(8),
            stderr=folder / "stderr",
        )
        with suppress(ConnectionError):  # it has ended, which the next line will show
            await child.write(order.model_dump_json().encode() + b"\n")
        return child

    async def _read(self, child: ChildProcess) -> dict[str, Any]:
        """The final message of the process; empty if it ended without one."""
        while (line := await child.line(or_too_long=True)) is not None:
            try:
                told: dict[str, Any] = json.loads(line)
            except ValueError:  # something that it imported printed it
                continue
            with self._off_the_clock():
                match told.get("fleet"):
                    case None:
                        self._keep_frame(told, line.decode())
                    case "saved":
                        await lasting(lambda told=told: self._save(told))
                        await self._answer(child, told)
                    case "slot":
                        await self._claim()
                        await self._answer(child, told)
                    case "free":
                        await self._free(replied=bool(told["replied"]))
                    case _:
                        return told
        if child.output.left_out:
            raise Ended("refused", TOO_LARGE)
        return {}

    @contextmanager
    def _off_the_clock(self) -> Generator[None]:
        """Waiting for a slot, or for PostgreSQL, does not use up the job's time."""
        began, due = asyncio.get_running_loop().time(), self.limit.when() or 0.0
        with suppress(RuntimeError):  # the time is up, or the try has ended
            self.limit.reschedule(None)
        try:
            yield
        finally:
            with suppress(RuntimeError):
                self.limit.reschedule(due + asyncio.get_running_loop().time() - began)

    async def _answer(self, child: ChildProcess, told: Mapping[str, Any]) -> None:
        with suppress(ConnectionError):  # as above
            await child.write(f"{told['number']}\n".encode())

    async def _save(self, told: Mapping[str, Any]) -> None:
        await self.place.store.jobs.save(self.taken, run_state=told["run_state"], work=told["work"])
        self.taken = replace(self.taken, waits=0)

    async def _settle(self, told: Mapping[str, Any], child: ChildProcess) -> None:
        jobs = self.place.store.jobs
        match told.get("fleet"):
            case "result":
                result = JobResult(patch=told["patch"], report=told["report"], end=told["end"])
                state, reason, words = told["state"], told["reason"], told["explanation"]
                await lasting(lambda: jobs.finish(self.taken, state, reason, words, result))
            case "server_down":
                await self._server_failed(told["error"], FailedCall(told["answered"], told["status"]))
            case "no_model":
                note, pause = (
                    f"{self.place.worker} has no model for it: {told['error']}",
                    server_pause(self.taken.waits + 1),
                )
                await lasting(lambda: jobs.give_back(self.taken, pause=pause, note=note, counted=False, waited=True))
            case "refused":
                await self._finish("failed", "refused", told["error"])
            case "worker_failed":
                raise WorkerFailed(told["error"])
            case "no_sandbox":
                raise NoSandbox(told["error"])
            case _:
                code = await child.exited(0)
                how = "it did not end" if code is None else describe_exit(code)
                note = f"its process died ({how}) {child.stderr_tail()[-500:]}".strip()
                pause = crash_pause(self.taken.job.takes)
                await lasting(lambda: jobs.give_back(self.taken, pause=pause, note=note, counted=True))

    async def _server_failed(self, error: str, call: FailedCall) -> None:
        servers, jobs, url, waits = self.place.store.servers, self.place.store.jobs, self.server.url, self.taken.waits
        works = await lasting(lambda: servers.works(url))
        if at_fault(call, waits=waits, server_works=works) == "job":
            how = "works, but not for its requests" if works else f"failed for it {waits + 1} times in a row"
            note = f"its model server {how}: {error}"
            pause = crash_pause(self.taken.job.takes) if works else pause_after(call, server_pause(waits + 1))
            await lasting(lambda: jobs.give_back(self.taken, pause=pause, note=note, counted=True, waited=True))
            return
        note = f"its model server does not answer: {error}"
        down_for = await lasting(lambda: servers.failed(url, error)) if url else server_pause(waits + 1)
        pause = pause_after(call, down_for)
        await lasting(lambda: jobs.give_back(self.taken, pause=pause, note=note, counted=False, waited=True))

    async def _finish(self, state: Any, reason: str, words: str) -> None:
        with suppress(AttemptLost):
            await self._flush()
        await lasting(lambda: self.place.store.jobs.finish(self.taken, state, reason, words))

    async def _keep_slot(self) -> None:
        while True:
            await asyncio.sleep(RENEW_EVERY)
            if self.slot:
                await lasting(lambda: self.place.store.servers.renew([self.slot]))

    async def _claim(self) -> None:
        pause, claim = SLOT_PAUSE, token_hex(8)
        servers, label = self.place.store.servers, self.taken.job.spec.label
        self.slot = claim
        while not await lasting(lambda: servers.claim(claim, self.server.url, label=label, worker=self.place.worker)):
            await asyncio.sleep(pause)
            pause = min(LONGEST_SLOT_PAUSE, pause * 1.3)

    async def _free(self, *, replied: bool = False) -> None:
        servers = self.place.store.servers
        if self.slot:
            claim, self.slot = self.slot, ""
            await lasting(lambda: servers.free(claim))
        if replied:
            await lasting(lambda: servers.answered(self.server.url))

    def _keep_frame(self, told: Mapping[str, Any], line: str) -> None:
        self.logged += len(line)
        if self.logged < LOG_BYTES or told.get("type") == "run_end":
            self.frames.append(line)

    async def _write_log(self) -> None:
        while True:
            await asyncio.sleep(LOG_EVERY)
            await self._flush()

    async def _flush(self) -> None:
        if self.frames:
            # PostgreSQL stores no NUL; in JSON it is an escape that only text columns accept.
            piece, self.frames = "\n".join(self.frames), []
            # Whole: the task that logs is cancelled as soon as the process has ended.
            await finish_despite_cancel(lasting(lambda: self.place.store.jobs.log(self.taken, piece)))

    async def _leave(self, folder: Path) -> None:
        with suppress(StoreUnreachable):
            await self._free()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
