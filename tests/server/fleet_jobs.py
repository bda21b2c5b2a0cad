"""A fleet whose jobs are begun, told of and ended by the store's own functions, as a worker does it."""

import base64
import json
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mulligan.store.database import Database, open_database
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.store.fleet.jobs import TakenJob
from mulligan.types.fixing import FailureHistory, Plan, PlanStep, Spent
from mulligan.types.fleet import JobResult, JobSpec, JobState
from mulligan.types.run_frames import CheckEnded, NodeEntered, PlanMade, RunEnd, RunFrame, RunStarted
from tests.e2e.fix_project import CODE, FIXED, VERIFY
from tests.store.test_store_fleet import take_next, worker_of_queue

RUN = "run"


def check(*, passed: bool) -> CheckEnded:
    return CheckEnded(
        run_id=RUN,
        purpose="verify" if passed else "baseline",
        command=VERIFY,
        exit_code=0 if passed else 1,
        timed_out=False,
        seconds=0.4,
        passed=passed,
        kind=None if passed else "test_failure",
        summary="",
        failing=None if passed else 2,
    )


def node(name: str) -> NodeEntered:
    attempt = 0 if name == "baseline" else 1
    return NodeEntered.model_validate({"run_id": RUN, "node": name, "attempt": attempt, "attempts": 0})


BEGUN: tuple[RunFrame, ...] = (
    RunStarted(
        run_id=RUN, goal="g", profile="fast", agency="agent", model="scripted", commands=(), folder="/t", resumed=False
    ),
    node("baseline"),
    check(passed=False),
    node("planner"),
    PlanMade(
        run_id=RUN,
        plan=Plan(next="coder", plan=(PlanStep(step="take off the one", failure=""),), reason="one too many"),
    ),
    node("coder"),
)
ENDED: tuple[RunFrame, ...] = (
    node("verifier"),
    check(passed=True),
    RunEnd(
        run_id=RUN,
        verdict="verified",
        reason="passed",
        explanation="",
        failure_history=FailureHistory(),
        done=True,
        files=("totals.py",),
        pending=1,
        applied=0,
        report="",
        spent=Spent(),
        seconds=3.0,
    ),
)


@dataclass(frozen=True)
class WorkedFleet:
    url: str
    store: FleetStore
    raw: Database
    worker: int

    async def submit(self, goal: str, repository: str = "/somewhere/engine", **fields: object) -> str:
        spec = JobSpec.model_validate({"repository": repository, "goal": goal, **fields})
        (job_id,) = await self.store.jobs.submit([spec])
        return job_id

    async def begin(self, commit: str = "") -> TakenJob:
        """The next of the queue; with what its run does before there is a change."""
        taken = await take_next(self.store, self.raw, self.worker)
        await self.store.jobs.began(taken, server="http://m/v1", commit=commit)
        await self.tell(taken, BEGUN)
        return taken

    async def tell(self, taken: TakenJob, frames: tuple[RunFrame, ...]) -> None:
        lines = [frame.model_dump_json() for frame in frames]
        notice = json.dumps({"type": "notice", "text": f"{len(frames)} frames"})
        await self.store.jobs.log(taken, "\n".join([*lines, notice, '{"type": "of a newer worker"}']))

    async def end(self, taken: TakenJob, patch: str, state: JobState = "verified", reason: str = "passed") -> None:
        await self.tell(taken, ENDED)
        result = JobResult(patch=base64.b64encode(patch.encode()).decode(), report="## All tests pass\n")
        await self.store.jobs.finish(taken, state, reason, "", result)


@asynccontextmanager
async def worked_fleet(url: str) -> AsyncGenerator[WorkedFleet]:
    store = await open_fleet_store(url)
    raw = await open_database(url)
    try:
        yield WorkedFleet(url, store, raw, await worker_of_queue(raw))
    finally:
        await raw.close()
        await store.close()


def head_of(project: Path) -> str:
    shown = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True)
    return shown.stdout.strip()


def fixing_patch(project: Path) -> str:
    """As git writes it, of a project that has the code with the mistake."""
    (project / "totals.py").write_text(FIXED)
    patch = subprocess.run(["git", "diff"], cwd=project, check=True, capture_output=True, text=True).stdout
    (project / "totals.py").write_text(CODE)
    return patch
