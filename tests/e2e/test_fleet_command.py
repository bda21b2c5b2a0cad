"""`mulligan fleet` without a worker: jobs come in, are shown, fetched, cancelled and pruned."""

import asyncio
import base64
import json
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.store.database import open_database
from mulligan.store.fleet.fleet_store import FleetStore, open_fleet_store
from mulligan.store.fleet.jobs import BATCH, new_token
from mulligan.types.fleet import JobResult
from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import FIXED, Repository, make_repository
from tests.store.postgres_server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@dataclass(frozen=True)
class Fleet:
    repository: Repository
    url: str

    def __call__(self, *words: str, stdin: str = "") -> Finished:
        environ = {"MULLIGAN_DATABASE_URL": self.url, "COLUMNS": "200"}
        # `fetch` has a store of its own: the user's.
        return self.repository.mulligan("fleet", *words, stdin=stdin, env=environ)

    def ask(self, question: Callable[[FleetStore], Awaitable[None]]) -> None:
        async def answered() -> None:
            store = await open_fleet_store(self.url)
            try:
                await question(store)
            finally:
                await store.close()

        asyncio.run(answered())

    def execute(self, sql: str) -> None:
        async def execute() -> None:
            database = await open_database(self.url)
            await database.execute(sql)
            await database.close()

        asyncio.run(execute())

    def end(self, job_id: str, patch: str) -> None:
        """As a worker would, with this result."""
        commit = self.repository.git("rev-parse", "HEAD").strip()

        async def end(store: FleetStore) -> None:
            database = await open_database(self.url)
            (row,) = await database.fetch_all("SELECT queue_id FROM fleet_jobs WHERE id = :id", id=job_id)
            await database.close()
            taken = await store.jobs.take(job_id, row["queue_id"], worker="w", token=new_token())
            assert taken
            await store.jobs.began(taken, server="http://m/v1", commit=commit)
            note = {"type": "run_note", "run_id": "r", "text": "It goes well."}
            await store.jobs.log(taken, json.dumps(note))
            result = JobResult(patch=base64.b64encode(patch.encode()).decode(), report="# The report", end="{}")
            await store.jobs.finish(taken, "verified", "passed", "It passes now.", result)

        self.ask(end)


@pytest.fixture
def fleet(mulligan: Command, postgres_url: str) -> Fleet:
    return Fleet(make_repository(mulligan), postgres_url)


def patch_of(repository: Repository) -> str:
    before = repository.code
    (repository.folder / "totals.py").write_text(FIXED)
    patch = repository.git("diff", "--binary", "--full-index")
    (repository.folder / "totals.py").write_text(before)
    return patch


def test_a_job_from_submission_to_its_result_in_a_checkout(fleet: Fleet) -> None:
    repository = fleet.repository
    submitted = fleet("submit", ".", "make the tests pass", "--label", "nightly", "--verify", "make test")
    job_id = submitted.stdout.strip()
    assert submitted.code == 0, submitted.stderr
    (listed,) = fleet("list", "--json").frames
    assert (listed["id"], listed["state"], listed["spec"]["repository"]) == (job_id, "queued", str(repository.folder))
    assert fleet("fetch", job_id).code == 2, "there is nothing yet"

    patch = patch_of(repository)
    fleet.end(job_id, patch)
    status = fleet("status", "--json").end
    assert (status["verified"], status["queued"], status["by_label_and_model"][0]["label"]) == (1, 0, "nightly")
    shown = fleet("show").stdout
    assert f"{job_id}  verified (passed)" in shown
    assert "# The report" in shown
    assert "It goes well." in fleet("logs", job_id[:5]).stderr
    assert fleet("fetch", "--patch").stdout == patch

    other = fleet("submit", "/elsewhere", "newer, and of another repository")
    assert "/elsewhere is not on this machine" in other.stderr
    fleet.end(other.stdout.strip(), patch.replace("totals", "others"))
    made = fleet("fetch", "--branch", "fix/totals")
    assert made.code == 0, made.stderr
    assert repository.git("show", "fix/totals:totals.py") == FIXED
    assert fleet("fetch", "--branch", "fix/totals").code == 2, "it is there already"
    fetched = fleet("fetch")
    assert "1 pending change" in fetched.stderr
    assert repository.code != FIXED, "nothing is written before somebody says yes"
    assert "totals.py" in repository.mulligan("changes", "list", env={"MULLIGAN_DATABASE_URL": fleet.url}).stdout
    assert repository.git("worktree", "list").count("\n") == 1, "what it needed is gone"

    assert fleet("retry", job_id, "--json").end == {"id": job_id, "state": "queued"}
    assert fleet("retry", job_id).code == 2
    assert fleet("cancel", job_id, "--json").end == {"id": job_id, "state": "cancelled"}
    assert fleet("prune", "--days", "0", "--json").end == {"deleted": 2, "repositories": 0, "freed_bytes": 0}
    assert fleet("show").code == 2


def test_a_result_that_does_not_fit_is_refused_and_the_way_out_is_said(fleet: Fleet) -> None:
    patch = patch_of(fleet.repository)
    job_id = fleet("submit", ".", "fix it").stdout.strip()
    fleet.end(job_id, patch)
    (fleet.repository.folder / "totals.py").write_text("something else\n")
    refused = fleet("fetch", job_id)
    assert refused.code == 2
    assert "does not fit this checkout" in refused.stderr
    assert "--branch" in refused.stderr


def test_many_jobs_come_from_a_file_or_standard_input(fleet: Fleet, tmp_path: Path) -> None:
    lines = "".join(f'{{"repository": "/r{n}", "goal": "g", "labels": ["l{n % 2}"]}}\n' for n in range(4))
    file = tmp_path / "jobs.jsonl"
    file.write_text(lines)
    ids = fleet("submit", "--file", str(file)).stdout.split()
    more = [each["id"] for each in fleet("submit", "-", "--json", stdin=lines).frames]
    assert len({*ids, *more}) == 8
    assert len(fleet("list", "--label", "l1", "--json").frames) == 4
    assert fleet("list", "--state", "failed").stdout == ""


def test_a_submission_that_breaks_off_says_what_it_submitted_and_how_to_go_on(fleet: Fleet, tmp_path: Path) -> None:
    """The database refuses a job of the second batch; the file has blank lines."""
    goals = ["g"] * (BATCH + 1) + ["refused"]
    file = tmp_path / "jobs to do.jsonl"
    file.write_text("\n\n".join(json.dumps({"repository": "/r", "goal": goal}) for goal in goals))
    fleet("database")
    fleet.execute("ALTER TABLE fleet_jobs ADD CONSTRAINT refuses CHECK (spec NOT LIKE '%refused%')")
    broken = fleet("submit", "--file", str(file))
    assert broken.code == 1, broken
    assert len(broken.stdout.split()) == BATCH
    assert f"{BATCH} of {BATCH + 2} jobs were submitted" in broken.stderr
    (rest,) = (line.rpartition("options: ")[2] for line in broken.stderr.splitlines() if "options: " in line)
    words = ["sh", "-c", rest.partition(" | mulligan")[0]]
    left = subprocess.run(words, check=True, capture_output=True, text=True)
    assert [json.loads(line)["goal"] for line in left.stdout.splitlines()] == ["g", "refused"]
    assert len(fleet("list", "--json", "--limit", "10000").frames) == BATCH


@pytest.mark.parametrize("name", ["a::b", "a\u00a0b", "a\u200db"], ids=["helper", "no-break space", "joiner"])
def test_a_folder_that_no_row_could_hold_is_refused_whatever_path_leads_to_it(
    fleet: Fleet, tmp_path: Path, name: str
) -> None:
    (tmp_path / name / ".git").mkdir(parents=True)
    (fleet.repository.folder / "link").symlink_to(tmp_path / name)
    refused = fleet("submit", "link", "g")
    assert refused.code == 2, refused
    assert "no `::`, only printable characters" in refused.stderr
    assert fleet("list", "--json").frames == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["submit"], "name a repository and a goal", id="nothing"),
        pytest.param(["submit", "."], "there is no goal", id="no goal"),
        pytest.param(["submit", "none", "g"], "none does not exist here", id="no repository"),
        pytest.param(["submit", "/", "g"], "/ is not a git repository", id="a folder that is no repository"),
        pytest.param(["submit", ".git/hooks", "g"], "which it is a part of", id="a folder of a repository"),
        pytest.param(["fetch"], "has ended: `mulligan fleet list`", id="no job of this checkout"),
        pytest.param(["list", "--database", "postgresql://127.0.0.1:1/x"], "can't be reached", id="no server"),
        pytest.param(["submit", "--file", "none.jsonl"], "none.jsonl can't be read", id="no file"),
        pytest.param(["submit", "-"], "there are no jobs in standard input", id="an empty input"),
        pytest.param(["show", "zz"], "there is no job 'zz'", id="an unknown job"),
        pytest.param(["logs"], "there are no jobs yet", id="no job at all"),
        pytest.param(["servers", "add", "gpu-1"], "not a server address: gpu-1", id="no URL"),
        pytest.param(["servers", "remove", "http://x/v1"], "is not on the list", id="an unknown server"),
        pytest.param(["list", "--database", "mysql://x"], "a fleet needs PostgreSQL", id="another database"),
        pytest.param(["work", "--heartbeat", "9", "--silence", "9"], "at least twice", id="too impatient"),
        pytest.param(["fetch", "--branch", "x", "--patch"], "choose one", id="two ways at once"),
        pytest.param(["database", "--delete"], "--delete needs --stop", id="a running database"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(fleet: Fleet, words: list[str], said: str) -> None:
    refused = fleet(*words)
    assert refused.code == (1 if "can't be reached" in said else 2), refused
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr


def test_servers_and_workers_are_listed(fleet: Fleet) -> None:
    assert "the list is empty" in fleet("servers").stderr
    assert fleet("servers", "add", "http://gpu-1/v1", "--slots", "4", "--model", "q").code == 0
    (server,) = fleet("servers", "list", "--json").frames
    assert (server["url"], server["slots"], server["models"], server["down_for"]) == ("http://gpu-1/v1", 4, ["q"], 0)
    assert "0 of 4" in fleet("servers").stdout
    assert "there are no workers" in fleet("workers").stderr
    fleet.ask(lambda store: store.workers.beat("w1", slots=2, labels=[], sandbox="bubblewrap"))
    assert "0 of 2" in fleet("workers").stdout
    assert fleet("servers", "remove", "http://gpu-1/v1").code == 0


def test_a_database_of_our_own_is_started_stopped_and_deleted(mulligan: Command) -> None:
    try:
        place = mulligan("fleet", "database", "--json")
        assert place.code == 0, place.stderr
        assert "starting our own PostgreSQL" in place.stderr
        folder = Path(place.end["database"].removesuffix("/postgres"))
        assert mulligan("fleet", "submit", "/r", "g").code == 0
        assert (folder / "data" / "postmaster.pid").exists()
    finally:
        stopped = mulligan("fleet", "database", "--stop", "--delete")
    assert "PostgreSQL has stopped" in stopped.stderr
    assert not folder.exists()
