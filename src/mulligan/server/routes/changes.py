"""Pending changes: list, show, apply, reject, reopen, revert, and apply or reject single hunks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.server.change_notices import publish_settled
from mulligan.server.dependencies import StateDep
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.views.changes import (
    ChangeDetail,
    ChangeIds,
    ChangeOutcomeView,
    ChangeView,
    HunkChoice,
    change_detail,
    change_view,
    outcome_view,
)
from mulligan.types.changes import ChangeStatus, PendingChange
from mulligan.types.errors import ConfigurationError
from mulligan.workspace.changes.pending import ChangeOutcome

router = APIRouter(tags=["changes"])


@router.get("/api/projects/{project_id}/changes")
async def changes(
    project_id: str,
    state: StateDep,
    status: Annotated[list[ChangeStatus] | None, Query()] = None,
    chat_id: str | None = None,
) -> list[ChangeView]:
    """Changes in the order they were made; all statuses by default."""
    project = state.project(project_id)
    found = await project.session.store.changes.list(str(project.path), statuses=status or (), chat_id=chat_id)
    return await asyncio.to_thread(lambda: [change_view(each) for each in found])


@router.get("/api/projects/{project_id}/changes/{change_id}")
async def change(
    project_id: str, change_id: str, state: StateDep, context: Annotated[int, Query(ge=0, le=100_000)] = 3
) -> ChangeDetail:
    """A change line by line, with lines of context."""
    found = await _find(state.project(project_id), change_id)
    return await asyncio.to_thread(change_detail, found, context=context)


@router.post("/api/projects/{project_id}/changes/apply")
async def apply_changes(project_id: str, which: ChangeIds, state: StateDep) -> list[ChangeOutcomeView]:
    """Write pending changes to their files. Reports changes that no longer fit, and applies the others."""
    project = state.project(project_id)
    wanted = await _wanted(project, which, "pending")
    return await _publish_outcomes(state, project, wanted, await project.session.pending(project.path).apply(wanted))


@router.post("/api/projects/{project_id}/changes/reject")
async def reject_changes(project_id: str, which: ChangeIds, state: StateDep) -> list[ChangeOutcomeView]:
    project = state.project(project_id)
    wanted = await _wanted(project, which, "pending")
    return await _publish_outcomes(state, project, wanted, await project.session.pending(project.path).reject(wanted))


@router.post("/api/projects/{project_id}/changes/reopen")
async def reopen_changes(project_id: str, which: ChangeIds, state: StateDep) -> list[ChangeOutcomeView]:
    """Make rejected changes pending again. Ids are required."""
    project = state.project(project_id)
    wanted = await _wanted(project, _named(which), "rejected")
    return await _publish_outcomes(state, project, wanted, await project.session.pending(project.path).reopen(wanted))


@router.post("/api/projects/{project_id}/changes/{change_id}/hunks")
async def settle_hunks(project_id: str, change_id: str, choice: HunkChoice, state: StateDep) -> ChangeOutcomeView:
    """Apply or reject some hunks of a pending change. They become a separate change; the others stay pending."""
    project = state.project(project_id)
    found = replace(await _find(project, change_id), updated_at=choice.seen)
    outcome = await project.session.pending(project.path).settle_hunks(choice.action, found, set(choice.hunks))
    # A change that was divided is new to every page.
    was: ChangeStatus = "pending" if outcome.success else outcome.change.status
    publish_settled(state, project, {outcome.change.id: was}, [outcome.change])
    return await asyncio.to_thread(outcome_view, outcome)


@router.post("/api/projects/{project_id}/changes/rewind", include_in_schema=False)  # its earlier name
@router.post("/api/projects/{project_id}/changes/revert")
async def revert_changes(project_id: str, which: ChangeIds, state: StateDep) -> list[ChangeOutcomeView]:
    """Revert applied changes. Ids are required."""
    project = state.project(project_id)
    wanted = await _wanted(project, _named(which), "applied")
    return await _publish_outcomes(state, project, wanted, await project.session.pending(project.path).revert(wanted))


def _named(which: ChangeIds) -> ChangeIds:
    if which.ids is None:
        raise ConfigurationError("name the changes by their ids")
    return which


async def _wanted(project: ServedProject, which: ChangeIds, status: ChangeStatus) -> list[PendingChange]:
    """The named changes, each once; else all of that status."""
    if which.ids is None:
        return await project.session.store.changes.list(str(project.path), statuses=[status], chat_id=which.chat_id)
    found = [await _find(project, change_id) for change_id in dict.fromkeys(which.ids)]
    for each in found:
        if which.chat_id is not None and each.chat_id != which.chat_id:
            raise NotFound(f"change {each.id} is not of chat {which.chat_id}")
    return found


async def _find(project: ServedProject, change_id: str) -> PendingChange:
    """A change of this project, by its full id."""
    try:
        found = await project.session.store.changes.find(str(project.path), change_id)
    except ConfigurationError:
        found = None
    if found is None or found.id != change_id:
        raise NotFound(f"there is no change {change_id} here")
    return found


async def _publish_outcomes(
    state: ServerState, project: ServedProject, wanted: Sequence[PendingChange], outcomes: Sequence[ChangeOutcome]
) -> list[ChangeOutcomeView]:
    before: Mapping[str, ChangeStatus] = {each.id: each.status for each in wanted}
    publish_settled(state, project, before, [outcome.change for outcome in outcomes])
    return await asyncio.to_thread(lambda: [outcome_view(outcome) for outcome in outcomes])
