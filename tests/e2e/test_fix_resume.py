"""A fix run that was killed goes on where it was, and leaves nothing running."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import CODE, FIXED, PLAN, RIGHT, VERIFY, Repository, make_repository, say
from tests.scripted_server import running

DEADLINE = 40.0
HANGS: dict[str, Any] = {"hang": 0, "text": "…"}
"""A reply that never comes."""


@pytest.fixture
def repository(mulligan: Command) -> Repository:
    return make_repository(mulligan)


def kill_at(
    repository: Repository, replies: list[dict[str, Any]], node: str, *, verify: str = VERIFY, hangs: str = ""
) -> None:
    """Start a run, kill it as soon as it is in the middle of the node, and this command runs."""
    with running(Script.model_validate({"replies": replies})) as server:
        arguments = ["fix", "--json", *repository.model(server.base_url), "--verify", verify, "fix it"]
        process = repository.mulligan.start(*arguments, env={"USER": "first"})
        _wait_for(process, node)
        deadline = time.monotonic() + DEADLINE
        while hangs and hangs not in map(str.strip, still_running(hangs)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not hangs or still_running(hangs), "the command was not started"
        process.send_signal(signal.SIGKILL)
        process.communicate()


def _wait_for(process: "subprocess.Popen[str]", node: str) -> None:
    """Until the run works in the node: the coder and the planner at a model that hangs, the others at a command."""
    assert process.stdout
    entered = ""
    for line in process.stdout:
        frame = json.loads(line)
        if frame["type"] == "run_node":
            entered = frame["node"]
        waits = frame["type"] == "run_node" if node == "planner" else frame["type"] in {"run_check_start", "step_start"}
        if entered == node and waits:
            return
    raise AssertionError(f"the run never came to {node}")


def resume(repository: Repository, replies: list[dict[str, Any]], run_id: str) -> Finished:
    with running(Script.model_validate({"replies": replies})) as server:
        return repository.mulligan("fix", "--json", *repository.model(server.base_url), "--yes", "--resume", run_id)


def newest_run(repository: Repository) -> str:
    listed = repository.mulligan("runs", "list", "--json").frames
    return listed[0]["id"] if "id" in listed[0] else listed[0]["state"]["id"]


def still_running(mark: str) -> list[str]:
    """Commands of live processes that hold the mark."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if mark in line and int(folder.name) != os.getpid():
                found.append(line)
    return found


@pytest.mark.parametrize(
    ("node", "before", "after"),
    [
        # That a run goes on after any of its writes is shown in one process, in `tests/app/test_fix_runs.py`.
        pytest.param("planner", [HANGS], [PLAN, RIGHT, say("Done.")], id="planner", marks=pytest.mark.breadth),
        pytest.param("coder", [PLAN, RIGHT, HANGS], [RIGHT, say("Done.")], id="coder, with an edit made"),
    ],
)
def test_killed_while_the_model_is_asked_it_goes_on(
    repository: Repository, node: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    kill_at(repository, before, node)
    assert repository.code == CODE
    done = resume(repository, after, newest_run(repository))
    assert (done.end["verdict"], done.code) == ("verified", 0)
    assert repository.code == FIXED


@pytest.mark.parametrize(
    ("node", "replies", "after"),
    [
        pytest.param("baseline", [], [PLAN, RIGHT, say("Done.")], id="baseline", marks=pytest.mark.breadth),
        pytest.param("verifier", [PLAN, RIGHT, say("Done.")], [], id="verifier"),
    ],
)
def test_killed_while_a_command_runs_it_goes_on_and_the_command_is_gone(
    repository: Repository, tmp_path: Path, node: str, replies: list[dict[str, Any]], after: list[dict[str, Any]]
) -> None:
    mark = f"sleep 3{abs(hash(str(tmp_path))) % 10**6}"
    # It hangs in the node that is to be killed, and not after a resume. Commands see the variable, and no file of ours.
    fixed = "" if node == "baseline" else " && grep -q 'sum(items)$' totals.py"
    verify = f'if [ "$USER" = first ]{fixed}; then {mark}; fi; {VERIFY}'
    kill_at(repository, replies, node, verify=verify, hangs=mark)
    deadline = time.monotonic() + DEADLINE
    while still_running(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert still_running(mark) == []
    done = resume(repository, after, newest_run(repository))
    assert (done.end["verdict"], done.code) == ("verified", 0)
    assert repository.code == FIXED


def test_ctrl_c_is_a_normal_end_and_says_how_to_go_on(repository: Repository) -> None:
    with running(Script.model_validate({"replies": [PLAN, RIGHT, HANGS]})) as server:
        process = repository.mulligan.start(
            "fix", "--json", *repository.model(server.base_url), "--verify", VERIFY, "fix it"
        )
        _wait_for(process, "coder")
        process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    run_id = newest_run(repository)
    assert f"mulligan fix --resume {run_id}" in notes
    assert repository.code == CODE
    assert resume(repository, [RIGHT, say("Done.")], run_id).end["verdict"] == "verified"


def test_ctrl_c_in_a_resumed_run_names_that_run_and_not_a_newer_one(repository: Repository) -> None:
    with running(Script.model_validate({"replies": [HANGS], "then": "repeat_last"})) as server:

        def stopped(*words: str) -> str:
            process = repository.mulligan.start("fix", "--json", *repository.model(server.base_url), *words)
            _wait_for(process, "planner")
            process.send_signal(signal.SIGINT)
            _, notes = process.communicate(timeout=DEADLINE)
            return notes.partition("mulligan fix --resume ")[2].split()[0]

        first, second = (stopped("--verify", VERIFY, goal) for goal in ("fix it", "fix all of it"))
        assert stopped("--resume", first) == first != second


def test_a_run_that_has_ended_is_not_resumed(repository: Repository) -> None:
    done = repository.fix([PLAN, RIGHT, say("Done.")])
    again = repository.mulligan(
        "fix", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--resume", done.end["run_id"]
    )
    assert again.code == 2
    assert "has ended" in again.stderr


def test_a_run_that_is_worked_on_is_not_taken_over(repository: Repository) -> None:
    with running(Script.model_validate({"replies": [HANGS]})) as server:
        process = repository.mulligan.start(
            "fix", "--json", *repository.model(server.base_url), "--verify", VERIFY, "fix it"
        )
        try:
            _wait_for(process, "planner")
            refused = resume(repository, [], newest_run(repository))
        finally:
            process.kill()
            process.communicate()
    assert refused.code == 2
