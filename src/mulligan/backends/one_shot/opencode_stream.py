"""`opencode run --format json`: steps, each with whole texts and finished tools. Newer versions end with `done`.

It refuses what it would have to ask about, and then stops in the middle, with exit code 0.
"""

from mulligan.backends.one_shot.parsed_line import ParsedLine
from mulligan.backends.opencode_errors import ending_of
from mulligan.runtime.lenient_json import as_object, as_text
from mulligan.types.agents import AgentDone, AgentReasoning, AgentText, AgentToolCall, AgentToolUpdate
from mulligan.types.tool_calls import JsonObject


def parse_line(line: JsonObject) -> ParsedLine:
    part = as_object(line.get("part"))
    session = as_text(line.get("sessionID")) or None
    match line.get("type"):
        case "step_start":
            return ParsedLine(session=session, goes_on=True)
        case "text":
            return ParsedLine(events=(AgentText(as_text(part.get("text"))),), session=session)
        case "reasoning":
            return ParsedLine(events=(AgentReasoning(as_text(part.get("text"))),), session=session)
        case "tool_use":
            return _tool(part, session)
        case "step_finish":
            over = part.get("reason") != "tool-calls"
            return ParsedLine(session=session, ending=AgentDone("finished") if over else None)
        case "error":
            return ParsedLine(session=session, ending=ending_of(as_object(line.get("error"))))
        case "done":
            return ParsedLine(session=session, ending=AgentDone("finished"))
        case _:
            return ParsedLine(session=session)


def _tool(part: JsonObject, session: str | None) -> ParsedLine:
    # The part's id, not the call's: that is the model's, and small models count from 0 in every reply.
    call_id, state = as_text(part.get("id")), as_object(part.get("state"))
    call = AgentToolCall(call_id, as_text(part.get("tool")), as_object(state.get("input")))
    if state.get("status") == "error":
        error = as_text(state.get("error"))
        return ParsedLine(events=(call, AgentToolUpdate(call_id, "failed", error)), session=session, trouble=error)
    return ParsedLine(
        events=(call, AgentToolUpdate(call_id, "completed", as_text(state.get("output")))), session=session
    )
