"""What it costs that a command sees pending edits: the work tree made for the first one, brought up to date for others.

Processor time of this process and of all that it starts, so that other work on the machine does not count.
"""

import asyncio
import os
import statistics
import subprocess
import tempfile
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from bench.harness import commit_all, environ_with, project_of, tell
from bench.results import Baseline, BenchFailed, Figure, at_most
from mulligan.store.store import open_store
from mulligan.types.commands import ChatCommandResult
from mulligan.types.edits import TextEdit
from mulligan.workspace.changes.staging import StagedEditing
from mulligan.workspace.command_tree import CommandTrees, PendingAwareCommands
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.worktrees import WorkTrees

FILES = 2_000
PACKAGES = 200
CHATS = 5
RUNS = 20
MAX_FIRST_MS = 150.0
MAX_LATER_MS = 15.0
MAX_STATUSES = 5.0
"""Such a command looks at the checkout and at its work tree, each with a `git status`, and brings changes over."""


def figures() -> Iterator[Figure]:
    with (
        project_of(FILES) as project,
        tempfile.TemporaryDirectory() as home,
        environ_with(GIT_CONFIG_GLOBAL=os.devnull),
    ):
        for number in range(PACKAGES):
            (project / "node_modules" / f"package{number}").mkdir(parents=True)
        (project / "package.json").write_text("{}\n")
        (project / ".gitignore").write_text("node_modules/\n")
        commit_all(project)
        tell(f"{CHATS} chats in a project of {FILES:,} files, {RUNS} commands each")
        times = asyncio.run(_timed(project.resolve(), Path(home).resolve()))
    bare, status, added = (statistics.median(each) for each in (times.bare, times.status, times.added))
    yield Figure(
        "first command with pending edits, over git worktree add",
        statistics.median(times.first) - added - bare,
        "ms CPU",
        at_most(MAX_FIRST_MS),
        Baseline("git worktree add", added),
    )
    later = statistics.median(times.later) - bare
    name = "each later one, over a command without pending edits"
    yield Figure(name, later, "ms CPU", at_most(MAX_LATER_MS), Baseline("a command without pending edits", bare))
    yield Figure(name, later, "ms CPU", at_most(MAX_STATUSES, of="ratio"), Baseline("git status", status))


@dataclass(slots=True)
class Times:
    """Milliseconds of processor time."""

    bare: list[float] = field(default_factory=list[float])
    status: list[float] = field(default_factory=list[float])
    added: list[float] = field(default_factory=list[float])
    first: list[float] = field(default_factory=list[float])
    later: list[float] = field(default_factory=list[float])


async def _timed(project: Path, home: Path) -> Times:
    times = Times()
    store = await open_store(home / "mulligan.db")
    for number in range(CHATS):
        times.added.append(await _measured(_git(project, "worktree", "add", "-q", "--detach", f"{home}/plain{number}")))
        chat = await store.chats.create(project=str(project), agent="coder", title="bench")
        editing = StagedEditing(
            project,
            store.changes,
            project=str(project),
            chat_id=chat.id,
            message_id=None,
            apply_now=False,
            on_change=lambda _change: None,
        )
        commands = _commands(project, home, WorkTrees(project, store.worktrees, home=home), editing, chat.id)
        times.bare += [await _measured(_run(commands, seen=0)) for _ in range(RUNS)]
        times.status += [await _measured(_git(project, "status", "--porcelain", "-uall")) for _ in range(RUNS)]
        for seen in range(1, RUNS + 2):
            await editing.edit(f"file_{seen}.py", [TextEdit("    return 3\n", "    return 0\n")])
            taken = await _measured(_run(commands, seen=seen))
            (times.first if seen == 1 else times.later).append(taken)
    await store.close()
    return times


def _commands(
    project: Path, home: Path, worktrees: WorkTrees, editing: StagedEditing, chat_id: str
) -> PendingAwareCommands:
    async def needed(_chat_id: str) -> bool:
        return True

    def confined(folder: Path, _read: tuple[Path, ...] = ()) -> Sandbox:
        return Sandbox("none", folder, home=home)

    trees = CommandTrees(worktrees, project, confined, needed)
    return PendingAwareCommands(project, ProjectCommands(project, confined(project)), editing, trees, chat_id=chat_id)


async def _run(commands: PendingAwareCommands, *, seen: int) -> None:
    ran: ChatCommandResult = await commands.run("true", time_limit=60, kinds=frozenset({"test"}))
    if ran.result.exit_code != 0 or ran.seen != seen:
        raise BenchFailed(f"a command saw {ran.seen} edits of {seen}: {ran.result.stderr} {ran.why_unseen}")


async def _git(project: Path, *words: str) -> None:
    await asyncio.to_thread(subprocess.run, ["git", *words], cwd=project, check=True, capture_output=True)


async def _measured(work: Awaitable[None]) -> float:
    """Milliseconds of processor time."""
    before = _processor_seconds()
    await work
    return (_processor_seconds() - before) * 1000


def _processor_seconds() -> float:
    used = [getrusage(whose) for whose in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
