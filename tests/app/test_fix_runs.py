"""A fix run put together from real parts, and ended at every place where its state is stored."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.configuration import load_configuration
from mulligan.app.fix_requests import FixRequest, resume_run, start_run
from mulligan.app.fix_runs import FixRuns
from mulligan.app.open_session import open_session
from mulligan.app.project_tools import approve_all
from mulligan.app.session import Session
from mulligan.models.scripted.model import Script
from mulligan.types.errors import ConfigurationError
from mulligan.types.fixing import RunState
from mulligan.types.messages import AttachmentInfo
from mulligan.types.run_frames import PlanMade, RunEnd, RunStarted
from tests.installed_engine import install_engine
from tests.scripted_server import running

CODE = "def double(number):\n    return number * 3\n"
TESTS = """\
import unittest

from double import double


class DoubleTest(unittest.TestCase):
    def test_two(self):
        self.assertEqual(double(2), 4)
"""


def plan(step: str) -> dict[str, Any]:
    return {
        "text": f'{{"next": "coder", "plan": [{{"step": "{step}", "failure": "test_two"}}], "reason": "3 is wrong"}}'
    }


PLAN = plan("times 2")
EDIT = {
    "tool_calls": [
        {"name": "edit_file", "arguments": {"path": "double.py", "old": "number * 3", "new": "number * 2"}},
    ]
}
WRONG = {
    "tool_calls": [
        {"name": "edit_file", "arguments": {"path": "double.py", "old": "number * 3", "new": "number * 4"}},
    ]
}
DONE = {"text": "Done."}
WISH = FixRequest("make the tests pass", "fast", ("python3 -m unittest -q",), 60.0)


class Killed(BaseException):
    """Stands for a process that ends between two writes."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "double.py").write_text(CODE)
    (folder / "test_double.py").write_text(TESTS)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@asynccontextmanager
async def house_with(
    project: Path, replies: list[dict[str, Any]], model: str | None = "m", agency: str | None = None
) -> AsyncGenerator[Session, None]:
    script = Script.model_validate({"replies": replies, "then": "loop"})
    environ = {"MULLIGAN_HOME": str(project.parent / "home"), "MULLIGAN_DISCOVERY": "no"}
    with running(script) as server:
        flags = {"model": model, "base_url": server.base_url, "agency": agency}
        async with open_session(load_configuration(project, flags, environ)) as session:
            yield session


def kill_after(session: Session, saves: int) -> Callable[[], None]:
    """Let so many states be stored, and no more."""
    save, left = session.store.runs.save, saves

    async def counted(state: RunState) -> None:
        nonlocal left
        if left == 0:
            raise Killed
        left -= 1
        await save(state)

    session.store.runs.save = counted  # pyright: ignore[reportAttributeAccessIssue] - the place of the kill

    def heal() -> None:
        session.store.runs.save = save  # pyright: ignore[reportAttributeAccessIssue]

    return heal


async def run_and_resume(project: Path, replies: list[dict[str, Any]], saves: int) -> RunEnd:
    async with house_with(project, replies) as session:
        runs = FixRuns(session, lambda _frame: None, approve_all)
        heal = kill_after(session, saves)
        with pytest.raises(Killed):
            await runs.start(WISH, apply=True)
        heal()
        kept = await session.store.runs.list(str(project))
    # The model answers from the beginning again: whatever node comes first, it must ask for what it needs.
    left = {"baseline": 0, "planner": 0, "coder": 1, "verifier": 0, "snitch": 0, "done": 0}[kept[0].state.node]
    async with house_with(project, replies[left:] + replies[:left]) as session:
        return await FixRuns(session, lambda _frame: None, approve_all).resume(kept[0].state.id, apply=True)


@pytest.mark.parametrize("saves", range(6))
async def test_a_run_that_ends_after_any_write_is_verified_when_resumed(project: Path, saves: int) -> None:
    end = await run_and_resume(project, [PLAN, EDIT, DONE], saves)
    assert (end.verdict, end.applied, end.exit_code) == ("verified", 1, 0)
    assert (project / "double.py").read_text() == CODE.replace("3", "2")


@pytest.mark.parametrize("saves", [12, 13])
async def test_a_run_killed_at_its_report_is_reported_once_when_resumed(project: Path, saves: int) -> None:
    end = await run_and_resume(
        project, [PLAN, WRONG, DONE, plan("times 4"), WRONG, DONE, plan("times 5"), WRONG, DONE], saves
    )
    assert (end.verdict, end.reason, end.failure_history.attempts) == ("failed", "bounded_attempts_exceeded", 3)
    issues = (project / ".mulligan" / "issues.md").read_text()
    assert issues.count(end.run_id) >= 1
    assert issues.count("\n## ") == 1
    assert (project / "double.py").read_text() == CODE


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(None, "named", id="as it was begun"),
        pytest.param("other", "other", id="the user names another"),
    ],
)
async def test_a_run_is_resumed_with_the_model_that_was_named_for_it(
    project: Path, now: str | None, expected: str
) -> None:
    async with house_with(project, [DONE], model=None) as session:
        begun = await start_run(session, replace(WISH, model="named"))
        await session.store.runs.release(begun.state.id)
    async with house_with(project, [DONE], model=now) as session:
        assert (await resume_run(session, begun.state.id)).model == expected


@pytest.mark.parametrize(("then", "now"), [("guided", "agent"), ("agent", "guided")])
async def test_a_run_is_resumed_under_the_agency_of_now(project: Path, then: str, now: str) -> None:
    async with house_with(project, [DONE], agency=then) as session:
        started = await start_run(session, WISH)
        await session.store.runs.release(started.state.id)
    frames: list[object] = []
    async with house_with(project, [PLAN, EDIT, DONE], agency=now) as session:
        end = await FixRuns(session, frames.append, approve_all).resume(started.state.id, apply=True)
        kept = await session.store.runs.find(str(project), started.state.id)
    said = next(frame for frame in frames if isinstance(frame, RunStarted))
    plan_made = next(frame for frame in frames if isinstance(frame, PlanMade))
    assert (end.verdict, said.agency, kept.state.agency) == ("verified", now, now)
    assert plan_made.plan.reason.startswith("Guided") == (now == "guided")


async def test_a_run_about_an_image_is_not_resumed_with_a_model_that_takes_none(project: Path) -> None:
    async with house_with(project, [DONE]) as session:
        started = await start_run(session, WISH)
        image = AttachmentInfo(name="seen.png")
        await session.store.runs.save(started.state.model_copy(update={"goal_images": (image,)}))
        await session.store.runs.release(started.state.id)
    async with house_with(project, [DONE], agency="guided") as session:
        with pytest.raises(ConfigurationError, match="guided model takes text only"):
            await resume_run(session, started.state.id)


async def test_a_run_that_a_slip_solves_does_not_wait_for_the_model_that_is_downloaded_beside_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()
    monkeypatch.setattr(sys, "path", [str(install_engine(project.parent / "site")), *sys.path])

    async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun.set()
        await reader.read()  # until the client is gone
        writer.close()

    silent = await asyncio.start_server(never_answer, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    environ = {"MULLIGAN_HOME": str(project.parent / "home"), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "yes"}
    async with silent, open_session(load_configuration(project, {"model": "embedded"}, environ)) as session:
        end = await FixRuns(session, lambda _frame: None, approve_all).start(WISH, apply=True)
        assert begun.is_set()
    assert (end.verdict, end.spent.model_calls) == ("verified", 0)
    assert (project / "double.py").read_text() == CODE.replace("3", "2")
