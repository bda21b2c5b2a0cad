"""The `text` protocol: tools are described in the system text, and calls parsed out of the text of the reply."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from mulligan.models.protocols.calls_in_text import read_calls_in_text
from mulligan.models.protocols.described_tools import ToolsInUse, describe_tools, flatten
from mulligan.ports.models import Model
from mulligan.types.model_io import AssistantReply, ModelEvent, ModelRequest
from mulligan.types.tool_calls import ToolSpec

INSTRUCTIONS = """You have these tools:
{tools}

To call a tool, write exactly this, on lines of its own, and then stop:
<tool_call>
{{"name": "<the tool>", "arguments": {{<its arguments>}}}}
</tool_call>
The result comes in the next message. When you know the answer, write it as plain text."""


class TextProtocol:
    """Wraps a model that can do no more than write. Implements `ports.Model`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._in_use = ToolsInUse()

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply, with calls in place of the text that makes them."""
        tools = self._in_use.described_in(request)
        reply = self._model.stream(in_text(request, tools))
        # A schema of the caller's own is theirs to read.
        if tools and not request.schema:
            reply = read_calls_in_text(reply, [tool.name for tool in tools])
        async with aclosing(reply) as events:
            async for event in events:
                yield event


def in_text(request: ModelRequest, tools: tuple[ToolSpec, ...]) -> ModelRequest:
    """The same request without tools on the wire; `tools` are described in words."""
    system = INSTRUCTIONS.format(tools=describe_tools(tools)) if tools else ""
    messages = flatten(request.messages, system=system, render_reply=_render)
    return replace(request, messages=messages, tools=(), masked=frozenset[str]())


def _render(reply: AssistantReply) -> str:
    calls = (
        f"<tool_call>\n{json.dumps({'name': call.name, 'arguments': call.arguments}, ensure_ascii=False)}\n</tool_call>"
        for call in reply.calls
    )
    return "\n".join([reply.text, *calls] if reply.text else calls)
