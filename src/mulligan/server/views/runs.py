"""Fix runs as a page shows them."""

import asyncio
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from mulligan.core.fix_runs.advice import command_to_begin_with, follow_up
from mulligan.core.fix_runs.attempts import attempt_count
from mulligan.core.fix_runs.next_node import PROFILES
from mulligan.core.secrets import mask_record, mask_secrets
from mulligan.core.text_fields import map_texts
from mulligan.core.visible_text import visible
from mulligan.fixing.report import RunFolder
from mulligan.ports.runs import KeptRun
from mulligan.runtime.regular_files import read_regular_text
from mulligan.server.frames.envelopes import Ask, Envelope
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.bodies import Given
from mulligan.server.views.body import Body
from mulligan.types.fixing import CHECK_RUNS, CHECK_SECONDS, ProfileName, ProjectCommand, RunProfile, RunState


class RunLimits(Body):
    """The budgets of a run."""

    checks: int
    """Mulligan's own commands."""
    check_seconds: float
    profiles: tuple[RunProfile, ...]
    """What the model may ask for."""


class RunView(Body):
    id: str
    project_id: str
    state: RunState
    running: bool
    here: bool
    """The run is carried out by this server: frames come, and it can be aborted."""
    attempts: int
    """Started attempts, including the one that passed."""
    updated_at: float


class RunDetail(Body):
    run: RunView
    live: tuple[Envelope, ...]
    """All frames so far, if it runs here; else empty."""
    seq: int
    asks: tuple[Ask, ...]
    report: str | None
    """Markdown, once it has ended."""
    advice: tuple[str, ...]
    """What the user can do after it, most useful first, in Markdown; empty while it runs."""
    begin_with: str
    """The command that runs the failing test to start a new run with; empty if there is none."""
    chats: tuple[str, ...]
    """The coder's conversations, in the order they were started."""
    pending: int
    limits: RunLimits


class RunLog(Body):
    """The full output of a command of a run, with what looks like a key or a password masked."""

    text: str


class NewRun(Given):
    goal: str = Field(min_length=1, max_length=20_000)
    profile: ProfileName = "fast"
    verify: tuple[str, ...] = Field(default=(), max_length=20)
    time_limit: float = Field(default=300.0, gt=0, le=86_400)
    model: str | None = None


class CommandsView(Body):
    commands: tuple[ProjectCommand, ...]
    limits: RunLimits
    """Limits of a run that these commands would judge."""


MAX_REPORT_BYTES = 16_000_000

LIMITS = RunLimits(checks=CHECK_RUNS, check_seconds=CHECK_SECONDS, profiles=tuple(PROFILES.values()))


def listed_run(state: ServerState, project: ServedProject, kept: KeptRun) -> RunView:
    """Without large fields that are only shown for a single run."""
    slim = kept.state.model_copy(update={"attempts_made": (), "goal_texts": ()})
    return run_view(state, project, replace(kept, state=slim))


def run_view(state: ServerState, project: ServedProject, kept: KeptRun) -> RunView:
    """A run's state contains command output: nothing is shown that looks like a key or a password."""
    return RunView(
        id=kept.state.id,
        project_id=project.id,
        state=map_texts(kept.state, lambda text: visible(mask_secrets(text))),
        running=kept.running,
        here=state.work.busy(kept.state.id),
        attempts=attempt_count(kept.state),
        updated_at=kept.updated_at,
    )


async def run_detail(state: ServerState, project: ServedProject, run_id: str) -> RunDetail:
    """Raises `ConfigurationError` if there is no such run."""
    # Before reading the store: what is stored later comes as a frame with a higher number.
    seq, live = state.hub.seq, state.hub.live(run_id)
    store = project.session.store
    kept = await store.runs.find(str(project.path), run_id)
    waiting = await store.changes.list(str(project.path), statuses=("pending",), chat_id=kept.state.chat_id)
    chats = [chat for chat in await store.chats.list(project=str(project.path)) if chat.run_id == run_id]
    shown = mask_record(kept.state)
    return RunDetail(
        run=run_view(state, project, kept),
        advice=() if kept.running else tuple(visible(each) for each in follow_up(shown)),
        begin_with="" if kept.running else visible(command_to_begin_with(shown)),
        chats=tuple(chat.id for chat in sorted(chats, key=lambda chat: chat.created_at)),
        live=live,
        seq=seq,
        asks=state.approvals.open_requests(run_id=kept.state.id),
        report=await asyncio.to_thread(_report, kept) if kept.state.ended_at is not None else None,
        pending=len(waiting) if kept.state.chat_id else 0,
        limits=LIMITS,
    )


def run_log(kept: KeptRun, number: int) -> str | None:
    """The output of a command of the run; None if there is no such command, or the file is gone."""
    folder = RunFolder(Path(kept.state.project), kept.state.id)
    run = next((each for each in kept.state.runs if each.number == number and each.log), None)
    try:
        return run and visible(read_regular_text(folder.path / run.log, errors="replace", limit=MAX_REPORT_BYTES))
    except OSError:
        return None


def _report(kept: KeptRun) -> str | None:
    """None if somebody deleted or replaced it."""
    try:
        file = RunFolder(Path(kept.state.project), kept.state.id).report
        return read_regular_text(file, errors="replace", limit=MAX_REPORT_BYTES)
    except OSError:
        return None
