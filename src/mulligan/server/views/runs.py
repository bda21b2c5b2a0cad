"""Fix runs as a page shows them."""

import asyncio
from dataclasses import replace
from pathlib import Path

from mulligan.core.fix_runs.advice import command_to_begin_with, follow_up
from mulligan.core.fix_runs.attempts import attempt_count
from mulligan.core.fix_runs.next_node import PROFILES
from mulligan.core.secrets import mask_record, mask_secrets
from mulligan.core.text_fields import map_texts
from mulligan.core.visible_text import visible
from mulligan.fixing.report import RunFolder
from mulligan.ports.runs import KeptRun
from mulligan.runtime.regular_files import read_regular_text
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.bodies import RunDetail, RunLimits, RunView
from mulligan.types.fixing import CHECK_RUNS, CHECK_SECONDS

LARGEST_REPORT = 16_000_000
"""Bytes."""

LIMITS = RunLimits(checks=CHECK_RUNS, check_seconds=CHECK_SECONDS, profiles=tuple(PROFILES.values()))


def listed_run(state: ServerState, project: ServedProject, kept: KeptRun) -> RunView:
    """Without what takes room, and is looked at only in one run."""
    slim = kept.state.model_copy(update={"attempts_made": (), "goal_texts": ()})
    return run_view(state, project, replace(kept, state=slim))


def run_view(state: ServerState, project: ServedProject, kept: KeptRun) -> RunView:
    """A run's state holds what commands printed: nothing in it is shown that looks like a key or a password."""
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
    # Before the store is read: what is stored later comes as a frame with a higher number.
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
    """What a command of the run wrote; None if it was none of them, or the file is gone."""
    folder = RunFolder(Path(kept.state.project), kept.state.id)
    run = next((each for each in kept.state.runs if each.number == number and each.log), None)
    try:
        return run and visible(read_regular_text(folder.path / run.log, errors="replace", limit=LARGEST_REPORT))
    except OSError:
        return None


def _report(kept: KeptRun) -> str | None:
    """None if somebody removed it, or put something else in its place."""
    try:
        file = RunFolder(Path(kept.state.project), kept.state.id).report
        return read_regular_text(file, errors="replace", limit=LARGEST_REPORT)
    except OSError:
        return None
