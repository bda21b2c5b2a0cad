"""Ask the user a question. The turn pauses until they answer."""

from collections.abc import Mapping
from typing import Any

from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import AwaitsAnswer, Outcome, Question


class AskUserArguments(Record):
    question: str = field(min_length=1)
    options: list[str] = field(default_factory=list[str], description="Answers to choose from, if any.")


class AskUser:
    def __init__(self) -> None:
        self.spec = tool_spec("ask_user", "Ask the user what only they can know. The turn pauses.", AskUserArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(AskUserArguments, arguments)
        return AwaitsAnswer(
            Question(asked.question, tuple(asked.options)),
            content="The question was put to the user; the answer comes with their next message.",
        )
