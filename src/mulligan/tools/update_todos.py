"""Keep the to-do list. The user sees it."""

from collections.abc import Mapping
from typing import Any

from mulligan.core.todos import TOOL, todo_list
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Outcome, Succeeded


class UpdateTodosArguments(Record):
    items: list[str] = field(
        min_length=1, description="All steps, in order: `[x] done`, `[>] under way` or `[ ] open`, then what it is."
    )


class UpdateTodos:
    def __init__(self) -> None:
        self.spec = tool_spec(TOOL, "Show the user the whole list of steps, and how far you are.", UpdateTodosArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        items = todo_list(read_arguments(UpdateTodosArguments, arguments).items)
        if not items:
            raise CallRejected("schema_reject", "The list is empty. Write each step as `[ ] what it is`.")
        return Succeeded("\n".join(items), state="\n".join(items))
