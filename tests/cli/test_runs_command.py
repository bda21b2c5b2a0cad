"""`mulligan runs` over runs that are in the store."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.fixing.report import RunFolder
from mulligan.store.store import open_store
from mulligan.types.fixing import RunState
from tests.fixing.run_states import a_command_run, a_failed_run, a_plan, a_record, a_run

Start = Callable[..., Any]
Keep = Callable[..., None]


@pytest.fixture
def keep(environment: dict[str, str]) -> Keep:
    """Put runs into the store; nobody works on them any more."""

    async def add(*states: RunState) -> None:
        store = await open_store(Path(environment["MULLIGAN_HOME"]) / "mulligan.db")
        for state in states:
            await store.runs.add(state)
            await store.runs.release(state.id)
        await store.close()

    return lambda *states: asyncio.run(add(*states))


@pytest.fixture
def of_project(project: Path) -> dict[str, str]:
    return {"project": str(project)}


def test_without_runs_it_says_how_to_begin_one(run: Start) -> None:
    listed, shown = run("runs"), run("runs", "show")
    words = 'this project has no fix runs yet: start one with mulligan fix "…"\n'
    assert (listed.returncode, listed.stdout, listed.stderr) == (0, "", words)
    assert (shown.returncode, shown.stdout, shown.stderr) == (2, "", f"mulligan: {words}")


def test_runs_are_listed_the_newest_first_with_how_they_stand(
    run: Start, keep: Keep, of_project: dict[str, str]
) -> None:
    keep(a_failed_run(id="first00000", **of_project), a_run(id="second0000", **of_project), a_run(id="third00000"))
    heading, newest, oldest = run("runs").stdout.splitlines()
    assert heading.split() == ["id", "started", "verdict", "attempts", "goal"]
    assert newest.split()[0] == "second0000"
    assert "interrupted: mulligan fix --resume second0000  0         make the tests pass" in newest
    assert oldest.split()[0] == "first00000"
    assert oldest.split()[3:5] == ["failed", "3"]


def test_a_run_that_a_live_process_works_on_is_running(
    run: Start, environment: dict[str, str], of_project: dict[str, str]
) -> None:
    async def with_a_run() -> Any:
        store = await open_store(Path(environment["MULLIGAN_HOME"]) / "mulligan.db")
        await store.runs.add(a_run(**of_project))
        done = await asyncio.to_thread(run, "runs", "show")
        await store.close()
        return done

    shown = asyncio.run(with_a_run()).stdout
    assert shown.startswith("run ab12cd34ef: running\n")
    assert "--resume" not in shown


def test_a_listed_run_as_json(run: Start, keep: Keep, of_project: dict[str, str]) -> None:
    keep(a_failed_run(**of_project))
    fields = json.loads(run("runs", "list", "--json").stdout)
    assert (fields["id"], fields["verdict"], fields["attempts"]) == ("ab12cd34ef", "failed", 3)
    assert (fields["running"], fields["reason"]) == (False, "bounded_attempts_exceeded")


def test_the_attempt_that_was_verified_counts(run: Start, keep: Keep, of_project: dict[str, str]) -> None:
    record = a_failed_run().attempts_made[0]
    keep(a_run(verdict="verified", reason="passed", node="done", attempts_made=(record,), **of_project))
    assert json.loads(run("runs", "list", "--json").stdout)["attempts"] == 1


def test_show_tells_what_the_newest_run_did(run: Start, keep: Keep, of_project: dict[str, str], project: Path) -> None:
    state = a_failed_run(files=("src/pages.py",), **of_project)
    candidates = tuple(a_command_run(number, 3, purpose="candidate") for number in (5, 6))
    keep(a_run(id="older00000", **of_project), state.model_copy(update={"runs": (*state.runs, *candidates)}))
    folder = RunFolder(project, state.id)
    folder.log(a_command_run(1))
    folder.write(state, diff="")
    lines = run("runs", "show").stdout.splitlines()
    assert lines[0] == "run ab12cd34ef: failed"
    for line in (
        "goal: make the tests pass",
        "attempts: 3 of 3",
        "before any change:",
        "attempt 3: discarded",
        "  plan: The first page begins too late",
        "    1. Fix the slice (for tests/test_pages.py::test_first)",
        "  ✗ python -m pytest -q, 2.5 s, exit code 1: tests fail: tests/test_pages.py::test_first failed",
        "  2 candidates tested, 0 passed",
        "  judged: No failure is gone: still 1.",
        "    -    return pages[1]",
        "    +    return pages[2]",
        "    +    return pages[4]",
        "  src/pages.py",
        f"report: {folder.report}",
        f"logs: {folder.logs}",
        "next:",
    ):
        assert line in lines


def test_show_finds_a_run_by_the_beginning_of_its_id(run: Start, keep: Keep, of_project: dict[str, str]) -> None:
    keep(a_failed_run(**of_project), a_run(id="newer00000", **of_project))
    assert run("runs", "show", "ab").stdout.startswith("run ab12cd34ef: failed\n")
    unknown = run("runs", "show", "zz")
    assert unknown.returncode == 2
    assert "there is no run 'zz' of this project: `mulligan runs list` lists them" in unknown.stderr


def test_an_interrupted_run_shows_how_to_go_on(run: Start, keep: Keep, of_project: dict[str, str]) -> None:
    keep(a_failed_run(ended_at=None, **of_project))
    shown = run("runs", "show").stdout
    assert shown.startswith("run ab12cd34ef: interrupted: mulligan fix --resume ab12cd34ef\n")
    assert "report:" not in shown


def test_show_as_json_has_the_whole_state(run: Start, keep: Keep, of_project: dict[str, str]) -> None:
    state = a_failed_run(**of_project)
    keep(state)
    fields = json.loads(run("runs", "show", "--json").stdout)
    known = json.loads(state.model_dump_json())
    assert {name: fields[name] for name in known if name != "runs"} == {
        name: value for name, value in known.items() if name != "runs"
    }
    assert (fields["running"], fields["report"], fields["logs"]) == (False, None, None)
    assert fields["next_steps"]


def test_another_folder_has_runs_of_its_own(run: Start, keep: Keep, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    keep(a_failed_run(project=str(other)))
    assert run("runs", "list").stdout == ""
    assert run("runs", "list", "-C", str(other)).stdout.splitlines()[1].startswith("ab12cd34ef")


def test_nothing_that_a_model_wrote_reaches_the_terminal_as_an_order(
    run: Start, keep: Keep, of_project: dict[str, str]
) -> None:
    hostile = "\x1b]0;title\x07\x1b[2Jgone\r\nnext: \u202e"
    keep(
        a_failed_run(
            goal=hostile,
            explanation=hostile,
            model=hostile,
            files=(hostile,),
            runs=(a_command_run(1, command=hostile, summary=hostile),),
            attempts_made=(a_record(1, plan=a_plan(hostile), diff=hostile, summary=hostile),),
            **of_project,
        )
    )
    for command in ("list", "show"):
        shown = run("runs", command).stdout
        assert not set(shown) & set("\x1b\x07\r\u202e")
        assert shown.count("\nnext:") == (command == "show")
