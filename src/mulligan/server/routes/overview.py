"""A map of the project, without a model."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.app.completions import name_offers
from mulligan.core.visible_text import visible, visible_name
from mulligan.ports.code import CodeIndex
from mulligan.server.dependencies import StateDep
from mulligan.server.state import NotFound, ServerState
from mulligan.server.views.bodies import view_of
from mulligan.server.views.overview import (
    CompletionView,
    FileView,
    GroupView,
    IndexProgressView,
    OverviewView,
    SourceView,
    SymbolView,
    file_view,
    overview_view,
)
from mulligan.types.errors import CallRejected

router = APIRouter(tags=["overview"])

MAX_SOURCE_LINES = 20_000


@router.get("/api/projects/{project_id}/overview")
async def overview(project_id: str, state: StateDep) -> OverviewView:
    index = _index(state, project_id)
    # Requested together, they share one scan of the files.
    return overview_view(*await asyncio.gather(index.overview(), index.frameworks()))


@router.get("/api/projects/{project_id}/overview/file")
async def file(project_id: str, state: StateDep, path: Annotated[str, Query(max_length=4096)]) -> FileView:
    """One file: its symbols, what it uses, what uses it."""
    index = _index(state, project_id)
    with _known():
        return file_view((await index.promptly(lambda code: code.file(path)))[0])


@router.get("/api/projects/{project_id}/overview/progress")
async def progress(project_id: str, state: StateDep) -> IndexProgressView:
    """The index's progress, while somebody waits for it."""
    now = _index(state, project_id).progress()
    return IndexProgressView(read=now.read, of=now.of)


@router.get("/api/projects/{project_id}/overview/source")
async def source(project_id: str, state: StateDep, path: Annotated[str, Query(max_length=4096)]) -> SourceView:
    """A text file of the project, as tools may see it: no file that may contain secrets."""
    project = state.project(project_id)
    with _known():
        text = await project.session.project_tools(project.path).files.read_text(path)
    shown = tuple(visible(line) for line in text.lines[:MAX_SOURCE_LINES])
    return SourceView(path=visible_name(text.path), lines=shown, left_out=max(0, len(text.lines) - MAX_SOURCE_LINES))


@router.get("/api/projects/{project_id}/overview/around")
async def around(project_id: str, state: StateDep, name: Annotated[str, Query(max_length=4096)]) -> list[GroupView]:
    """The group of a path or a symbol, then neighboring groups."""
    index = _index(state, project_id)
    with _known():
        return [view_of(GroupView, each) for each in await index.neighborhoods(name)]


@router.get("/api/projects/{project_id}/overview/symbols")
async def symbols(
    project_id: str,
    state: StateDep,
    query: Annotated[str, Query(min_length=1, max_length=200)],
    limit: Annotated[int, Query(ge=1, le=200)] = 40,
) -> list[SymbolView]:
    index = _index(state, project_id)
    with _known():
        found, _ = await index.promptly(lambda code: code.search_symbols(query, limit=limit))
        return [view_of(SymbolView, each) for each in found]


@router.get("/api/projects/{project_id}/completions")
async def completions(
    project_id: str,
    state: StateDep,
    begun: Annotated[str, Query(max_length=400, description="With its mark: `@src/a` or `/rev`.")],
) -> list[CompletionView]:
    """Completions in a message: files, folders and symbols after `@`, the user's commands after `/`."""
    project = state.project(project_id)
    offers = await name_offers(project.session, project.path, begun)
    return [view_of(CompletionView, each) for each in offers]


def _index(state: ServerState, project_id: str) -> CodeIndex:
    project = state.project(project_id)
    return project.session.project_tools(project.path).index()


@contextmanager
def _known() -> Generator[None, None, None]:
    """An unknown name is 404, with the index's own message."""
    try:
        yield
    except CallRejected as unknown:
        raise NotFound(str(unknown)) from unknown
