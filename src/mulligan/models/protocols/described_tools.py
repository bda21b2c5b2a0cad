"""Tools and calls as plain text, for models whose server doesn't pass them on."""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any, cast

from mulligan.ports.models import Model
from mulligan.types.model_io import (
    AssistantReply,
    ModelEvent,
    ModelRequest,
    SystemText,
    ToolReply,
    UserText,
    WireMessage,
)
from mulligan.types.tool_calls import JsonObject, ToolSpec


def describe_tools(tools: Sequence[ToolSpec]) -> str:
    """One line per tool and per argument. The same tools always give the same text."""
    return "\n".join(line for tool in tools for line in _tool_lines(tool))


def _tool_lines(tool: ToolSpec) -> list[str]:
    own = cast("dict[str, JsonObject]", tool.parameters.get("properties", {}))
    needed = tool.parameters.get("required", [])
    lines = [f"- {tool.name}: {tool.description}"]
    return lines + [_argument_line(name, schema, required=name in needed) for name, schema in own.items()]


def _argument_line(name: str, schema: JsonObject, *, required: bool) -> str:
    kind = _kind(schema) if required else f"{_kind(schema)}, optional"
    description = schema.get("description")
    return f"  {name} ({kind}): {description}" if description else f"  {name} ({kind})"


def _kind(schema: JsonObject) -> str:
    if "enum" in schema:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind: Any = schema.get("type", "any")
    return f"list of {_kind(schema.get('items', {}))}" if kind == "array" else str(kind)


class DescribedToolsModel(ABC):
    """Wraps a model that learns about its tools in the system text. Implements `ports.Model`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._in_use = _ToolsInUse()

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the reply: text as it arrives, and calls."""
        tools = self._in_use.described_in(request)
        reply = self._model.stream(self._in_words(request, tools))
        # If the caller set its own schema, it parses the reply itself.
        if tools and not request.schema:
            reply = self._read(reply, [tool.name for tool in tools], forced=bool(request.tools))
        async with aclosing(reply) as events:
            async for event in events:
                yield event

    @abstractmethod
    def _in_words(self, request: ModelRequest, tools: tuple[ToolSpec, ...]) -> ModelRequest:
        """The same request without tools on the wire; `tools` are described as text."""

    @abstractmethod
    def _read(self, reply: AsyncGenerator[ModelEvent], names: list[str], *, forced: bool) -> AsyncGenerator[ModelEvent]:
        """The reply with its calls found. `forced`: tools were offered with this request."""


class _ToolsInUse:
    """The last request of a turn offers no tools. If they are described in the system text they stay there, or the
    server would have to read the whole conversation again for the summary."""

    def __init__(self) -> None:
        self._system = ""
        self._tools: tuple[ToolSpec, ...] = ()

    def described_in(self, request: ModelRequest) -> tuple[ToolSpec, ...]:
        """The request's own tools, else those of the conversation's previous request."""
        first = request.messages[0] if request.messages else None
        system = first.text if isinstance(first, SystemText) else ""
        if request.tools:
            self._system, self._tools = system, request.tools
        return self._tools if system == self._system else ()


def flatten(
    messages: Iterable[WireMessage], *, system: str, render_reply: Callable[[AssistantReply], str]
) -> tuple[WireMessage, ...]:
    """The messages without calls and results; `system` is added to the system text.

    Adjacent messages of one role become one: many templates refuse two in a row.
    """
    flat: list[WireMessage] = []
    for message in messages:
        match message:
            case SystemText(text):
                flat.append(SystemText(text))
            case UserText():
                _append(flat, message)
            case ToolReply(_, name, text):
                _append(flat, UserText(f'<tool_result name="{name}">\n{text}\n</tool_result>'))
            case AssistantReply():
                _append(flat, AssistantReply(render_reply(message)))
    if not system:
        return tuple(flat)
    if flat and isinstance(flat[0], SystemText):
        return (SystemText(f"{flat[0].text}\n\n{system}"), *flat[1:])
    return (SystemText(system), *flat)


def _append(flat: list[WireMessage], message: UserText | AssistantReply) -> None:
    last = flat[-1] if flat else None
    match last, message:
        case UserText(before, images), UserText(after, more):
            flat[-1] = UserText(f"{before}\n\n{after}", (*images, *more))
        case AssistantReply(before), AssistantReply(after):
            flat[-1] = AssistantReply(f"{before}\n\n{after}")
        case _:
            flat.append(message)
