"""Shell completion: values, each with a description for shells that show one.

Everything is imported on demand, so other commands pay nothing for it. It contacts no server and creates no database.
Errors are ignored: a message in the middle of a command line helps nobody.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.store.store import SqlStore
    from mulligan.types.changes import ChangeStatus

Offer = tuple[str, str]


def complete_faults() -> list[Offer]:
    from mulligan.cli.commands.drill_selection import group_name
    from mulligan.drill.gallery import GALLERY

    groups = {group_name(fault): f"all of the group {fault.group}" for fault in GALLERY}
    return [*groups.items(), *((fault.name, fault.title) for fault in GALLERY)]


def complete_models() -> list[Offer]:
    from mulligan.core.byte_sizes import format_size
    from mulligan.models.embedded.catalog import load_catalog

    return [(entry.name, format_size(entry.size)) for entry in load_catalog().entries]


def complete_agents(context: typer.Context) -> list[Offer]:
    def read(configuration: "Configuration") -> list[Offer]:
        from mulligan.app.agents.definitions import known_agents

        return [(agent.name, agent.description) for agent in known_agents(configuration).values()]

    return _offered(context, read)


def complete_external_agents(context: typer.Context) -> list[Offer]:
    def read(configuration: "Configuration") -> list[Offer]:
        from mulligan.app.agents.external import load_external_agents

        known = load_external_agents(configuration.external, configuration.user_file)
        return [(agent.name, agent.description) for agent in known.values()]

    return _offered(context, read)


def complete_chats(context: typer.Context) -> list[Offer]:
    async def read(store: "SqlStore", project: Path) -> list[Offer]:
        return [(chat.id, chat.title) for chat in await store.chats.list(project=str(project))]

    return _kept(context, read)


def complete_runs(context: typer.Context) -> list[Offer]:
    async def read(store: "SqlStore", project: Path) -> list[Offer]:
        return [(kept.state.id, kept.state.goal) for kept in await store.runs.list(str(project))]

    return _kept(context, read)


def complete_checkpoints(context: typer.Context) -> list[Offer]:
    async def read(store: "SqlStore", project: Path) -> list[Offer]:
        """The repository's root is the project's folder or one above it."""
        above = [str(folder) for folder in (project, *project.parents)]
        trees = [tree.path for root in above for tree in await store.worktrees.list(root)]
        found = [each for root in (*above, *trees) for each in await store.checkpoints.list(root=root)]
        return [(each.id, each.label or each.kind) for each in reversed(found)]

    return _kept(context, read)


def complete_pending(context: typer.Context) -> list[Offer]:
    return _changes(context, "pending")


def complete_applied(context: typer.Context) -> list[Offer]:
    return _changes(context, "applied")


def _changes(context: typer.Context, status: "ChangeStatus") -> list[Offer]:
    async def read(store: "SqlStore", project: Path) -> list[Offer]:
        found = await store.changes.list(str(project), statuses=[status])
        return [(change.id, f"{change.kind} {change.path}") for change in found]

    return _kept(context, read)


def _kept(context: typer.Context, read: "Callable[[SqlStore, Path], Awaitable[list[Offer]]]") -> list[Offer]:
    """What the store has for the project."""

    async def look(address: Path | str, project: Path) -> list[Offer]:
        from mulligan.store.store import open_store

        store = await open_store(address)
        try:
            return await read(store, project)
        finally:
            await store.close()

    def ids(configuration: "Configuration") -> list[Offer]:
        import asyncio

        settings = configuration.settings
        file = settings.home / "mulligan.db"
        if settings.database_url:
            return asyncio.run(look(settings.database_url.get_secret_value(), settings.project))
        return asyncio.run(look(file, settings.project)) if file.exists() else []

    return _offered(context, ids)


def _offered(context: typer.Context, read: "Callable[[Configuration], list[Offer]]") -> list[Offer]:
    """Respects -C if it was typed before. One line each."""
    from mulligan.app.configuration import load_configuration
    from mulligan.cli.text.safe_text import one_line
    from mulligan.types.errors import MulliganError

    try:
        project = context.params.get("project")  # as text: typer converts it only where a command runs
        offers = read(load_configuration(Path(project) if project else None, {}))
    except (MulliganError, OSError):
        return []
    return [(value, one_line(words, 60)) for value, words in offers]
