"""Opens sessions: the store, cleanup after dead processes, and closing everything afterwards."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.app.configuration import Configuration
from mulligan.app.ready_models import Downloads
from mulligan.app.session import Session, ignore_notice
from mulligan.ports.callbacks import Log, Notify
from mulligan.runtime.log import JsonLog
from mulligan.store.store import SqlStore, open_store
from mulligan.types.settings import Settings


@asynccontextmanager
async def open_session(
    configuration: Configuration, *, tell: Notify = ignore_notice, downloads: Downloads | None = None
) -> AsyncGenerator[Session, None]:
    """Open the store, clean up after dead processes, and close everything afterwards."""
    async with open_sessions([(configuration, tell, downloads or Downloads())]) as sessions:
        yield sessions[0]


@asynccontextmanager
async def open_sessions(
    wanted: Sequence[tuple[Configuration, Notify, Downloads]],
) -> AsyncGenerator[tuple[Session, ...], None]:
    """Sessions of several projects with one store, that of the first."""
    settings = wanted[0][0].settings
    log = JsonLog(log_file(settings))
    store = await open_configured_store(settings)
    sessions: list[Session] = []
    try:
        for configuration, tell, downloads in wanted:
            sessions.append(await session_with_store(store, configuration, log, tell=tell, downloads=downloads))
        yield tuple(sessions)
    finally:
        for session in sessions:
            await session.close()
        await store.close()


async def open_configured_store(settings: Settings) -> SqlStore:
    """The configured store, open, with messages that dead processes left streaming finished."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    store = await open_store(url or settings.home / "mulligan.db")
    try:
        await store.messages.sweep()
    except BaseException:
        await store.close()
        raise
    return store


async def session_with_store(
    store: SqlStore, configuration: Configuration, log: Log, *, tell: Notify, downloads: Downloads
) -> Session:
    """A session of another project with an open store. The caller closes it."""
    session = Session(configuration, store, log, tell=tell, downloads=downloads)
    await _recover(session, tell)
    return session


async def _recover(session: Session, tell: Notify) -> None:
    """Finish what killed processes were writing into the project."""
    project = session.settings.project
    if await session.store.changes.interrupted_writes(str(project)):
        for outcome in await session.pending(project).recover():
            tell(outcome.message)
    for folder in (project, *project.parents):
        if await session.store.restores.interrupted(str(folder)):
            await (await session.checkpoints(folder)).recover(tell=tell)


def log_file(settings: Settings) -> Path:
    return settings.home / "logs" / "mulligan.log"
