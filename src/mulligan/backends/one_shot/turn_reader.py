"""One turn of a one-shot agent, assembled from its lines, and how it ended."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from mulligan.backends.one_shot import claude_stream, codex_stream, goose_stream, opencode_stream, parsed_line
from mulligan.backends.one_shot.parsed_line import ParsedLine
from mulligan.runtime.child_process import describe_exit
from mulligan.runtime.lenient_json import parsed_object
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
    StreamFormat,
)
from mulligan.types.tool_calls import JsonObject

_PARSERS: Mapping[StreamFormat, Callable[[JsonObject], ParsedLine]] = {
    "claude": claude_stream.parse_line,
    "codex": codex_stream.parse_line,
    "goose": goose_stream.parse_line,
    "opencode": opencode_stream.parse_line,
}
_IN_PIECES: frozenset[StreamFormat] = frozenset({"goose", "text"})
"""Consecutive texts are one text there. Elsewhere each is a separate paragraph."""


class CommandTurnReader:
    """Takes the lines of one turn as they arrive. Lines that don't match the format are noise, and left out."""

    def __init__(self, stream: StreamFormat) -> None:
        self._stream: StreamFormat = stream
        self._open: dict[str, bool] = {}
        self._after_text = False
        self.session: str | None = None
        """The agent's own name for its session, once known."""
        self.ending: AgentDone | None = None
        """How the turn ended according to the agent; none while it continues."""
        self.trouble = ""
        """What went wrong last."""
        self.has_output = False

    def read(self, line: bytes) -> list[AgentEvent]:
        parsed = self._parsed(line)
        self.session = parsed.session or self.session
        self.trouble = parsed.trouble or self.trouble
        if parsed.ending is None and (parsed.events or parsed.goes_on):
            self.ending = None
        # The first one counts: an agent that failed may still say that it is done.
        self.ending = self.ending or parsed.ending
        events = [event for found in parsed.events for event in self._shown(found)]
        self.has_output = self.has_output or bool(events)
        return events

    def close(self, status: Literal["completed", "failed"]) -> list[AgentEvent]:
        """Close the calls that were never finished."""
        left = [call_id for call_id, is_open in self._open.items() if is_open]
        self._open.update(dict.fromkeys(left, False))
        return [AgentToolUpdate(call_id, status) for call_id in left]

    def verdict(self, name: str, code: int | None, stderr_tail: str) -> AgentDone:
        """How the turn ended, now that the process has. If the format can say it, an exit code alone means nothing:
        agents exit with 0 when they were denied, or could not log in."""
        if self.ending:
            return AgentDone(self.ending.how, self.ending.detail or self._why_ended(stderr_tail))
        if self._stream == "text" and code == 0 and self.has_output:
            return AgentDone("finished")
        how = "did not end" if code is None else f"ended ({describe_exit(code)})"
        why = self.trouble or stderr_tail
        return AgentDone("failed", f"{name} {how} without reporting success{': ' if why else '.'}{why}")

    def _why_ended(self, stderr_tail: str) -> str:
        return (self.trouble or stderr_tail) if self.ending and self.ending.how == "failed" else ""

    def _parsed(self, line: bytes) -> ParsedLine:
        if self._stream == "text":
            return parsed_line.parse_line(line)
        found = parsed_object(line)
        return ParsedLine() if found is None else _PARSERS[self._stream](found)

    def _shown(self, event: AgentEvent) -> Iterator[AgentEvent]:
        match event:
            case AgentText(text):
                if not text:
                    return
                event = AgentText(f"\n\n{text}") if self._after_text and self._stream not in _IN_PIECES else event
            case AgentReasoning(text):
                if not text:
                    return
            case AgentToolCall(call_id):
                if call_id in self._open:
                    return
                self._open[call_id] = True
            case AgentToolUpdate(call_id):
                self._open[call_id] = False
            case _:
                pass
        self._after_text = isinstance(event, AgentText)
        yield event
