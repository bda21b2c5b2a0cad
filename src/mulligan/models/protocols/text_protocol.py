"""The `text` protocol: tools are described in the system text, and calls parsed from the reply's text."""

import json
from collections.abc import AsyncGenerator
from dataclasses import replace

from mulligan.models.protocols.calls_in_text import read_calls_in_text
from mulligan.models.protocols.described_tools import DescribedToolsModel, describe_tools, flatten
from mulligan.types.model_io import AssistantReply, ModelEvent, ModelRequest
from mulligan.types.tool_calls import ToolSpec

INSTRUCTIONS = """You have these tools:
{tools}

To call a tool, write exactly this, on lines of its own, and then stop:
<tool_call>
{{"name": "<the tool>", "arguments": {{<its arguments>}}}}
</tool_call>
The result comes in the next message. When you know the answer, write it as plain text."""


class TextProtocol(DescribedToolsModel):
    """Wraps a model that can only write text."""

    def _in_words(self, request: ModelRequest, tools: tuple[ToolSpec, ...]) -> ModelRequest:
        system = INSTRUCTIONS.format(tools=describe_tools(tools)) if tools else ""
        messages = flatten(request.messages, system=system, render_reply=_render)
        return replace(request, messages=messages, tools=(), masked=frozenset[str]())

    def _read(self, reply: AsyncGenerator[ModelEvent], names: list[str], *, forced: bool) -> AsyncGenerator[ModelEvent]:
        del forced
        return read_calls_in_text(reply, names)


def _render(reply: AssistantReply) -> str:
    calls = (
        f"<tool_call>\n{json.dumps({'name': call.name, 'arguments': call.arguments}, ensure_ascii=False)}\n</tool_call>"
        for call in reply.calls
    )
    return "\n".join([reply.text, *calls] if reply.text else calls)
