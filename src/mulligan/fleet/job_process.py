"""One try of a job, in a separate process: a fix run in a checkout that nobody else has.

It reads a `JobAssignment` from standard input, then responses to its requests; it writes frames to standard output,
like `mulligan fix --json`, and requests to the worker between them. It has no database, and no key except that of the
model server.
"""

import asyncio
import base64
import json
import os
import sys
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mulligan.fleet.assignments import JobAssignment
from mulligan.types.errors import (
    ConfigurationError,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    MulliganError,
    ReplyCutOff,
)

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.session import Session
    from mulligan.ports.models import Model
    from mulligan.types.fixing import RunState
    from mulligan.types.model_io import ModelEvent, ModelRequest
    from mulligan.types.run_frames import RunEnd
    from mulligan.workspace.run_tree import RunTree


FETCH_IT = "`mulligan fleet fetch` brings the changes to a checkout for review."
SENT_SNAPSHOTS = {"start": "attempt_snapshot", "made": "coder_snapshot"}
"""Snapshots of a run's state by their names in a job's work."""


class ServerDown(MulliganError):
    """The model server does not answer, or not with a reply. Not an error of the run: it continues elsewhere, or
    later."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(str(error))
        self.answered = not isinstance(error, ModelUnreachable)
        self.status = error.status if isinstance(error, ModelOverloaded) else None


class NoModel(MulliganError):
    """This worker has no model for the job; others may have one."""


def main() -> None:
    from mulligan.runtime.own_secrets import hide_secrets

    hide_secrets()
    job = JobAssignment.model_validate_json(sys.stdin.readline())
    asyncio.run(_try_job(job))


async def _try_job(job: JobAssignment) -> None:
    worker = WorkerChannel()
    answers = asyncio.create_task(worker.read_answers())
    try:
        await _run(job, worker)
    except ServerDown as error:
        worker.tell("server_down", error=str(error), answered=error.answered, status=error.status)
    except NoModel as error:
        worker.tell("no_model", error=str(error))
    except MulliganError as error:
        worker.tell(_outcome(error), error=str(error))
    finally:
        answers.cancel()


def _outcome(error: MulliganError) -> str:
    """What the job got wrong is refused; the rest is this machine's: its sandbox, its disk, its memory, its network."""
    from mulligan.workspace.git import GitMissing, NoRepository
    from mulligan.workspace.sandbox import NoSandbox
    from mulligan.workspace.worktrees.model import WorkTreeUnusable

    match error:
        case NoSandbox():
            return "no_sandbox"
        case GitMissing() | NoRepository() | WorkTreeUnusable():
            return "worker_failed"
        case ConfigurationError():
            return "refused"
        case _:
            return "worker_failed"


class WorkerChannel:
    """The parent of this process: sends requests and reads its responses."""

    def __init__(self) -> None:
        self._asked: dict[int, asyncio.Future[None]] = {}
        self._number = 0

    def tell(self, what: str, **fields: Any) -> None:
        self.write({"fleet": what, **fields})

    def write(self, fields: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(fields) + "\n")
        sys.stdout.flush()

    async def ask(self, what: str, **fields: Any) -> None:
        """Send it, and wait until it is done."""
        self._number += 1
        done = self._asked[self._number] = asyncio.get_running_loop().create_future()
        self.tell(what, number=self._number, **fields)
        await done

    async def read_answers(self) -> None:
        """Each is the number of a request. Without a worker there is nobody to work for."""
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            if (done := self._asked.pop(int(line), None)) and not done.done():
                done.set_result(None)
        os._exit(1)


async def _run(job: JobAssignment, worker: WorkerChannel) -> None:
    from mulligan.app.fix_requests import FixRequest, move_run, start_run
    from mulligan.app.fix_runs import FixRuns
    from mulligan.app.model_selection import ModelSelector
    from mulligan.app.open_session import session_with_store
    from mulligan.app.project_tools import approve_all
    from mulligan.app.ready_models import Downloads
    from mulligan.runtime.log import JsonLog
    from mulligan.store.store import open_store
    from mulligan.types.fixing import GoalText, RunState
    from mulligan.types.sandbox import Limits
    from mulligan.workspace.sandbox.sandbox import MAX_FILE_BYTES

    folder, spec = Path(job.folder), job.spec
    own = _configuration(job)
    configuration = _isolated_configuration(own, job)
    store = await open_store(folder / "mulligan.db")
    tell: Callable[[str], None] = lambda words: worker.write({"type": "notice", "text": words})  # noqa: E731
    try:
        session = await session_with_store(
            store, configuration, JsonLog(folder / "mulligan.log"), tell=tell, downloads=Downloads()
        )
        session.limits = Limits(job.memory, job.processes, MAX_FILE_BYTES)
        session.sandbox_required = not job.unsandboxed
        # Facts about models, and their files, belong to the worker: they stay when the job is gone.
        session.models = ModelSelector(own.settings, tell=tell, downloads=Downloads())
        keeper = Keeper(worker, job, {})
        runs = FixRuns(session, lambda frame: worker.write(frame.model_dump(mode="json")), approve_all, keeper)
        try:
            try:
                await session.models.check(job.model or session.model_name(session.agent("coder")))
            except ConfigurationError as error:
                raise NoModel(str(error)) from error
            if job.run_state:
                state = RunState.model_validate_json(job.run_state)
                started = await move_run(session, state.model_copy(update={"asked_model": job.model or None}))
            else:
                texts = (GoalText(name="issue", text=spec.issue),) if spec.issue else ()
                request = FixRequest(spec.wanted, spec.profile, spec.verify, model=job.model or None, texts=texts)
                started = await start_run(session, request)
            end = await runs.carry_out(started, apply=False)
            await _tell_result(session, spec.repository, end, worker)
        finally:
            await session.close()
    finally:
        await store.close()


def _configuration(job: JobAssignment) -> "Configuration":
    from mulligan.app.configuration import load_configuration

    # To a listed server goes the key that the worker chose for it, or none: not the one in the worker's own file.
    key = job.api_key if job.server else job.api_key or None
    flags = {"base_url": job.server or None, "model": job.model or None, "api_key": key}
    return load_configuration(Path(job.project), flags, {**os.environ, **job.environ, "MULLIGAN_HOME": job.home})


def _isolated_configuration(own: "Configuration", job: JobAssignment) -> "Configuration":
    """The worker's settings, without any access that its user gave to their own projects."""
    from dataclasses import replace

    settings = own.settings.model_copy(
        update={
            "home": Path(job.folder),
            "database_url": None,
            "sandbox": "none" if job.unsandboxed else own.settings.sandbox,
            "network": job.network,
            "sandbox_read": (Path(job.objects),),
            "sandbox_write": (),
            "pass_environment": (),
            "allow_commands": (),
            "hooks": (),
            "formatters": (),
        }
    )
    return replace(own, settings=settings, mcp={}, project_mcp={}, external={})


@dataclass(slots=True)
class Keeper:
    """The port `RunKeeper`: states and contents go to the worker, and each model call waits for its slot."""

    worker: WorkerChannel
    job: JobAssignment
    sent: dict[str, bytes]
    """Patches by the checkpoint that they make; most nodes change none."""

    async def restored(self, state: "RunState", tree: "RunTree") -> "RunState":
        if not self.job.work:
            return state.model_copy(update=dict.fromkeys(("base_snapshot", *SENT_SNAPSHOTS.values())))
        base = await tree.keep("before the run")
        snapshots = dict.fromkeys(SENT_SNAPSHOTS.values()) | {"base_snapshot": base}
        for name, packed in json.loads(self.job.work).items():
            await tree.return_to(base)
            await tree.apply_patch(unpacked(packed))
            snapshots[SENT_SNAPSHOTS[name]] = await tree.keep(f"{name}, as it came") if packed else base
        await tree.return_to(base)
        return state.model_copy(update=snapshots)

    async def saved(self, state: "RunState", tree: "RunTree") -> None:
        work: dict[str, str] = {}
        for name, attribute in SENT_SNAPSHOTS.items():
            snapshot: str | None = getattr(state, attribute)
            if snapshot and state.base_snapshot:
                if snapshot not in self.sent:
                    self.sent[snapshot] = (
                        await tree.patch_between(state.base_snapshot, snapshot)
                        if snapshot != state.base_snapshot
                        else b""
                    )
                work[name] = packed(self.sent[snapshot])
        body = json.dumps(state.model_dump(exclude={"runs": {"__all__": {"stdout", "stderr"}}}))
        await self.worker.ask("saved", run_state=body, work=json.dumps(work) if state.base_snapshot else "")

    def model(self, model: "Model") -> "Model":
        return WaitingModel(model, self.worker, shared=self.job.shared)


@dataclass(frozen=True, slots=True)
class WaitingModel:
    """A model that is asked when its server has a slot, and whose silence is not an error of the run."""

    inner: "Model"
    worker: WorkerChannel
    shared: bool
    """Something hands out the server's slots."""
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    """A job has one slot."""

    @property
    def name(self) -> str:
        return self.inner.name

    async def stream(self, request: "ModelRequest") -> "AsyncGenerator[ModelEvent, None]":
        async with self.one_at_a_time:
            if self.shared:
                await self.worker.ask("slot")
            replied = False
            try:
                async with aclosing(self.inner.stream(request)) as events:
                    async for event in events:
                        yield event
                replied = True
            except (ModelUnreachable, ModelOverloaded, ReplyCutOff) as error:
                raise ServerDown(error) from error
            finally:
                if self.shared:
                    self.worker.tell("free", replied=replied)


async def _tell_result(session: "Session", repository: str, end: "RunEnd", worker: WorkerChannel) -> None:
    """Everything the run brought back, applied to the job's own checkout, is the result."""
    from mulligan.core.fix_runs.advice import LOOK_AT_CHANGES, LOOK_FIRST
    from mulligan.workspace.git import open_repository

    project = session.settings.project
    await session.pending(project).apply(await session.store.changes.list(str(project), statuses=("pending",)))
    git = await open_repository(project)
    await git.run("add", "-A")
    patch = (await git.run("diff", "--cached", "--binary", "--full-index", "--no-color", "HEAD")).stdout
    report = await asyncio.to_thread(Path(end.report).read_text, encoding="utf-8")
    for here, there in ((str(project), repository), (LOOK_AT_CHANGES, FETCH_IT), (LOOK_FIRST, FETCH_IT)):
        report = report.replace(here, there)  # the reader has another checkout, or none yet
    worker.tell(
        "result",
        state=end.verdict,
        reason=end.reason,
        explanation=end.explanation,
        patch=base64.b64encode(patch).decode(),
        report=report,
        end=end.model_dump_json(),
    )


def packed(patch: bytes) -> str:
    return base64.b64encode(zlib.compress(patch)).decode() if patch else ""


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text)) if text else b""


if __name__ == "__main__":
    main()
