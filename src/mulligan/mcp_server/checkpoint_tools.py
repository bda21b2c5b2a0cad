"""Checkpoints as tools: take one, list them, go back to one."""

from collections.abc import Mapping
from typing import Any

from mulligan.app.project_checkpoints import checkpoints_around, find_checkpoint, list_project_checkpoints
from mulligan.app.session import Session
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import Outcome, Succeeded

MAX_LISTED = 50
RESTORE_SECONDS = 600.0


class CreateCheckpointArguments(Record):
    label: str = field(default="", max_length=200, description="What it is for.")


class CreateCheckpoint:
    def __init__(self, session: Session) -> None:
        self._session = session
        description = "Keep all files of the project as they are now, so that restore_checkpoint can bring them back."
        self.spec = tool_spec("create_checkpoint", description, CreateCheckpointArguments, time_limit=RESTORE_SECONDS)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(CreateCheckpointArguments, arguments)
        made = await (await self._session.checkpoints(self._session.settings.project)).create(label=asked.label)
        left_out = [f"Not in it: {each.path}: {each.reason}" for each in made.snapshot.not_covered]
        return Succeeded("\n".join([f"checkpoint {made.checkpoint.id}", *left_out]))


class NoArguments(Record):
    pass


class ListCheckpoints:
    def __init__(self, session: Session) -> None:
        self._session = session
        self.spec = tool_spec("list_checkpoints", "List the project's checkpoints, the newest first.", NoArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        from datetime import UTC, datetime

        read_arguments(NoArguments, arguments)
        kept = [each.checkpoint for each in await list_project_checkpoints(self._session)][::-1]
        lines = [
            f"{each.id}  {datetime.fromtimestamp(each.created_at, UTC):%Y-%m-%d %H:%M:%S} UTC  {each.label}"
            for each in kept[:MAX_LISTED]
        ]
        return Succeeded("\n".join(lines) or "There are no checkpoints yet: create_checkpoint takes one.")


class RestoreCheckpointArguments(Record):
    id: str = field(min_length=1, description="Its id, or the beginning of it.")
    preview: bool = field(default=False, description="Only say what would change.")


class RestoreCheckpoint:
    def __init__(self, session: Session) -> None:
        self._session = session
        description = (
            "Bring files, index and HEAD back to a checkpoint. What is there now is kept as a checkpoint of its own."
        )
        self.spec = tool_spec("restore_checkpoint", description, RestoreCheckpointArguments, time_limit=RESTORE_SECONDS)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        from mulligan.workspace.checkpoints.service import result_words

        asked = read_arguments(RestoreCheckpointArguments, arguments)
        target = await find_checkpoint(self._session, asked.id)
        checkpoints = await checkpoints_around(self._session, target)
        if asked.preview:
            plan = await checkpoints.preview(target)
            lines = [f"write {move.path}" for move in plan.writes] + [f"delete {move.path}" for move in plan.deletes]
            return Succeeded("\n".join(lines) or "No file would change.")
        steps: list[str] = []
        result = await checkpoints.restore(target, tell=steps.append)
        return Succeeded("\n".join([*steps, result_words(result)]))
