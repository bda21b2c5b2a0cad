"""The house for commands that run no turn."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.cli.views.printing import tell

if TYPE_CHECKING:
    from mulligan.app.session import House


@asynccontextmanager
async def house_at(project: Path | None) -> "AsyncGenerator[House, None]":
    """Opening it settles what killed processes had begun; that is told."""
    from mulligan.app.configuration import load_configuration
    from mulligan.app.session import open_house

    async with open_house(load_configuration(project, {}), tell=tell) as house:
        yield house
