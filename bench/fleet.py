"""A fleet on one machine: a long queue, workers that are killed, a database that is restarted."""

import asyncio
import json
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.harness import commit_all, environment_for, run_measured, tell
from bench.results import Baseline, BenchFailed, Figure, Table, Yielded, at_least, at_most
from mulligan.fleet.job_try import SLOT_PAUSE
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import running
from mulligan.store.embedded_postgres import EmbeddedPostgres
from mulligan.store.fleet.fleet_store import open_fleet_store
from mulligan.store.fleet.jobs import new_token

MULLIGAN = Path(sys.executable).with_name("mulligan")
CALL_SECONDS = 0.5
VERIFY = "python3 -m unittest -q"
CODE = "def total(items):\n    return sum(items) + 1\n"
TESTS = """\
import unittest

from totals import total


class TotalsTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
REPOSITORIES = 10
TAKES = 300
SINGLE = 5
IDLE_SECONDS = 20.0
KILLED = 3
WAITING_JOBS = 16
AT_ONCE = 8
SLOTS = 4
TEST_SECONDS = 1 / 3
MADE_UP = "http://made-up/v1"
HEARTBEAT = ("--heartbeat", "1", "--silence", "5")


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=200, help="that workers are killed over; 0 for none")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--queued", type=int, default=100_000, help="that are submitted and wait; 0 for none")
    parser.add_argument("--seed", type=int, default=1)


def measure(asked: Namespace) -> Iterator[Yielded]:
    with _bench() as bench:
        if asked.queued:
            yield from _long_queue(bench, asked.queued)
            yield from _leases(bench)
            yield from _idle(bench)
            yield from _overhead(bench)
        if asked.jobs:
            yield from _faults(bench, asked.jobs, asked.workers, random.Random(asked.seed))


@dataclass(frozen=True)
class FleetBench:
    folder: Path
    database: EmbeddedPostgres
    server: str
    repositories: Sequence[Path]
    workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list["subprocess.Popen[bytes]"])

    def command(self, *words: str) -> list[str | Path]:
        return [MULLIGAN, "fleet", words[0], "--database", self.database.url, *words[1:]]

    def run(self, *words: str) -> str:
        done = subprocess.run(
            self.command(*words), env=environment_for(self.folder / "home"), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BenchFailed(f"mulligan fleet {words[0]} failed: {done.stderr}")
        return done.stdout

    def start_worker(self, *words: str, heartbeat: Sequence[str] = HEARTBEAT) -> "subprocess.Popen[bytes]":
        """With a home of its own, as on a machine of its own."""
        number = len(self.workers)
        log = (self.folder / f"worker-{number}.log").open("wb")
        worker = subprocess.Popen(
            self.command("work", "--name", f"w{number}", *heartbeat, *words),
            env=environment_for(self.folder / f"home-{number}"),
            stdout=log,
            stderr=log,
        )
        self.workers.append(worker)
        return worker

    def job(self, number: int) -> dict[str, object]:
        repository = self.repositories[number % len(self.repositories)]
        return {
            "repository": str(repository),
            "goal": "make the tests pass",
            "verify": [VERIFY],
            "model": "scripted",
            "labels": [f"team-{number % 3}"],
        }

    def submit(self, count: int) -> None:
        file = self.folder / "jobs.jsonl"
        file.write_text("".join(f"{json.dumps(self.job(number))}\n" for number in range(count)))
        self.run("submit", "--file", str(file))

    def status(self) -> dict[str, int]:
        return json.loads(self.run("status", "--json"))


@contextmanager
def _bench() -> Generator[FleetBench]:
    folder = Path(tempfile.mkdtemp(prefix="mulligan-fleet-bench-", dir="/tmp"))
    folder.chmod(0o755)
    database = EmbeddedPostgres(folder / "postgres", folder / "lock")
    try:
        database.start()
        repositories = [_repository(folder / f"repository-{number}") for number in range(REPOSITORIES)]
        with running(_script()) as server:
            bench = FleetBench(folder, database, server.base_url, repositories)
            try:
                yield bench
            finally:
                for worker in bench.workers:
                    worker.kill()
                    worker.wait()
    finally:
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _repository(folder: Path) -> Path:
    folder.mkdir()
    (folder / "totals.py").write_text(CODE)
    (folder / "test_totals.py").write_text(TESTS)
    commit_all(folder)
    return folder


def _script() -> Script:
    steps = [{"step": "take off the one", "failure": "test_total"}]
    plan = json.dumps({"next": "coder", "plan": steps, "reason": "one too many"})
    edit = {"path": "totals.py", "old": "    return sum(items) + 1", "new": "    return sum(items)"}
    replies = [
        {"when": {"contains": "Edited totals.py"}, "text": "Done."},
        {"when": {"tools": True}, "tool_calls": [{"name": "edit_file", "arguments": edit}]},
        {"when": {"tools": False}, "text": plan},
    ]
    return Script.model_validate({"replies": [{**reply, "delay": CALL_SECONDS} for reply in replies]})


def _long_queue(bench: FleetBench, queued: int) -> Iterator[Yielded]:
    bench.run("database")
    tell(f"{queued} jobs from a file")
    began = time.perf_counter()
    bench.submit(queued)
    yield Figure("submitted a second, from JSONL", queued / (time.perf_counter() - began), "jobs", at_least(2000))
    tell(f"{TAKES} of them taken, one after the other")
    times = asyncio.run(_take_times(bench.database.url))
    yield Figure(f"taking the next of {queued} jobs, 99th percentile", times[int(len(times) * 0.99)], "ms", at_most(50))
    yield Figure("the same, median", statistics.median(times), "ms")


async def _take_times(url: str) -> list[float]:
    """In milliseconds, sorted: from a free worker's question to a job that is its own. Then all others are deleted."""
    from mulligan.fleet.queue import open_queue

    store, queue = await open_fleet_store(url), open_queue(url)
    times: list[float] = []
    try:
        async with queue.open_async():
            worker = await queue.job_manager.register_worker()
            for _ in range(TAKES):
                began = time.perf_counter()
                row = await queue.job_manager.fetch_job(queues=None, worker_id=worker)
                taken = row and await store.jobs.take(
                    str(row.task_kwargs["job"]), row.id or 0, worker="bench", token=new_token()
                )
                times.append((time.perf_counter() - began) * 1000)
                if not taken:
                    raise BenchFailed("there was no job to take")
                await store.jobs.finish(taken, "verified", "passed", "")
            await queue.job_manager.connector.execute_query_async("TRUNCATE procrastinate_jobs, fleet_jobs CASCADE")
    finally:
        await store.close()
    return sorted(times)


def _leases(bench: FleetBench) -> Iterator[Yielded]:
    """Jobs that only wait: three calls of half a second, and a second of tests in between. Only the slots differ."""
    tell(f"{WAITING_JOBS} made-up jobs, {AT_ONCE} at once, for {SLOTS} slots: one a call, and one a run")
    by_run = asyncio.run(_leased(bench.database.url, whole_run=True))
    by_call = asyncio.run(_leased(bench.database.url, whole_run=False))
    yield Figure("a slot for each call", by_call, "s", at_most(1, of="ratio"), Baseline("a slot for each run", by_run))


async def _leased(url: str, *, whole_run: bool) -> float:
    store = await open_fleet_store(url)
    servers, gate = store.servers, asyncio.Semaphore(AT_ONCE)
    await servers.register(MADE_UP, models=[], slots=SLOTS)

    @asynccontextmanager
    async def slot() -> AsyncGenerator[None]:
        claim = new_token()
        while not await servers.claim(claim, MADE_UP, label="", worker="bench"):  # noqa: ASYNC110  as workers do
            await asyncio.sleep(SLOT_PAUSE)
        yield
        await servers.free(claim)

    async def job() -> None:
        async with gate, slot() if whole_run else nullcontext():
            for _ in range(3):
                async with nullcontext() if whole_run else slot():
                    await asyncio.sleep(CALL_SECONDS)
                await asyncio.sleep(TEST_SECONDS)

    began = time.perf_counter()
    await asyncio.gather(*(job() for _ in range(WAITING_JOBS)))
    took = time.perf_counter() - began
    await servers.remove(MADE_UP)
    await store.close()
    return took


def _idle(bench: FleetBench) -> Iterator[Yielded]:
    tell(f"a worker with nothing to do, for {IDLE_SECONDS:.0f} s")
    # As people start one: the frequent heartbeats of the other parts only shorten the bench.
    worker = bench.start_worker(heartbeat=())
    _wait(lambda: bench.status()["workers"] == 1, "the worker")
    time.sleep(2)
    before = _cpu_seconds(worker.pid)
    time.sleep(IDLE_SECONDS)
    yield Figure("an idle worker, memory", _resident_mb(worker.pid), "MB", at_most(80))
    used = (_cpu_seconds(worker.pid) - before) / IDLE_SECONDS * 100
    yield Figure("an idle worker, processor", used, "% of a core", at_most(1))
    worker.send_signal(signal.SIGTERM)
    worker.wait()


def _overhead(bench: FleetBench) -> Iterator[Yielded]:
    tell(f"{SINGLE} jobs one after the other, and the same by `mulligan fix`")
    _register(bench)
    alone = statistics.median(_fix(bench, number) for number in range(SINGLE))
    bench.submit(SINGLE)
    bench.start_worker("--until-empty").wait()
    jobs = [json.loads(line) for line in bench.run("list", "--json").splitlines()]
    took = statistics.median(job["ended_at"] - job["started_at"] for job in jobs)
    yield Figure(
        "a job, over the same `mulligan fix`", took - alone, "s", at_most(0.5), Baseline("mulligan fix", alone)
    )


def _register(bench: FleetBench) -> None:
    words = ["servers", "add", bench.server, "--slots", "8", "--model", "scripted", "--database", bench.database.url]
    subprocess.run(
        [MULLIGAN, "fleet", *words], env=environment_for(bench.folder / "home"), check=True, capture_output=True
    )


def _fix(bench: FleetBench, number: int) -> float:
    """Seconds of `mulligan fix` for the same as a job."""
    home, project = bench.folder / f"fix-home-{number}", bench.folder / f"fix-{number}"
    _repository(project)
    words = ["fix", "--json", "--base-url", bench.server, "--model", "scripted", "--verify", VERIFY]
    done = run_measured([MULLIGAN, *words, "make the tests pass"], home=home, cwd=project)
    if done.last.get("verdict") != "verified":
        raise BenchFailed(f"mulligan fix did not verify: {done.stderr}")
    return done.seconds


def _faults(bench: FleetBench, jobs: int, workers: int, chance: random.Random) -> Iterator[Yielded]:
    _register(bench)
    sample = workers * 3
    tell(f"{sample} runs of `mulligan fix`, {workers} at once: what {jobs} jobs would take at best")
    began = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(partial(_fix, bench), range(100, 100 + sample)))
    ideal = (time.perf_counter() - began) / sample * jobs
    bench.run("prune", "--days", "0")
    bench.submit(jobs)
    tell(f"{jobs} jobs on {workers} workers; {KILLED} are killed, and PostgreSQL is restarted")
    began = time.perf_counter()
    working = [bench.start_worker() for _ in range(workers)]
    actions = sorted(
        [*((chance.uniform(0.1, 0.7), "kill") for _ in range(KILLED)), (chance.uniform(0.2, 0.6), "restart")]
    )
    while (status := bench.status())["queued"] + status["running"]:
        ended = jobs - status["queued"] - status["running"]
        while actions and ended >= actions[0][0] * jobs:
            if actions.pop(0)[1] == "kill":
                working.pop().kill()
            else:
                bench.database.stop()
                bench.database.start()
        if all(worker.poll() is not None for worker in working):
            raise BenchFailed("no worker is left")
        time.sleep(0.5)
    took = time.perf_counter() - began
    listed = [json.loads(line) for line in bench.run("list", "--json", "--limit", "10000").splitlines()]
    verified = sum(job["state"] == "verified" for job in listed)
    yield Figure("jobs with one result, verified", verified, f"of {jobs}", at_least(jobs))
    results = asyncio.run(_result_count(bench.database.url))
    yield Figure("results that were kept", results, f"of {jobs}", at_most(jobs))
    yield Figure("time of all", took, "s", at_most(1.5, of="ratio"), Baseline("plain runs, as many at once", ideal))
    again = sum(job["tries"] > 1 for job in listed)
    yield Table(
        "Jobs and how often they were begun",
        ("begun", "jobs"),
        (("once", str(jobs - again)), ("more than once, as a worker died", str(again))),
    )


async def _result_count(url: str) -> int:
    store = await open_fleet_store(url)
    try:
        ids = [job.id for job in await store.reading.list(most=10_000)]
        return sum([await store.reading.result(job_id) is not None for job_id in ids])
    finally:
        await store.close()


def _wait(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not done():
        if time.monotonic() > deadline:
            raise BenchFailed(f"{what} never came")
        time.sleep(0.2)


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
