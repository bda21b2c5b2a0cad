"""Assembles one prompt from the events of opencode's server."""

from collections.abc import Iterator
from typing import Literal

from mulligan.backends.opencode_errors import ending_of
from mulligan.runtime.lenient_json import as_object, as_objects, as_text
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentPlan,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
)
from mulligan.types.tool_calls import JsonObject

_WRITTEN = {"text": AgentText, "reasoning": AgentReasoning}


class ServerTurnReader:
    """Takes the events of a folder, some of which belong to this turn. Duplicates count once."""

    def __init__(self, session: str, since: float) -> None:
        """`since`: milliseconds since 1970. What was made before belongs to an earlier turn."""
        self.started = False
        """The server works on it. What it says about the session before that belongs to an earlier turn."""
        self.over = False
        self._since = since
        self._session = session
        self._family = {session}
        """The session, and those of the agent's subagents."""
        self._answers: set[str] = set()
        """The agent's messages in this turn."""
        self._waiting: dict[str, list[JsonObject]] = {}
        """Parts of messages whose author is not known yet."""
        self._written: dict[str, tuple[str, int]] = {}
        """Texts by part: their kind, and how much of each was published."""
        self._whole_only: set[str] = set()
        """Texts that accept no more chunks."""
        self._calls: dict[str, bool] = {}
        """Calls by part: whether they are still open."""
        self._last_text = ""
        self._failure: AgentDone | None = None

    def is_of_turn(self, event: JsonObject) -> bool:
        """Whether an event is about this session, or a subagent's."""
        return _session_of(event) in self._family

    def read(self, event: JsonObject) -> list[AgentEvent]:
        properties = as_object(event.get("properties"))
        if event.get("type") == "session.created":
            info = as_object(properties.get("info"))
            if info.get("parentID") in self._family:
                self._family.add(as_text(info.get("id")))
        return list(self._read(as_text(event.get("type")), properties)) if _session_of(event) == self._session else []

    def asked(self, event: JsonObject) -> JsonObject | None:
        """The permission that this event requests, if it is a request."""
        asks = event.get("type") == "permission.asked" and self.is_of_turn(event)
        return as_object(event.get("properties")) if asks else None

    def is_asked_by_us(self, permission: JsonObject) -> bool:
        return permission.get("sessionID") in self._family

    def catch_up(self, messages: list[JsonObject]) -> list[AgentEvent]:
        """Read the session's messages, after events may have been missed."""
        events: list[AgentEvent] = []
        for message in messages:
            events += self._message(as_object(message.get("info")))
            for part in as_objects(message.get("parts")):
                events += self._part(part)
        self.started = self.started or bool(self._answers)
        # This text may arrive again in chunks. The final one is complete.
        self._whole_only.update(self._written)
        return events

    def close(self, failure: str | None = None) -> list[AgentEvent]:
        """The last events of the turn. Closes calls that were never finished."""
        done = AgentDone("failed", failure) if failure else self._failure or AgentDone("finished")
        status: Literal["completed", "failed"] = "completed" if done.how == "finished" else "failed"
        return [*(AgentToolUpdate(part, status) for part, is_open in self._calls.items() if is_open), done]

    def _read(self, kind: str, properties: JsonObject) -> Iterator[AgentEvent]:
        match kind:
            case "message.updated":
                yield from self._message(as_object(properties.get("info")))
            case "message.part.updated":
                yield from self._part(as_object(properties.get("part")))
            case "message.part.delta":
                yield from self._delta(properties)
            case "session.status":
                yield from self._status(as_object(properties.get("status")))
            case "session.idle":
                self.over = self.started
            case "session.error":
                self._failure = ending_of(as_object(properties.get("error")))
            case "session.deleted":
                self.over, self._failure = True, AgentDone("failed", "Its session was deleted.")
            case "todo.updated":
                yield AgentPlan(tuple(as_text(todo.get("content")) for todo in as_objects(properties.get("todos"))))
            case _:
                pass

    def _status(self, status: JsonObject) -> Iterator[AgentEvent]:
        match status.get("type"):
            case "busy":
                self.started = True
            case "retry":
                self.started = True
                yield AgentReasoning(
                    f"The model did not answer, and is asked again: {as_text(status.get('message'))}\n"
                )
            case "idle":
                self.over = self.started
            case _:
                pass

    def _message(self, info: JsonObject) -> Iterator[AgentEvent]:
        message = as_text(info.get("id"))
        if not is_answer(info, self._since):
            self._waiting.pop(message, None)
            return
        if message not in self._answers:
            self._answers.add(message)
            self._failure = None  # it continued after the failure
        if error := as_object(info.get("error")):
            self._failure = ending_of(error)
        for part in self._waiting.pop(message, []):
            yield from self._part(part)

    def _part(self, part: JsonObject) -> Iterator[AgentEvent]:
        message, part_id, kind = as_text(part.get("messageID")), as_text(part.get("id")), as_text(part.get("type"))
        if message not in self._answers:
            self._waiting.setdefault(message, []).append(part)
        elif kind in _WRITTEN:
            _, sent = self._written.setdefault(part_id, (kind, 0))
            yield from self._text_of_part(part_id, as_text(part.get("text"))[sent:])
        elif kind == "tool":
            yield from self._tool(part_id, part)

    def _delta(self, properties: JsonObject) -> Iterator[AgentEvent]:
        part_id = as_text(properties.get("partID"))
        if properties.get("field") == "text" and part_id in self._written.keys() - self._whole_only:
            yield from self._text_of_part(part_id, as_text(properties.get("delta")))

    def _text_of_part(self, part_id: str, text: str) -> Iterator[AgentEvent]:
        kind, sent = self._written[part_id]
        if not text:
            return
        self._written[part_id] = kind, sent + len(text)
        # Each part is a separate paragraph.
        apart = "\n\n" if kind == "text" and self._last_text not in ("", part_id) else ""
        self._last_text = part_id if kind == "text" else ""
        yield _WRITTEN[kind](apart + text)

    def _tool(self, part_id: str, part: JsonObject) -> Iterator[AgentEvent]:
        # The part's id, not the call's: that is the model's, and small models count from 0 in every reply.
        state = as_object(part.get("state"))
        status = state.get("status")
        if status == "pending" or self._calls.get(part_id) is False:
            return
        if part_id not in self._calls:
            self._calls[part_id], self._last_text = True, ""
            yield AgentToolCall(part_id, as_text(part.get("tool")), as_object(state.get("input")))
        if status in ("completed", "error"):
            self._calls[part_id] = False
            content = as_text(state.get("output")) or as_text(state.get("error"))
            yield AgentToolUpdate(part_id, "completed" if status == "completed" else "failed", content)


def is_answer(info: JsonObject, since: float) -> bool:
    """Whether a message was made by the agent after that moment."""
    made = as_object(info.get("time")).get("created")
    return info.get("role") == "assistant" and isinstance(made, int | float) and made >= since


def _session_of(event: JsonObject) -> str:
    properties = as_object(event.get("properties"))
    holders = (properties, as_object(properties.get("part")), as_object(properties.get("info")))
    return next((session for holder in holders if (session := as_text(holder.get("sessionID")))), "")
