"""A job's repository is anybody's: its commands are confined, see no secrets, and are bounded."""

import json
import os
import shutil
from pathlib import Path

from mulligan.models.scripted.model import Script
from tests.e2e.fix_project import PLAN, RIGHT, VERIFY, say
from tests.fleet.small_fleet import SmallFleet
from tests.patience import PATIENCE
from tests.scripted_server import running


def test_commands_of_a_job_see_neither_secrets_nor_the_home_of_their_worker(fleet: SmallFleet, tmp_path: Path) -> None:
    home = tmp_path / "home of only"
    home.mkdir()
    (home / "own.txt").write_text("mine")
    secrets = {"MULLIGAN_API_KEY": "sk-of-the-worker", "DEPLOY_TOKEN": "of-the-worker", "FLEET_PLAIN": "of-the-worker"}
    spy = f"env; cat '{home}/own.txt'; touch '{tmp_path}/escaped'; {VERIFY}"
    with running(Script.model_validate({"replies": [PLAN, RIGHT, say("Done.")]})) as server:
        job_id = fleet.submit(server=server.base_url, verify=(spy,))
        fleet.start("only", "--until-empty", "--cache", "0", environ=secrets)
        assert fleet.workers["only"].code.result(PATIENCE) == 0, fleet.told("only")
    result = fleet.result(job_id)
    assert result is not None
    assert fleet.job(job_id).state == "verified"
    assert f"{job_id} verified" in fleet.told("only")
    told = fleet.frames(job_id) + result.report + fleet.patch(job_id)
    for secret in ("of-the-worker", "mine\n"):
        assert secret not in told
    assert not (tmp_path / "escaped").exists()
    for kept in ("tries", "repositories"):
        assert list((home / "fleet" / kept).iterdir()) == [], "nothing of the job is left"


def test_a_job_that_can_not_be_fetched_fails_with_its_reason(fleet: SmallFleet) -> None:
    job_id = fleet.submit(ref="no-such-branch")
    fleet.start("only", "--until-empty")
    assert fleet.workers["only"].code.result(PATIENCE) == 0, fleet.told("only")
    job = fleet.job(job_id)
    assert (job.state, job.reason) == ("failed", "refused")
    assert "no-such-branch can't be fetched" in job.explanation


def test_a_job_waits_where_its_worker_has_no_model(fleet: SmallFleet) -> None:
    job_id = fleet.submit()
    fleet.start("only", "--until-empty", "--json", environ={"MULLIGAN_BASE_URL": ""})
    assert fleet.workers["only"].code.result(PATIENCE) == 0, fleet.told("only")
    job = fleet.job(job_id)
    assert (job.state, job.tries) == ("queued", 0)
    assert "only has no model for it: no model server is set" in job.note
    lines = (fleet.folder / "files of only" / "stdout").read_text().splitlines()
    assert [json.loads(line).get("state") for line in lines] == [None, "running", "queued"]


def test_a_command_beyond_its_limits_is_ended_without_a_sandbox_too(fleet: SmallFleet) -> None:
    hungry = "python3 -c 'x = bytearray(400_000_000); import time; time.sleep(60)'"
    with running(Script.model_validate({"replies": [PLAN, RIGHT, say("Done.")]})) as server:
        job_id = fleet.submit(server=server.base_url, verify=(hungry,), profile="smoke")
        fleet.start("only", "--until-empty", "--unsandboxed", "--memory", "0.2")
        assert fleet.workers["only"].code.result(PATIENCE) == 0, fleet.told("only")
    assert fleet.job(job_id).state in {"failed", "unverified"}
    assert "memory" in fleet.frames(job_id)


def test_a_worker_without_a_sandbox_takes_no_jobs(fleet: SmallFleet) -> None:
    fleet.start("only", environ={"MULLIGAN_SANDBOX": "none"})
    assert fleet.workers["only"].code.result(PATIENCE) == 2
    assert "takes no jobs" in fleet.told("only")
    assert "--unsandboxed" in fleet.told("only")


def test_a_sandbox_that_fails_later_runs_no_command_and_costs_no_try(fleet: SmallFleet, tmp_path: Path) -> None:
    """It works when the worker starts, not when the job does, and then again."""
    works, programs, ran = tmp_path / "works", tmp_path / "programs", tmp_path / "ran"
    works.touch()
    programs.mkdir()
    (programs / "bwrap").write_text(f"#!/bin/sh\n[ -e '{works}' ] && exec {shutil.which('bwrap')} \"$@\"\nexit 1\n")
    (programs / "bwrap").chmod(0o755)
    environ = {"MULLIGAN_SANDBOX": "bubblewrap", "PATH": f"{programs}:{os.environ['PATH']}"}
    with running(Script.model_validate({"replies": [PLAN, RIGHT, say("Done.")]})) as server:
        fleet.start("only", environ=environ)
        fleet.wait("the worker", lambda: "works for the fleet" in fleet.told("only"))
        works.unlink()
        job_id = fleet.submit(server=server.base_url, verify=(f"touch '{ran}'; {VERIFY}",), max_tries=1)
        fleet.wait("the note", lambda: "only failed: there is no sandbox for commands" in fleet.job(job_id).note)
        assert fleet.job(job_id).tries == 0
        assert not ran.exists()
        works.touch()
        assert fleet.wait_for_state(job_id, "verified").tries == 1
