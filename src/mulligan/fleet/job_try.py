"""One try of a job, as its worker sees it: the checkout, the process, its requests, and its result."""

import asyncio
import json
import shutil
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from mulligan.core.fleet.failed_calls import FailedCall, at_fault, pause_after
from mulligan.core.fleet.pacing import crash_pause, server_pause
from mulligan.core.fleet.submissions import job_of
from mulligan.fleet.assignments import JobAssignment
from mulligan.fleet.retrying import retry_until_available
from mulligan.runtime.child_process import LINE_LIMIT, ChildProcess, describe_exit
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.store.database import StoreUnreachable
from mulligan.store.fleet.fleet_store import FleetStore
from mulligan.store.fleet.jobs import JobLost, TakenJob
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.fleet import JobResult
from mulligan.workspace.repository_cache import FetchedCommit, RepositoryCache, Unfetchable
from mulligan.workspace.sandbox import NoSandbox

LOG_EVERY = 0.7
"""Seconds. The delay for somebody who follows a job's log."""
LOG_BYTES = 4_000_000
"""Bytes of all frames of a try. What comes later is in the report."""
SLOT_PAUSE = 0.1
MAX_SLOT_PAUSE_SECONDS = 1.0
RENEW_EVERY = 10.0
TOO_LARGE = f"its changes exceed {LINE_LIMIT >> 20} MB: leave out generated files by .gitignore, or ask for less"


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What all tries on one worker share."""

    store: FleetStore
    repositories: RepositoryCache
    worker: str
    home: Path
    folder: Path
    """Holds the folders of all tries."""
    environ: Mapping[str, str]
    """The environment of their processes, without secrets."""
    settings: Mapping[str, str]
    """`MULLIGAN_*` that the worker was started with, without those that are only for its user."""
    memory: int
    processes: int
    """Limits of each command."""
    network: bool
    unsandboxed: bool
    program: Sequence[str] = (sys.executable, "-P", "-m", "mulligan.fleet.job_process")
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

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(slots=True)
class JobTry:
    context: WorkerContext
    taken: TakenJob
    server: ChosenServer
    slot: str = ""
    """The claim on a slot of the server, while there is one."""
    frames: list[str] = field(default_factory=list[str])
    logged: int = 0
    limit: asyncio.Timeout = field(init=False)

    async def run(self) -> None:
        """Take the job as far as it goes, and record the result. If cancelled, nothing is recorded: the caller decides
        what that means. Raises `JobLost` if the job is no longer ours, and whatever keeps this worker from it."""
        job, jobs = self.taken.job, self.context.store.jobs
        folder = self.context.folder / f"{job.id}-{token_hex(4)}"
        try:
            self._check()
            async with self.context.repositories.using(job.spec.repository):
                fetched = await self._fetch(folder)
                url = self.server.url
                await retry_until_available(lambda: jobs.began(self.taken, server=url, commit=fetched.commit))
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
        spec, repositories = self.taken.job.spec, self.context.repositories
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
        context, taken = self.context, self.taken
        assignment = JobAssignment(
            spec=taken.job.spec,
            folder=str(folder),
            project=str(folder / "project"),
            objects=str(fetched.objects),
            home=str(context.home),
            environ=dict(context.settings),
            server=self.server.url,
            model=self.server.model or taken.job.spec.model or "",
            api_key=self.server.api_key,
            shared=bool(self.server.url),
            run_state=taken.run_state,
            work=taken.work,
            network=context.network,
            unsandboxed=context.unsandboxed,
            memory=context.memory,
            processes=context.processes,
        )
        child = await ChildProcess.start(
            context.program,
            name="the job's process",
            cwd=folder,
            env=context.environ,
            mark=token_hex(8),
            stderr=folder / "stderr",
        )
        with suppress(ConnectionError):  # it has ended, which the next line will show
            await child.write(assignment.model_dump_json().encode() + b"\n")
        return child

    async def _read(self, child: ChildProcess) -> dict[str, Any]:
        """The final message of the process; empty if it ended without one."""
        while (line := await child.line(or_too_long=True)) is not None:
            try:
                message: dict[str, Any] = json.loads(line)
            except ValueError:  # something that it imported printed it
                continue
            with self._off_the_clock():
                match message.get("fleet"):
                    case None:
                        self._keep_frame(message, line.decode())
                    case "saved":
                        await retry_until_available(lambda message=message: self._save(message))
                        await self._answer(child, message)
                    case "slot":
                        await self._claim()
                        await self._answer(child, message)
                    case "free":
                        await self._free(replied=bool(message["replied"]))
                    case _:
                        return message
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

    async def _answer(self, child: ChildProcess, message: Mapping[str, Any]) -> None:
        with suppress(ConnectionError):  # as above
            await child.write(f"{message['number']}\n".encode())

    async def _save(self, message: Mapping[str, Any]) -> None:
        await self.context.store.jobs.save(self.taken, run_state=message["run_state"], work=message["work"])
        self.taken = replace(self.taken, waits=0)

    async def _settle(self, message: Mapping[str, Any], child: ChildProcess) -> None:
        jobs = self.context.store.jobs
        match message.get("fleet"):
            case "result":
                result = JobResult(patch=message["patch"], report=message["report"], end=message["end"])
                state, reason, why = message["state"], message["reason"], message["explanation"]
                await retry_until_available(lambda: jobs.finish(self.taken, state, reason, why, result))
            case "server_down":
                await self._server_failed(message["error"], FailedCall(message["answered"], message["status"]))
            case "no_model":
                note = f"{self.context.worker} has no model for it: {message['error']}"
                await self._give_back(server_pause(self.taken.waits + 1), note, counted=False, waited=True)
            case "refused":
                await self._finish("failed", "refused", message["error"])
            case "worker_failed":
                raise WorkerFailed(message["error"])
            case "no_sandbox":
                raise NoSandbox(message["error"])
            case _:
                code = await child.exited(0)
                how = "it did not end" if code is None else describe_exit(code)
                note = f"its process died ({how}) {child.stderr_tail()[-500:]}".strip()
                await self._give_back(crash_pause(self.taken.job.tries), note, counted=True)

    async def _server_failed(self, error: str, call: FailedCall) -> None:
        servers, url, waits = self.context.store.servers, self.server.url, self.taken.waits
        works = await retry_until_available(lambda: servers.works(url))
        if at_fault(call, waits=waits, server_works=works) == "job":
            how = "works, but not for its requests" if works else f"failed for it {waits + 1} times in a row"
            note = f"its model server {how}: {error}"
            pause = crash_pause(self.taken.job.tries) if works else pause_after(call, server_pause(waits + 1))
            await self._give_back(pause, note, counted=True, waited=True)
            return
        note = f"its model server does not answer: {error}"
        down_for = await retry_until_available(lambda: servers.failed(url, error)) if url else server_pause(waits + 1)
        await self._give_back(pause_after(call, down_for), note, counted=False, waited=True)

    async def _give_back(self, pause: float, note: str, *, counted: bool, waited: bool = False) -> None:
        jobs, taken = self.context.store.jobs, self.taken
        await retry_until_available(
            lambda: jobs.give_back(taken, pause=pause, note=note, counted=counted, waited=waited)
        )

    async def _finish(self, state: Any, reason: str, message: str) -> None:
        with suppress(JobLost):
            await self._flush()
        await retry_until_available(lambda: self.context.store.jobs.finish(self.taken, state, reason, message))

    async def _keep_slot(self) -> None:
        while True:
            await asyncio.sleep(RENEW_EVERY)
            if self.slot:
                await retry_until_available(lambda: self.context.store.servers.renew([self.slot]))

    async def _claim(self) -> None:
        pause, claim = SLOT_PAUSE, token_hex(8)
        servers, label = self.context.store.servers, self.taken.job.spec.label
        self.slot = claim
        while not await retry_until_available(
            lambda: servers.claim(claim, self.server.url, label=label, worker=self.context.worker)
        ):
            await asyncio.sleep(pause)
            pause = min(MAX_SLOT_PAUSE_SECONDS, pause * 1.3)

    async def _free(self, *, replied: bool = False) -> None:
        servers = self.context.store.servers
        if self.slot:
            claim, self.slot = self.slot, ""
            await retry_until_available(lambda: servers.free(claim))
        if replied:
            await retry_until_available(lambda: servers.answered(self.server.url))

    def _keep_frame(self, message: Mapping[str, Any], line: str) -> None:
        self.logged += len(line)
        if self.logged < LOG_BYTES or message.get("type") == "run_end":
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
            await finish_despite_cancel(retry_until_available(lambda: self.context.store.jobs.log(self.taken, piece)))

    async def _leave(self, folder: Path) -> None:
        with suppress(StoreUnreachable):
            await self._free()
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
