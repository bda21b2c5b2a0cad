"""`claude -p --output-format stream-json --verbose`, and qwen, which writes the same.

Lines are `system`, `assistant`, `user` (the results of tools) and, at the end, `result`. The exit code is 0 even if
every tool was denied; only `result` shows that.
"""

from collections.abc import Iterator

from mulligan.backends.one_shot.parsed_line import ParsedLine
from mulligan.runtime.lenient_json import as_object, as_objects, as_text, as_texts
from mulligan.types.agents import AgentDone, AgentEvent, AgentReasoning, AgentText, AgentToolCall, AgentToolUpdate
from mulligan.types.tool_calls import JsonObject


def parse_line(line: JsonObject) -> ParsedLine:
    match line.get("type"):
        case "system" if line.get("subtype") == "init":
            return ParsedLine(session=as_text(line.get("session_id")) or None, goes_on=True)
        case "assistant":
            return _assistant(line)
        case "user":
            return ParsedLine(events=tuple(_results(as_object(line.get("message")))))
        case "result":
            return _result(line)
        case _:
            return ParsedLine()


def _assistant(line: JsonObject) -> ParsedLine:
    message = as_object(line.get("message"))
    if line.get("is_api_error_message"):  # its own text for an error; `result` says the same
        return ParsedLine(trouble="\n".join(as_text(block.get("text")) for block in as_objects(message.get("content"))))
    # A subagent's text is for the agent, but its calls affect the work tree.
    is_helper = line.get("parent_tool_use_id") is not None
    events = [event for event in _blocks(message) if isinstance(event, AgentToolCall) or not is_helper]
    return ParsedLine(events=tuple(events), session=as_text(line.get("session_id")) or None)


def _blocks(message: JsonObject) -> Iterator[AgentEvent]:
    for block in as_objects(message.get("content")):
        match block.get("type"):
            case "text":
                yield AgentText(as_text(block.get("text")))
            case "thinking":
                yield AgentReasoning(as_text(block.get("thinking")))
            case "tool_use":
                call_id, name = as_text(block.get("id")), as_text(block.get("name"))
                yield AgentToolCall(call_id, name, as_object(block.get("input")))
            case _:
                pass


def _results(message: JsonObject) -> Iterator[AgentToolUpdate]:
    for block in as_objects(message.get("content")):
        if block.get("type") == "tool_result":
            content = block.get("content")
            pieces = (as_text(piece.get("text")) for piece in as_objects(content))
            status = "failed" if block.get("is_error") else "completed"
            yield AgentToolUpdate(as_text(block.get("tool_use_id")), status, as_text(content) or "\n".join(pieces))


def _result(line: JsonObject) -> ParsedLine:
    # Its session_id does not prove a session: for a missing one, it is the requested id.
    if line.get("is_error") or line.get("subtype") != "success":
        return ParsedLine(ending=AgentDone("failed", _why(line)))
    return ParsedLine(ending=AgentDone("finished", _denied(line)))


def _why(line: JsonObject) -> str:
    reason = as_text(line.get("result")) or "; ".join(as_texts(line.get("errors")))
    return reason or as_text(line.get("subtype")).replace("_", " ")


def _denied(line: JsonObject) -> str:
    names = [as_text(denial.get("tool_name")) for denial in as_objects(line.get("permission_denials"))]
    return f"It was not allowed to use {', '.join(dict.fromkeys(names))}." if names else ""
