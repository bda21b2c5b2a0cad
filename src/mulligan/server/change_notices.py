"""Tells pages about changes whose status changed."""

from collections.abc import Iterable, Mapping

from mulligan.server.frames.envelopes import ChangeSettled
from mulligan.server.state import ServedProject, ServerState
from mulligan.types.changes import ChangeStatus, PendingChange
from mulligan.workspace.changes.change_text import shown_path


def publish_settled(
    state: ServerState, project: ServedProject, before: Mapping[str, ChangeStatus], now: Iterable[PendingChange]
) -> None:
    """A frame for each change whose status differs from before, by its id."""
    for change in now:
        if before.get(change.id, change.status) != change.status:
            settled = ChangeSettled(
                change_id=change.id, path=shown_path(change), kind=change.kind, status=change.status
            )
            state.hub.publish(settled, state.scope(project, chat_id=change.chat_id))
