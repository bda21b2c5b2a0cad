"""The `constrained` protocol: every reply must match one schema, of the allowed calls and `answer`."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from mulligan.models.protocols.constrained_reply import ConstrainedReader
from mulligan.models.protocols.described_tools import DescribedToolsModel, describe_tools, flatten
from mulligan.ports.models import Model
from mulligan.types.model_io import (
    AssistantReply,
    Finished,
    ModelEvent,
    ModelRequest,
    Retrying,
    TextDelta,
    TextWasReasoning,
)
from mulligan.types.tool_calls import JsonObject, ToolSpec

INSTRUCTIONS = """You have these tools:
{tools}

Reply with one JSON object, either a call or the answer:
{{"tool": "<the tool>", "arguments": {{<its arguments>}}}}
{{"tool": "answer", "text": "<what the user should read>"}}
The result of a call comes in the next message. Answer as soon as you know enough."""

_KEPT = frozenset({"type", "enum", "const", "required", "minimum", "maximum", "minLength", "minItems", "maxItems"})
"""What a grammar can enforce. Descriptions would only make it larger."""


class ConstrainedProtocol(DescribedToolsModel):
    """Wraps a model whose server can constrain a reply to a schema."""

    def __init__(
        self,
        model: Model,
        *,
        on_followed: Callable[[], None] = lambda: None,
        on_ignored: Callable[[], None] = lambda: None,
    ) -> None:
        """One of the two is called after each complete reply, depending on whether it matched the schema."""
        super().__init__(model)
        self._on_followed = on_followed
        self._on_ignored = on_ignored

    def _in_words(self, request: ModelRequest, tools: tuple[ToolSpec, ...]) -> ModelRequest:
        """If no tools are offered, the reply is unconstrained."""
        system = INSTRUCTIONS.format(tools=describe_tools(tools)) if tools else ""
        messages = flatten(request.messages, system=system, render_reply=_render if tools else _render_plainly)
        offered = [tool for tool in request.tools if tool.name not in request.masked]
        schema = reply_schema(offered) if request.tools else request.schema
        return replace(request, messages=messages, tools=(), masked=frozenset[str](), schema=schema)

    async def _read(
        self, reply: AsyncGenerator[ModelEvent], names: list[str], *, forced: bool
    ) -> AsyncGenerator[ModelEvent]:
        reader = ConstrainedReader(names)
        async with aclosing(reply) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        for each in reader.feed(text):
                            yield each
                    case Retrying() | TextWasReasoning():
                        reader = ConstrainedReader(names)
                        yield event
                    case Finished(reason):
                        if forced and reason == "stop":
                            self._note_compliance(reader)
                        for each in reader.finish(reason):
                            yield each
                    case _:
                        yield event

    def _note_compliance(self, reader: ConstrainedReader) -> None:
        if reader.matches_schema:
            self._on_followed()
        elif reader.has_text:
            self._on_ignored()


def reply_schema(offered: list[ToolSpec]) -> JsonObject:
    """One object: a call of an offered tool, or the answer.

    `tool` comes first, since llama.cpp writes properties in the order of the schema and the choice must come before
    what depends on it.
    """
    calls = [_choice(tool.name, "arguments", _brief(tool.parameters)) for tool in offered]
    return {"anyOf": [*calls, _choice("answer", "text", {"type": "string"})]}


def _choice(tool: str, key: str, schema: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": {"tool": {"const": tool}, key: schema},
        "required": ["tool", key],
        "additionalProperties": False,
    }


def _brief(schema: JsonObject) -> JsonObject:
    if "$defs" in schema:
        # A reference can't be followed from inside another schema; the arguments are checked when they are read.
        return {"type": "object"}
    brief = {key: value for key, value in schema.items() if key in _KEPT}
    if "properties" in schema:
        properties = cast("dict[str, JsonObject]", schema["properties"])
        brief["properties"] = {name: _brief(each) for name, each in properties.items()}
        brief["additionalProperties"] = False
    if "items" in schema:
        brief["items"] = _brief(schema["items"])
    if "anyOf" in schema:
        brief["anyOf"] = [_brief(each) for each in cast("list[JsonObject]", schema["anyOf"])]
    return brief


def _render(reply: AssistantReply) -> str:
    """Exactly as the model wrote it, including spaces, so that the server still has it in its cache."""
    calls = [_dump({"tool": call.name, "arguments": call.arguments}) for call in reply.calls]
    if not calls:
        return _dump({"tool": "answer", "text": reply.text})
    return "\n".join([reply.text, *calls] if reply.text else calls)


def _render_plainly(reply: AssistantReply) -> str:
    return _render(reply) if reply.calls else reply.text


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
