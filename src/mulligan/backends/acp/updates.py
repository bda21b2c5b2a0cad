"""Turns what an agent reports into events. Imports the SDK."""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ContentToolCallContent,
    EmbeddedResourceContentBlock,
    FileEditToolCallContent,
    ResourceContentBlock,
    SessionNotification,
    TerminalToolCallContent,
    TextContentBlock,
    TextResourceContents,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)
from pydantic import ValidationError

from mulligan.types.agents import AgentEvent, AgentPlan, AgentReasoning, AgentText, AgentToolCall, AgentToolUpdate
from mulligan.types.tool_calls import JsonObject

CONTENT_LIMIT = 50_000
"""Most characters of a tool's output to pass on. Some agents send whole files, and viewers and the store need less."""

ToolContent = ContentToolCallContent | FileEditToolCallContent | TerminalToolCallContent


@dataclass(frozen=True, slots=True)
class SeenCall:
    """Everything known about a tool call so far: agents report it in parts, and may omit any of them."""

    call_id: str
    title: str = ""
    kind: str = ""
    arguments: Any = None
    paths: tuple[str, ...] = ()
    announced: bool = False
    closed: bool = False


class UpdateReader:
    """Turns a turn's updates into events.

    A call is announced once its arguments are known, which some agents send in the next update. Anything else that
    comes first announces it as it is.
    """

    def __init__(self, session: str, stale: Collection[str] = ()) -> None:
        """`stale`: calls of aborted turns. Later updates of them are ignored."""
        self.unknown = 0
        """Updates that could not be parsed."""
        self.calls: dict[str, SeenCall] = {}
        self._session = session
        self._stale = stale

    def read(self, params: JsonObject) -> list[AgentEvent]:
        try:
            notification = SessionNotification.model_validate(params)
        except ValidationError:
            self.unknown += 1
            return []
        if notification.session_id != self._session:
            return []
        match notification.update:
            case AgentMessageChunk(content=content):
                return [*self.announce(), *(AgentText(text) for text in _texts(content))]
            case AgentThoughtChunk(content=content):
                return [*self.announce(), *(AgentReasoning(text) for text in _texts(content))]
            case AgentPlanUpdate(entries=entries):
                return [*self.announce(), AgentPlan(tuple(entry.content for entry in entries))]
            case ToolCallStart() | ToolCallProgress() as update:
                return self._tool(update)
            case _:  # the user's own messages, commands, modes, usage: nothing to show
                return []

    def see(self, update: ToolCallStart | ToolCallUpdate) -> SeenCall:
        """Add what an update says about its call."""
        known = self.calls.get(update.tool_call_id) or SeenCall(update.tool_call_id)
        seen = replace(
            known,
            title=update.title or known.title,
            kind=update.kind or known.kind,
            arguments=update.raw_input or known.arguments,
            paths=tuple(dict.fromkeys((*known.paths, *_paths(update)))),
        )
        self.calls[seen.call_id] = seen
        return seen

    def announce(self) -> list[AgentEvent]:
        """The calls that were held back, as known now."""
        return [
            event
            for call in list(self.calls.values())
            if not call.announced and call.title
            for event in self._announcement(call)
        ]

    def close(self, status: Literal["completed", "failed"]) -> list[AgentEvent]:
        """The turn is over, and so are its calls: many agents never say so."""
        events = self.announce()
        for call in self.calls.values():
            if not call.closed:
                events.append(AgentToolUpdate(call.call_id, status))
        self.calls = {key: replace(call, closed=True) for key, call in self.calls.items()}
        return events

    def _tool(self, update: ToolCallStart | ToolCallProgress) -> list[AgentEvent]:
        if update.tool_call_id in self._stale:
            return []
        call = self.see(update)
        status = update.status if update.status in ("completed", "failed") else "running"
        content = _output(update)
        events: list[AgentEvent] = []
        if call.arguments or content or status != "running":
            events += self._announcement(call)
        if not call.closed and (content or status != "running"):
            events.append(AgentToolUpdate(call.call_id, status, content))
            self.calls[call.call_id] = replace(self.calls[call.call_id], closed=status != "running")
        return events

    def _announcement(self, call: SeenCall) -> list[AgentEvent]:
        if call.announced or not call.title:
            return []
        self.calls[call.call_id] = replace(call, announced=True)
        return [AgentToolCall(call.call_id, call.title, _arguments(call.arguments))]


def _texts(block: object) -> list[str]:
    match block:
        case TextContentBlock(text=text) if text:
            return [text]
        case ResourceContentBlock(name=name, uri=uri):
            return [f"{name} ({uri})"]
        case EmbeddedResourceContentBlock(resource=TextResourceContents(text=text)):
            return [text]
        case _:  # pictures and sound
            return []


def _arguments(value: object) -> JsonObject:
    if isinstance(value, dict):
        return {str(name): item for name, item in cast("dict[Any, Any]", value).items()}
    return {} if value is None else {"input": value}


def _paths(update: ToolCallStart | ToolCallUpdate) -> list[str]:
    changed = [content.path for content in update.content or () if isinstance(content, FileEditToolCallContent)]
    return [location.path for location in update.locations or ()] + changed


def _output(update: ToolCallStart | ToolCallProgress) -> str:
    """The tool's result as text. If content is empty, the raw output may have it."""
    texts = [text for content in update.content or () for text in _content_texts(content)]
    text = "\n".join(texts) or _raw_text(update.raw_output)
    return (
        text if len(text) <= CONTENT_LIMIT else f"{text[:CONTENT_LIMIT]}\n… {len(text) - CONTENT_LIMIT} more characters"
    )


def _content_texts(content: ToolContent) -> list[str]:
    return _texts(content.content) if isinstance(content, ContentToolCallContent) else []


def _raw_text(value: Any) -> str:
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        value = next((named[name] for name in ("output", "stdout", "error") if named.get(name)), named)
    if isinstance(value, str) or not value:
        return value or ""
    return json.dumps(value, ensure_ascii=False)
