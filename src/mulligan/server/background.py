"""Background tasks of a server: clean up after dead processes, release what is idle, watch files."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.app.command_trees import sweep_command_trees
from mulligan.runtime.memory_tuning import give_memory_back
from mulligan.server.frames.envelopes import ChatChanged, FilesChanged
from mulligan.server.frames.hub import FrameScope
from mulligan.server.index_keeping import IndexKeeper
from mulligan.server.message_queue import QueueSender
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.types.errors import MulliganError
from mulligan.workspace.files.gitignore import ignored_names, rules_base
from mulligan.workspace.files.paths import printable

ROUND = 60.0
"""Seconds between two rounds."""
DEBOUNCE = 500
"""Milliseconds over which file changes are collected."""
NAMED = 50
"""Most paths in one frame; the others are only counted."""
LOOKED_AT = 1000
"""Most paths to check against .gitignore at once: installing packages changes very many."""
OURS = {".git", ".mulligan"}


@asynccontextmanager
async def background_tasks(state: ServerState) -> AsyncGenerator[None, None]:
    """Run all tasks for as long as the context lasts."""
    stop = threading.Event()
    loop = asyncio.get_running_loop()
    keeper = IndexKeeper(state)

    def changed(project: ServedProject, frame: FilesChanged) -> None:
        state.hub.publish(frame, FrameScope(project.id))
        keeper.files_changed(project)

    def tell(project: ServedProject, frame: FilesChanged) -> None:
        loop.call_soon_threadsafe(changed, project, frame)

    watching = [asyncio.to_thread(_watch, state, each, stop, tell) for each in state.projects.values()]
    watched = asyncio.gather(*watching, return_exceptions=True)
    rounds = asyncio.create_task(_go_round(state))
    sender = QueueSender(state)
    state.work.after_turn = sender.after_turn
    try:
        yield
    finally:
        stop.set()
        await sender.close()
        await keeper.close()
        rounds.cancel()
        await asyncio.gather(rounds, watched, return_exceptions=True)


async def _go_round(state: ServerState) -> None:
    try:
        await next(iter(state.projects.values())).session.store.images.purge()
    except MulliganError as error:
        state.work.log("round_failed", error=error)
    while True:
        await asyncio.sleep(ROUND)
        give_memory_back()
        try:
            await sweep(state)
            for project in state.projects.values():
                await project.delegations.close_idle()
                await sweep_command_trees(project.session)
                # So that a search finds little left to do.
                await project.session.store.search.complete(str(project.path))
        except MulliganError as error:  # the next round may succeed
            state.work.log("round_failed", error=error)


async def sweep(state: ServerState) -> None:
    """Fail messages that nobody will finish, and tell the pages. Purge what was deleted some days ago."""
    store = next(iter(state.projects.values())).session.store
    if await store.chats.purge():
        await store.images.purge()
    for chat_id in {swept.chat_id for swept in await store.messages.sweep()}:
        try:
            project, _ = await state.chat(chat_id)
        except NotFound:
            continue  # of a project that is not served here
        state.hub.publish(ChatChanged(), FrameScope(project.id, chat_id))


def _watch(
    state: ServerState,
    project: ServedProject,
    stop: threading.Event,
    tell: Callable[[ServedProject, FilesChanged], None],
) -> None:
    """Runs in a separate thread: starting to watch a large project takes a while."""
    from watchfiles import watch

    try:
        for changes in watch(
            project.path,
            watch_filter=None,
            debounce=DEBOUNCE,
            stop_event=stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            frame = what_changed(project.path, (path for _, path in changes))
            if frame:
                tell(project, frame)
    except (OSError, RuntimeError) as error:  # too many folders for this machine, or the loop has ended
        state.work.log("not_watched", project=project.path, error=error)


def what_changed(root: Path, paths: Iterable[str]) -> FilesChanged | None:
    """The paths worth reporting: not our own files, git's, or what .gitignore covers."""
    inside = sorted(Path(path).relative_to(root) for path in set(paths) if Path(path).is_relative_to(root))
    theirs = [path for path in inside if path.parts and not OURS.intersection(path.parts)]
    ignored = _Ignored(root)
    shown = [str(path) for path in theirs[:LOOKED_AT] if not ignored.covers(path)]
    if not shown:
        return None
    more = len(shown[NAMED:]) + len(theirs[LOOKED_AT:])
    return FilesChanged(paths=tuple(printable(path) for path in shown[:NAMED]), more=more)


class _Ignored:
    """Whether .gitignore covers a path, or a folder above it. Each folder is checked once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._base = rules_base(root)
        self._known: dict[Path, bool] = {Path(): False}

    def covers(self, path: Path) -> bool:
        if path not in self._known:
            self._known[path] = self.covers(path.parent) or self._is_named(path)
        return self._known[path]

    def _is_named(self, path: Path) -> bool:
        whole = self._root / path
        name = f"{path.name}/" if whole.is_dir() else path.name
        return bool(ignored_names(whole.parent, self._base, [name]))
