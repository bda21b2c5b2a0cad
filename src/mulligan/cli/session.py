"""Sessions for commands that run no turn."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.cli.views.printing import tell

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.app.session import Session
    from mulligan.cli.turn_command import TurnOptions


@asynccontextmanager
async def open_session_at(project: Path | None) -> "AsyncGenerator[Session, None]":
    """Opening a session cleans up after killed processes, and tells the user."""
    from mulligan.app.configuration import load_configuration
    from mulligan.app.open_session import open_session

    async with open_session(load_configuration(project, {}), tell=tell) as session:
        yield session


@asynccontextmanager
async def open_asking_session(
    configuration: "Configuration", options: "TurnOptions"
) -> "AsyncGenerator[Session, None]":
    """The same for commands that ask a model outside a turn: a download needs consent first."""
    from mulligan.app.open_session import open_session
    from mulligan.app.ready_models import Downloads
    from mulligan.cli.interactive.download_consent import download_consent
    from mulligan.cli.views.download_progress import showing_progress

    allow = download_consent(tell, yes=options.yes, interactive=options.interactive)
    async with open_session(configuration, tell=tell, downloads=Downloads(showing_progress, allow)) as session:
        yield session
