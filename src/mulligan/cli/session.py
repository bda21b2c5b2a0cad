"""A session for commands that run no turn."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.cli.views.printing import tell

if TYPE_CHECKING:
    from mulligan.app.session import Session


@asynccontextmanager
async def open_session_at(project: Path | None) -> "AsyncGenerator[Session, None]":
    """Opening a session settles what killed processes had begun, and tells the person."""
    from mulligan.app.configuration import load_configuration
    from mulligan.app.session import open_session

    async with open_session(load_configuration(project, {}), tell=tell) as session:
        yield session
