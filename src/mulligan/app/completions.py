"""Completions in a message: paths and symbols for the text after an `@`."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mulligan.app.custom_commands import custom_commands
from mulligan.app.project_tools import MAX_FILES, ProjectTools
from mulligan.core.attachments import best_paths, mention_of
from mulligan.types.codecontext import Symbol
from mulligan.types.errors import CallRejected

if TYPE_CHECKING:
    from mulligan.app.session import Session

MAX_OFFERS = 12
MAX_SYMBOLS = 5
INDEX_SECONDS = 1.0
"""How long a user who types waits for symbols. The first indexing of a large project takes longer, and continues."""


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    """The text that replaces what was typed."""
    about: str
    kind: Literal["file", "folder", "symbol", "command"]


async def name_offers(session: "Session", project: Path, begun: str) -> list[Completion]:
    """Completions for a name with its mark."""
    if begun.startswith("@"):
        return await mention_offers(session.project_tools(project), begun.lstrip('@"'))
    own = await asyncio.to_thread(custom_commands, session, project)
    found = [Completion(f"/{each.name}", each.description, "command") for each in own.values()]
    return [each for each in found if each.text.startswith(begun)][:MAX_OFFERS]


async def mention_offers(tools: ProjectTools, begun: str) -> list[Completion]:
    """Files and folders first, then symbols."""
    searching = asyncio.create_task(_symbols(tools, begun))
    paths = (await tools.files.find_files("*", ".", MAX_FILES)).paths
    found = await asyncio.to_thread(best_paths, [*paths, *_folders(paths)], begun, MAX_OFFERS)
    await asyncio.wait({searching}, timeout=INDEX_SECONDS)
    symbols = searching.result() if searching.done() else []
    offers = [Completion(mention_of(each), "", "folder" if each.endswith("/") else "file") for each in found]
    return [*offers[: MAX_OFFERS - len(symbols)], *symbols]


async def _symbols(tools: ProjectTools, begun: str) -> list[Completion]:
    if not begun or "/" in begun:
        return []
    try:
        found = await tools.index().search_symbols(begun, limit=MAX_SYMBOLS)
    except CallRejected:
        return []
    offers = [Completion(f"@{_name(each)}", f"{each.kind} in {each.path}:{each.line}", "symbol") for each in found]
    return list({each.text: each for each in offers}.values())


def _name(symbol: Symbol) -> str:
    return f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name


def _folders(paths: tuple[str, ...]) -> set[str]:
    """All parent folders of these files, each with a trailing slash."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/" not in found:
            found.add(f"{folder}/")
            folder = folder.rpartition("/")[0]
    return found
