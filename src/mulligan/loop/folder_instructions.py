"""Instructions of single folders: the model gets them with the first call about a file there.

They come with a result and not in the system prompt, so that the start of the request never changes.
"""

from collections.abc import Sequence

from mulligan.core.instructions import (
    FILE_TOOLS,
    NO_INSTRUCTIONS,
    FittedInstructions,
    folder_instructions,
    shown_already,
)
from mulligan.loop.plan import TurnInstructions
from mulligan.types.messages import Message
from mulligan.types.tool_calls import RejectedCall, ToolCall


class FolderInstructions:
    """Tracks which folders' instructions the model has seen in this turn."""

    def __init__(self, given: TurnInstructions, history: Sequence[Message]) -> None:
        self._given = given
        self._shown = shown_already(history)

    async def for_call(self, call: ToolCall | RejectedCall) -> FittedInstructions:
        """Instructions for the call's file that the model has not seen yet."""
        path = call.arguments.get("path")
        if call.name not in FILE_TOOLS or not isinstance(path, str):
            return NO_INSTRUCTIONS
        found = await self._given.source.on_the_way_to([path])
        # No awaits from here on, so that only one of several parallel calls adds them.
        new = [file for file in found if file.path not in self._shown and not file.problem]
        self._shown.update(file.path for file in new)
        # If the instruction file itself was read, the model already has it.
        return folder_instructions(
            [file for file in new if file.path != path.removeprefix("./")], self._given.char_limit
        )

    def forget(self) -> None:
        """To call after a compaction: results that contained instructions may be gone."""
        self._shown.clear()
